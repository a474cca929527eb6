/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The drawing, for all back ends: title, axes, legend; then dots, or rows; then
 * tooltips.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <stdlib.h>

#include "common/utf8.h"

#define LINE 26                 /* height of a line of text in pixels */

/* --- axes and legend ------------------------------------------------------ */

static void draw_times(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = plot_time_ticks(v, ticks);

    for ( unsigned int i = 0; i < nr; i++ )
        pen->rectangle(pen->state, ticks[i].at, PLOT_TOP, 1,
                       v->bottom - PLOT_TOP, PAINT_GRID);
    for ( unsigned int i = 0; i < nr; i++ )
        pen->text(pen->state, ticks[i].at, v->bottom + 24, PLOT_MIDDLE,
                  ticks[i].text);
}

static void draw_values(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_tick ticks[PLOT_TICKS];
    unsigned int nr = plot_value_ticks(v, ticks);

    for ( unsigned int i = 0; i < nr; i++ )
        pen->rectangle(pen->state, PLOT_LEFT, ticks[i].at, PLOT_COLUMNS, 1,
                       PAINT_GRID);
    for ( unsigned int i = 0; i < nr; i++ )
        pen->text(pen->state, PLOT_LEFT - 10, ticks[i].at + 6, PLOT_END,
                  ticks[i].text);
}

static void draw_legend(const struct plot_view *v, const struct plot_pen *pen)
{
    for ( unsigned int i = 0; i < v->nr_lines; i++ )
    {
        const struct plot_line *line = &v->legend[i];
        bool heading = line->paint == PLOT_PAINTS;

        assert(line->paint <= PLOT_PAINTS);
        if ( !heading )
            pen->rectangle(pen->state, PLOT_RIGHT + 20, PLOT_TOP + 4 + LINE * i,
                           16, 16, line->paint);
        pen->text(pen->state, PLOT_RIGHT + (heading ? 20 : 46),
                  PLOT_TOP + 18 + LINE * i, PLOT_START, line->name);
    }
}

void plot_format_title(const struct plot_view *v, char title[PLOT_TITLE])
{
    snprintf(title, PLOT_TITLE, "%s: %s%s", v->name,
             v->heat ? "how busy each pcpu was" : v->about->title,
             v->selection ? v->selection : "");
    utf8_clean(title);
}

static void draw_texts(const struct plot_view *v, const struct plot_pen *pen)
{
    char title[PLOT_TITLE], axis[64];

    plot_format_title(v, title);
    snprintf(axis, sizeof(axis), "%s since the trace began",
             plot_time_unit(v));
    pen->text(pen->state, PLOT_WIDTH / 2.0, 26, PLOT_MIDDLE, title);
    pen->text(pen->state, 12, PLOT_TOP - 12, PLOT_START, v->about->label);
    pen->text(pen->state, (PLOT_LEFT + PLOT_RIGHT) / 2.0, v->bottom + 54,
              PLOT_MIDDLE, axis);
    draw_legend(v, pen);
}

/* --- dots ----------------------------------------------------------------- */

double plot_dot_y(const struct plot_view *v, const struct plot_mark *m)
{
    double unit;

    assert(!v->bars && m->series < v->nr_series);
    if ( v->about->unit != PLOT_PLACES )
        return plot_y(v, m->value);
    unit = plot_y(v, v->least) - plot_y(v, v->least + 1);
    return plot_y(v, m->value) -
           0.7 * unit * ((m->series + 0.5) / v->nr_series - 0.5);
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
                               plot_dot_y(v, &v->marks[i]) - size / 2, size,
                               size, PAINT_SERIES + s);
}

static int draw_marks(const struct plot_view *v, const struct plot_pen *pen)
{
    if ( v->bars )
        return v->heat ? plot_draw_heat(v, pen) : plot_draw_rows(v, pen);
    if ( v->cells )
        return plot_draw_cells(v, pen);
    draw_dots(v, pen);
    return 0;
}

int plot_draw(const struct plot_view *v, const struct plot_pen *pen)
{
    int rc;

    assert(v->first < v->last && v->least <= v->most);
    if ( v->bars )
        plot_draw_row_frames(v, pen);
    draw_times(v, pen);
    if ( !v->bars )
    {
        draw_values(v, pen);
        plot_draw_losses(v, pen);
    }
    draw_texts(v, pen);
    rc = draw_marks(v, pen);
    if ( !rc && pen->tip )
        rc = plot_draw_tips(v, pen);
    return rc;
}
