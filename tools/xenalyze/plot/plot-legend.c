/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The legend: an array of lines for the series, or the scale of a heat map.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>

__attribute__((format(printf, 3, 4)))
static void add_line(struct plot_view *v, unsigned int paint,
                     const char *format, ...)
{
    struct plot_line *line = &v->legend[v->nr_lines++];
    va_list args;

    assert(v->nr_lines <= PLOT_LINES_OF_LEGEND);
    line->paint = paint;
    va_start(args, format);
    vsnprintf(line->name, sizeof(line->name), format, args);
    va_end(args);
}

static bool has_kind(const struct plot_view *v, enum plot_kind kind)
{
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        if ( v->series[i].key >> 48 == kind )
            return true;
    return false;
}

static void add_gaps(struct plot_view *v)
{
    if ( v->about->unit == PLOT_PCPUS && v->has_gaps )
        add_line(v, PAINT_NO_DATA, "no data");
}

static void add_heat(struct plot_view *v)
{
    add_line(v, PLOT_PAINTS, "busy, %% of time");
    add_line(v, PAINT_IDLE, "idle");
    for ( unsigned int i = 0; i < PLOT_STEPS; i++ )
        add_line(v, PAINT_SCALE + i, "%u-%u",
                 100 / PLOT_STEPS * i, 100 / PLOT_STEPS * (i + 1));
    if ( has_kind(v, PLOT_OF_LOST) )
        add_line(v, PAINT_LOST, "lost");
    add_gaps(v);
}

static void add_density(struct plot_view *v)
{
    uint64_t from = 1;

    assert(v->nr_steps && v->step_base > 1);
    add_line(v, PLOT_PAINTS, "points per square");
    for ( unsigned int i = 0; i < v->nr_steps; i++, from *= v->step_base )
    {
        unsigned int paint = plot_step_paint(v, i);

        if ( i == v->nr_steps - 1 )
            add_line(v, paint, "%" PRIu64 " and more", from);
        else if ( from == from * v->step_base - 1 )
            add_line(v, paint, "%" PRIu64, from);
        else
            add_line(v, paint, "%" PRIu64 "-%" PRIu64, from,
                     from * v->step_base - 1);
    }
}

static void add_series(struct plot_view *v)
{
    for ( unsigned int i = 0; i < v->nr_series; i++ )
        add_line(v, PAINT_SERIES + i, "%s", v->series[i].name);
    add_gaps(v);
}

void plot_make_legend(struct plot_view *v)
{
    assert(!v->nr_lines);
    if ( v->heat )
        add_heat(v);
    else if ( v->density )
        add_density(v);
    else
        add_series(v);
    if ( v->nr_losses )
        add_line(v, PAINT_LOST, "records lost");
}
