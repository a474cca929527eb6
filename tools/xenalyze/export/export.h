/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs read: JSON or CSV.  A form is written from the top down: points
 * as facts come, so that no number of them takes memory; then the cells of
 * intervals; then all that reports know.  The parts that nobody asks for are
 * not there; of one that is empty, its heading is.
 *
 *     struct form form = form_json(out);
 *
 *     ... scatter.points = form_points(&plot) ...
 *     form_reach(&form, FORM_POINTS);
 *     form_interval(&form, interval);
 *     form_rows(&form, &rows, "trace.bin");
 *
 * An entry of the first two is a list of fields, with names that are columns of
 * CSV and members in JSON: which there are is written once (export.c).
 */
#ifndef XENALYZE_EXPORT_EXPORT_H
#define XENALYZE_EXPORT_EXPORT_H

#include "xenalyze/account/account.h"
#include "xenalyze/export/report-rows.h"
#include "xenalyze/plot/plot.h"

enum form_part { FORM_NOTHING, FORM_POINTS, FORM_INTERVALS, FORM_ROWS };

struct form_field
{
    const char *name;
    const char *text;           /* or NULL: it is a number */
    uint64_t number;
    bool is_signed, is_absent;
};

struct form;

struct form_ops
{
    /* The list or table of this name begins; fields have no values yet. */
    void (*begin)(struct form *f, const char *part,
                  const struct form_field *fields, size_t nr);
    void (*put)(struct form *f, const struct form_field *fields, size_t nr);
    void (*rows)(struct form *f, const struct rows *rows, const char *name);
};

struct form
{
    const struct form_ops *ops;
    FILE *out;
    enum form_part part;        /* that is being written */
    bool more;                  /* it has an entry */
};

struct form form_json(FILE *out);
struct form form_csv(FILE *out);

/* Go on to a later part, or stay in it. */
void form_reach(struct form *f, enum form_part part);

/* Both borrowed: the points of one scatterplot go there. */
struct form_plot
{
    struct form *form;
    enum scatter_kind kind;
};

struct points form_points(struct form_plot *plot);

void form_interval(struct form *f, const struct interval *i);

/* `name` is the trace's. */
void form_rows(struct form *f, const struct rows *rows, const char *name);

#endif /* XENALYZE_EXPORT_EXPORT_H */
