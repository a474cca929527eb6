/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is drawn, whoever draws it: title, axes, legend; then dots, or rows.
 *
 * A row is a pixel wide column beside the next.  In each, who was there is
 * stacked by its share of that time: so a row that is far away looks like a
 * graph of how busy it was, and one that is near like bars.
 */
#include "xenalyze/plot/plot-draw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define INK 0x222222
#define GRID 0xdddddd
#define GROUND 0xf4f4f4         /* of a row */
#define LINE 26                 /* pixels from text to text */

/* --- around it ------------------------------------------------------------ */

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

static void draw_words(const struct plot_view *v, const struct plot_pen *pen)
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

/* Places are few, and many may be at one: those stand beside each other. */
static double aside(const struct plot_view *v, unsigned int series)
{
    double unit = plot_y(v, v->least) - plot_y(v, v->least + 1);

    if ( v->about->unit != PLOT_PLACES )
        return 0;
    return 0.7 * unit * ((series + 0.5) / v->nr_series - 0.5);
}

static void draw_dots(const struct plot_view *v, const struct plot_pen *pen)
{
    double size = v->nr_marks < 1000 ? 5 : 3;

    for ( unsigned int s = 0; s < v->nr_series; s++ )
        for ( size_t i = 0; i < v->nr_marks; i++ )
            if ( v->marks[i].series == s )
                pen->rectangle(pen->state,
                               plot_x(v, v->marks[i].from) - size / 2,
                               plot_y(v, v->marks[i].value) - size / 2 -
                               aside(v, s), size, size, v->series[s].colour);
}

/* --- rows ----------------------------------------------------------------- */

struct shares
{
    float of[PLOT_SERIES][PLOT_COLUMNS];
    float below[PLOT_COLUMNS];  /* the sum of those that are drawn */
};

/* A bar's part of each column; what is merged is there evenly. */
static void add_bar(const struct plot_view *v, const struct plot_mark *m,
                    struct shares *shares)
{
    double from = plot_x(v, m->from) - PLOT_LEFT;
    double to = plot_x(v, m->to) - PLOT_LEFT;
    double all = (double)m->to - (double)m->from;
    double share = all > 0 ? (double)m->covered / all : 0;

    for ( int c = (int)from; c < PLOT_COLUMNS && c < to; c++ )
    {
        double left = from > c ? from : c, right = to < c + 1 ? to : c + 1;

        shares->of[m->series][c] += (float)(share * (right - left));
    }
}

/* Half pixels, so that most columns are like the one before. */
static double height_of(const struct plot_view *v, double share, double row)
{
    double part = share / v->per_row;

    return floor((part > 1 ? 1 : part) * row * 2 + 0.5) / 2;
}

/* Columns that have the same as the one before are one rectangle. */
static void draw_share(const struct plot_view *v, const struct plot_pen *pen,
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
            l = height_of(v, shares->below[c], row);
            shares->below[c] += shares->of[series][c];
            h = height_of(v, shares->below[c], row);
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

static double room_of(const struct plot_view *v)
{
    double height = plot_row_top(v, 1) - plot_row_top(v, 0);

    return height < 6 ? height : floor(height * 0.85);
}

/* Every row has its name, or every so many if there is no room. */
static void draw_rows(const struct plot_view *v, const struct plot_pen *pen)
{
    double height = plot_row_top(v, 1) - plot_row_top(v, 0);
    unsigned int step = 1;

    for ( unsigned int i = 0; i < v->nr_rows; i++ )
        pen->rectangle(pen->state, PLOT_LEFT, plot_row_top(v, i),
                       PLOT_COLUMNS, room_of(v), GROUND);
    while ( step * height < 18 )
        step *= 2;
    for ( unsigned int i = 0; i < v->nr_rows; i += step )
        pen->text(pen->state, PLOT_LEFT - 10,
                  plot_row_top(v, i) + room_of(v) / 2 + 6, PLOT_END, INK,
                  v->rows[i].name);
}

int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen)
{
    struct shares *shares = fault_malloc(sizeof(*shares));
    size_t i = 0;

    if ( !shares )
        return -ENOMEM;
    for ( unsigned int row = 0; row < v->nr_rows; row++ )
    {
        memset(shares, 0, sizeof(*shares));
        for ( ; i < v->nr_marks && v->marks[i].value == (int64_t)row; i++ )
            add_bar(v, &v->marks[i], shares);
        for ( unsigned int s = 0; s < v->nr_series; s++ )
            draw_share(v, pen, shares, s, plot_row_top(v, row) + room_of(v),
                       room_of(v));
    }
    free(shares);
    return 0;
}

int plot_draw(const struct plot_view *v, const struct plot_pen *pen)
{
    int rc = 0;

    if ( v->bars )
        draw_rows(v, pen);
    draw_times(v, pen);
    if ( !v->bars )
        draw_values(v, pen);
    draw_words(v, pen);
    if ( v->bars )
        rc = plot_draw_rows(v, pen);
    else
        draw_dots(v, pen);
    return rc;
}
