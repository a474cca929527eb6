/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures with an axis of time: points, or bars in rows.  The picture keeps
 * them until the end of the trace, since the axes depend on all of them.
 * Memory is bounded: marks beyond the resolution of the picture are merged.
 *
 *     struct plot *plot;
 *
 *     plot_new(&plot, &about);
 *     ... plot_points(plot), or timeline_sink(), or states_sink() ...
 *     plot_write(plot, PLOT_SVG, "pcpus.svg", &e);
 *     plot_free(plot);
 */
#ifndef XENALYZE_PLOT_PICTURE_H
#define XENALYZE_PLOT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "libxentrace/internal.h"
#include "xenalyze/model/model.h"
#include "xenalyze/plot/points.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_GNUPLOT };

/* The page.  With PLOT_AUTO, SVG follows the preference of the reader. */
enum plot_theme { PLOT_AUTO, PLOT_LIGHT, PLOT_DARK };

/* The format for a file name, by its ending.  False: none. */
bool plot_find_format(const char *path, enum plot_format *format);

/* The same for --plot, if it can be written here.  0, or -errno and *e. */
int plot_parse_format(const char *path, enum plot_format *format,
                      struct err *e);

/* The unit of the values. */
enum plot_unit
{
    PLOT_NUMBER,
    PLOT_PLACES,                /* a small set of numbers, as of pcpus */
    PLOT_TIME,                  /* ns; a logarithmic axis for decades */
    PLOT_ADDRESS,
    PLOT_PCPUS,                 /* no values: a row of bars for each pcpu */
    PLOT_VCPUS,                 /* a row of bars for each vcpu */
};

struct plot_about
{
    const char *title;          /* above the picture */
    const char *label;          /* of the axis */
    enum plot_unit unit;
};

struct plot;

/* The strings in `about` and the trace's name are borrowed.  0 or -ENOMEM. */
int plot_new(struct plot **plot, const struct plot_about *about,
             const char *name);
void plot_free(struct plot *plot);

/* Use names of domains, which are borrowed and may be NULL. */
void plot_set_names(struct plot *plot, const struct xt_domain_names *names);

/* Set a text after the title.  The pointer is borrowed. */
void plot_set_selection(struct plot *plot, const char *text);

void plot_set_theme(struct plot *plot, enum plot_theme theme);

/* A receiver of points, which become dots. */
struct points plot_points(struct plot *plot);

/*
 * Sinks that draw bars.  timeline_sink(), for PLOT_PCPUS: the vcpus that ran on
 * each pcpu, idle time and losses.  states_sink(), for PLOT_VCPUS: the
 * runstates.  losses_sink(), for points: losses, below the points.
 */
struct timeline
{
    struct plot *plot;
    struct xt_clock clock;
};

struct sink timeline_sink(struct timeline *t);
struct sink states_sink(struct timeline *t);
struct sink losses_sink(struct timeline *t);

/* True if there is nothing to draw. */
bool plot_is_empty(const struct plot *plot);

/* Write the whole file at `path`, or nothing.  0 or -errno. */
int plot_write(struct plot *plot, enum plot_format format, const char *path,
               struct err *e);

#endif /* XENALYZE_PLOT_PICTURE_H */
