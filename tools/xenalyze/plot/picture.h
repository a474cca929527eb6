/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures of what happened over time: points, or bars in rows.  They are kept
 * until the last has come, since only then the axes are known; memory is
 * bounded, by what a picture can show.
 *
 *     struct plot *plot;
 *
 *     plot_new(&plot, &about);
 *     ... plot_points(plot), timeline_sink(), states_sink() ...
 *     plot_write(plot, PLOT_SVG, "who.svg", &e);
 *     plot_free(plot);
 */
#ifndef XENALYZE_PLOT_PICTURE_H
#define XENALYZE_PLOT_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "xenalyze/model/model.h"
#include "xenalyze/plot/points.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_GNUPLOT };

/* By the end of its name.  -EINVAL, and *e says what there is. */
int plot_format(const char *path, enum plot_format *format, struct err *e);

/* What values are. */
enum plot_unit
{
    PLOT_NUMBER,
    PLOT_PLACES,                /* few different ones: pcpus, kinds */
    PLOT_CYCLES,                /* these two spread over decades, and may */
    PLOT_TIME,                  /* get a logarithmic axis; nanoseconds */
    PLOT_ADDRESS,
    PLOT_PCPUS,                 /* a row each, with a name and bars in it */
    PLOT_VCPUS,
};

struct plot_about
{
    const char *title;          /* above the picture */
    const char *label;          /* of the axis */
    enum plot_unit unit;
};

struct plot;

/* What `about` points to is borrowed, as is the trace's name.  0 or -ENOMEM. */
int plot_new(struct plot **plot, const struct plot_about *about,
             const char *name);
void plot_free(struct plot *plot);

/* Each draws a dot. */
struct points plot_points(struct plot *plot);

/*
 * Bars: of PLOT_PCPUS, whoever ran there, and records that were lost; of
 * PLOT_VCPUS, their runstates.
 */
struct timeline
{
    struct plot *plot;
    struct xt_clock clock;
};

struct sink timeline_sink(struct timeline *t);
struct sink states_sink(struct timeline *t);

/* All of it, or nothing is at `path`.  0 or -errno. */
int plot_write(struct plot *plot, enum plot_format format, const char *path,
               struct err *e);

#endif /* XENALYZE_PLOT_PICTURE_H */
