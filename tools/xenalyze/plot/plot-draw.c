/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drawing, for all back ends: title, axes, legend; then dots, or rows.
 *
 * A row is a stacked histogram, rasterised into columns of one pixel: in each
 * column, the height of a series is its share of the column's time.  So a row
 * with short bars looks like a graph of utilization, and a row with long bars
 * like bars.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

#define INK 0x222222
#define GRID 0xdddddd
#define GROUND 0xf4f4f4         /* background of a row */
#define LINE 26                 /* height of a line of text in pixels */

/* --- axes and legend ------------------------------------------------------ */

static void draw_times(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = plot_time_ticks(v, ticks);

    for ( unsigned int i = 0; i < nr; i++ )
        pen->rectangle(pen->state, ticks[i].at, PLOT_TOP, 1,
                       v->bottom - PLOT_TOP, GRID);
    for ( unsigned int i = 0; i < nr; i++ )
        pen->text(pen->state, ticks[i].at, v->bottom + 24, PLOT_MIDDLE, INK,
                  ticks[i].text);
}

static void draw_values(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = plot_value_ticks(v, ticks);

    for ( unsigned int i = 0; i < nr; i++ )
        pen->rectangle(pen->state, PLOT_LEFT, ticks[i].at, PLOT_COLUMNS, 1,
                       GRID);
    for ( unsigned int i = 0; i < nr; i++ )
        pen->text(pen->state, PLOT_LEFT - 10, ticks[i].at + 6, PLOT_END, INK,
                  ticks[i].text);
}

static void draw_legend(const struct plot_view *v, const struct plot_pen *pen)
{
    for ( unsigned int i = 0; i < v->nr_series; i++ )
    {
        pen->rectangle(pen->state, PLOT_RIGHT + 20, PLOT_TOP + 4 + LINE * i,
                       16, 16, v->series[i].colour);
        pen->text(pen->state, PLOT_RIGHT + 46, PLOT_TOP + 18 + LINE * i,
                  PLOT_START, INK, v->series[i].name);
    }
}

static void draw_texts(const struct plot_view *v, const struct plot_pen *pen)
{
    char title[128];

    snprintf(title, sizeof(title), "%s: %s", v->name, v->about->title);
    pen->text(pen->state, (PLOT_LEFT + PLOT_RIGHT) / 2.0, 26, PLOT_MIDDLE,
              INK, title);
    pen->text(pen->state, 12, PLOT_TOP - 12, PLOT_START, INK,
              v->about->label);
    pen->text(pen->state, (PLOT_LEFT + PLOT_RIGHT) / 2.0, v->bottom + 54,
              PLOT_MIDDLE, INK, "seconds since the trace began");
    draw_legend(v, pen);
}

/* --- dots ----------------------------------------------------------------- */

/* The dots of several series at the same place are drawn side by side. */
static double series_offset(const struct plot_view *v, unsigned int series)
{
    double unit = plot_y(v, v->least) - plot_y(v, v->least + 1);

    if ( v->about->unit != PLOT_PLACES )
        return 0;
    return 0.7 * unit * ((series + 0.5) / v->nr_series - 0.5);
}

static void draw_dots(const struct plot_view *v, const struct plot_pen *pen)
{
    double size = v->nr_marks < 1000 ? 5 : 3;

    assert(!v->bars && v->nr_series <= PLOT_SERIES);
    for ( unsigned int s = 0; s < v->nr_series; s++ )
        for ( size_t i = 0; i < v->nr_marks; i++ )
            if ( v->marks[i].series == s )
                pen->rectangle(pen->state,
                               plot_x(v, v->marks[i].from) - size / 2,
                               plot_y(v, v->marks[i].value) - size / 2 -
                               series_offset(v, s), size, size,
                               v->series[s].colour);
}

/* --- rows ----------------------------------------------------------------- */

/* Histogram of a row: the share of each series in each pixel column. */
struct shares
{
    float share[PLOT_SERIES][PLOT_COLUMNS];
    float below[PLOT_COLUMNS];  /* sum of the series drawn so far */
};

/* Add a bar to its columns; merged bars count as spread evenly. */
static void add_bar_shares(const struct plot_view *v, const struct plot_mark *m,
                           struct shares *shares)
{
    double from = plot_x(v, m->from) - PLOT_LEFT;
    double to = plot_x(v, m->to) - PLOT_LEFT;
    double all = (double)m->to - (double)m->from;
    double share = all > 0 ? (double)m->covered / all : 0;

    assert(m->series < v->nr_series && from >= 0);
    for ( int c = (int)from; c < PLOT_COLUMNS && c < to; c++ )
    {
        double left = from > c ? from : c, right = to < c + 1 ? to : c + 1;

        shares->share[m->series][c] += (float)(share * (right - left));
    }
}

/* Rounded to half pixels, so that most columns equal the previous one. */
static double share_height(const struct plot_view *v, double share, double row)
{
    double part = share / v->per_row;

    debug_assert(v->per_row >= 1);
    return floor((part > 1 ? 1 : part) * row * 2 + 0.5) / 2;
}

/* Run-length encoded: adjacent columns of one height are one rectangle. */
static void draw_series(const struct plot_view *v, const struct plot_pen *pen,
                        struct shares *shares, unsigned int series,
                        double bottom, double row)
{
    double low = 0, high = 0;
    int start = 0;

    for ( int c = 0; c <= PLOT_COLUMNS; c++ )
    {
        double l = 0, h = 0;

        if ( c < PLOT_COLUMNS )
        {
            l = share_height(v, shares->below[c], row);
            shares->below[c] += shares->share[series][c];
            h = share_height(v, shares->below[c], row);
        }
        if ( l == low && h == high && c < PLOT_COLUMNS )
            continue;
        if ( high > low )
            pen->rectangle(pen->state, PLOT_LEFT + start, bottom - high,
                           c - start, high - low, v->series[series].colour);
        start = c;
        low = l;
        high = h;
    }
}

static double row_room(const struct plot_view *v)
{
    double height = plot_row_top(v, 1) - plot_row_top(v, 0);

    return height < 6 ? height : floor(height * 0.85);
}

/* The background and names; every 2nd, 4th ... name if there is no room. */
static void draw_row_frames(const struct plot_view *v,
                            const struct plot_pen *pen)
{
    double height = plot_row_top(v, 1) - plot_row_top(v, 0);
    unsigned int step = 1;

    for ( unsigned int i = 0; i < v->nr_rows; i++ )
        pen->rectangle(pen->state, PLOT_LEFT, plot_row_top(v, i),
                       PLOT_COLUMNS, row_room(v), GROUND);
    assert(height > 0);
    while ( step * height < 18 )
        step *= 2;
    for ( unsigned int i = 0; i < v->nr_rows; i += step )
        pen->text(pen->state, PLOT_LEFT - 10,
                  plot_row_top(v, i) + row_room(v) / 2 + 6, PLOT_END, INK,
                  v->rows[i].name);
}

int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen)
{
    struct shares *shares = fault_malloc(sizeof(*shares));
    size_t i = 0;

    assert(v->bars && v->nr_rows <= PLOT_MAX_ROWS);
    if ( !shares )
        return -ENOMEM;
    for ( unsigned int row = 0; row < v->nr_rows; row++ )
    {
        memset(shares, 0, sizeof(*shares));
        for ( ; i < v->nr_marks && v->marks[i].value == (int64_t)row; i++ )
            add_bar_shares(v, &v->marks[i], shares);
        for ( unsigned int s = 0; s < v->nr_series; s++ )
            draw_series(v, pen, shares, s, plot_row_top(v, row) + row_room(v),
                        row_room(v));
    }
    assert(i == v->nr_marks);
    free(shares);
    return 0;
}

int plot_draw(const struct plot_view *v, const struct plot_pen *pen)
{
    int rc = 0;

    assert(v->first < v->last && v->least <= v->most);
    if ( v->bars )
        draw_row_frames(v, pen);
    draw_times(v, pen);
    if ( !v->bars )
        draw_values(v, pen);
    draw_texts(v, pen);
    if ( v->bars )
        rc = plot_draw_rows(v, pen);
    else
        draw_dots(v, pen);
    return rc;
}
