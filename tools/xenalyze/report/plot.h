/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture of points and bars over time.  They are kept until the last has
 * come, since only then the axes are known; where a picture could not show
 * more, what falls on the same dot is dropped, so memory is bounded.
 */
#ifndef XENALYZE_REPORT_PLOT_H
#define XENALYZE_REPORT_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "xenalyze/model/facts.h"
#include "xenalyze/report/points.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_GNUPLOT };

/* By the end of its name.  -EINVAL, and *e says what there is. */
int plot_format(const char *path, enum plot_format *format, struct err *e);

struct plot;

/* `label` is borrowed: what stands at the axis.  0 or -ENOMEM. */
int plot_new(struct plot **plot, const char *label);
void plot_free(struct plot *plot);

/* Each draws a dot. */
struct points plot_points(struct plot *plot);

/* A timeline of pcpus: a bar for whoever runs, and for what was lost. */
struct timeline
{
    struct plot *plot;
    struct xt_clock clock;
};

struct sink timeline_sink(struct timeline *t);

/* All of it, or nothing is at `path`.  0 or -errno. */
int plot_write(struct plot *plot, enum plot_format format, const char *path,
               struct err *e);

/* --- for those who draw --------------------------------------------------- */

#define PLOT_WIDTH 1200
#define PLOT_HEIGHT 640
#define PLOT_LEFT 96
#define PLOT_RIGHT 1080         /* the legend is beyond */
#define PLOT_TOP 24
#define PLOT_BOTTOM 600

#define PLOT_SERIES 32u         /* that have a name; the last: all others */
#define PLOT_NAME 24u

struct plot_mark
{
    int64_t from, to;           /* nanoseconds; equal: a dot */
    int64_t value;
    uint32_t series;
};

struct plot_view
{
    const char *label;
    const struct plot_mark *marks;
    size_t nr_marks;
    char names[PLOT_SERIES][PLOT_NAME];
    unsigned int nr_series;
    int64_t first, last;        /* nanoseconds; first < last */
    int64_t least, most;        /* values; least < most */
    bool bars;                  /* rows with room for a bar each */
};

/* Places in the picture. */
int plot_x(const struct plot_view *v, int64_t time);
int plot_y(const struct plot_view *v, int64_t value);

/* 0xrrggbb */
uint32_t plot_colour(unsigned int series);

/* A text at the i-th of PLOT_TICKS + 1 marks of an axis. */
#define PLOT_TICKS 5

const char *plot_time_tick(const struct plot_view *v, unsigned int i,
                           int64_t *time, char text[PLOT_NAME]);
const char *plot_value_tick(const struct plot_view *v, unsigned int i,
                            int64_t *value, char text[PLOT_NAME]);

/* 0 or -ENOMEM; whether `out` took it the caller looks. */
int plot_svg(const struct plot_view *v, FILE *out);
int plot_png(const struct plot_view *v, FILE *out);
int plot_gnuplot(const struct plot_view *v, FILE *out);

#endif /* XENALYZE_REPORT_PLOT_H */
