/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of bars, one for a pcpu or vcpu.  A row is a stacked histogram,
 * rasterised into an array of columns of a pixel or a few: in each column, the
 * height of a series is the share of the column's time.  So a row with short
 * bars looks like a graph of utilization, and a row with long bars like bars.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

/*
 * With more rectangles, columns get wider: to bound the bytes of the file, and
 * since colours that change with each pixel show nothing but noise.
 */
#define MAX_RECTANGLES 150000u
#define MAX_IN_PCPU 1500u       /* a row has the colours of many vcpus ... */
#define MAX_IN_VCPU 4000u       /* ... or of few runstates */
#define MAX_COLUMN 16           /* pixels */

_Static_assert(PLOT_COLUMNS % MAX_COLUMN == 0, "columns fill the row");

/* --- histogram ------------------------------------------------------------ */

/* Add a bar to its columns; merged bars count as spread evenly. */
static void add_bar_shares(const struct plot_view *v, const struct plot_mark *m,
                           struct plot_shares *shares)
{
    double from = (plot_x(v, m->from) - PLOT_LEFT) / v->column;
    double to = (plot_x(v, m->to) - PLOT_LEFT) / v->column;
    double all = (double)m->to - (double)m->from;
    double share = all > 0 ? (double)m->covered / all : 0;
    int columns = PLOT_COLUMNS / v->column;

    assert(m->series < v->nr_series && from >= 0);
    for ( int c = (int)from; c < columns && c < to; c++ )
    {
        double left = from > c ? from : c, right = to < c + 1 ? to : c + 1;

        shares->share[m->series][c] += (float)(share * (right - left));
    }
}

void plot_fill_shares(const struct plot_view *v, unsigned int row, size_t *at,
                      struct plot_shares *shares)
{
    assert(row < v->nr_rows);
    memset(shares, 0, sizeof(*shares));
    for ( ; *at < v->nr_marks && v->marks[*at].value == (int64_t)row; ++*at )
        add_bar_shares(v, &v->marks[*at], shares);
}

/* --- bars ----------------------------------------------------------------- */

/* A row that is being drawn. */
struct row
{
    const struct plot_pen *pen;
    struct plot_shares *shares;
    double bottom, room;
    uint32_t members;
};

/* Rounded to half pixels, so that most columns equal the previous one. */
static double share_height(const struct row *row, double share)
{
    double part = share / row->members;

    debug_assert(row->members >= 1);
    return floor((part > 1 ? 1 : part) * row->room * 2 + 0.5) / 2;
}

/* Run-length encoded: adjacent columns of one height are one rectangle. */
static void draw_series(const struct plot_view *v, struct row *row,
                        unsigned int series)
{
    struct plot_shares *shares = row->shares;
    int columns = PLOT_COLUMNS / v->column, start = 0;
    double low = 0, high = 0;

    for ( int c = 0; c <= columns; c++ )
    {
        double l = 0, h = 0;

        if ( c < columns )
        {
            l = share_height(row, shares->below[c]);
            shares->below[c] += shares->share[series][c];
            h = share_height(row, shares->below[c]);
        }
        if ( l == low && h == high && c < columns )
            continue;
        if ( high > low )
            row->pen->rectangle(row->pen->state, PLOT_LEFT + start * v->column,
                                row->bottom - high, (c - start) * v->column,
                                high - low, PAINT_SERIES + series);
        start = c;
        low = l;
        high = h;
    }
}

int plot_draw_rows(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_shares *shares = fault_malloc(sizeof(*shares));
    size_t i = 0;

    assert(v->bars && v->nr_rows <= PLOT_MAX_ROWS);
    if ( !shares )
        return -ENOMEM;
    for ( unsigned int r = 0; r < v->nr_rows; r++ )
    {
        double room = plot_row_room(v);
        struct row row = { pen, shares, plot_row_top(v, r) + room, room,
                           v->rows[r].members };

        plot_fill_shares(v, r, &i, shares);
        for ( unsigned int s = 0; s < v->nr_series; s++ )
            draw_series(v, &row, s);
    }
    assert(i == v->nr_marks);
    free(shares);
    return 0;
}

/* --- the width of columns ------------------------------------------------- */

static void count_rectangle(void *state, double x, double y, double w, double h,
                            unsigned int paint)
{
    size_t *nr = state;

    (void)x, (void)y, (void)w, (void)h, (void)paint;
    ++*nr;
}

int plot_choose_column(struct plot_view *v)
{
    size_t nr = 0, most = v->nr_rows * (size_t)(v->about->unit == PLOT_PCPUS
                                                ? MAX_IN_PCPU : MAX_IN_VCPU);
    const struct plot_pen pen = { .state = &nr, .rectangle = count_rectangle };

    assert(v->about->unit == PLOT_PCPUS || v->about->unit == PLOT_VCPUS ||
           !v->bars);
    v->column = 1;
    if ( v->heat )
        v->column = PLOT_CELL;
    if ( v->heat || !v->bars )
        return 0;
    if ( most > MAX_RECTANGLES )
        most = MAX_RECTANGLES;
    for ( ; ; v->column *= 2 )
    {
        nr = 0;
        if ( plot_draw_rows(v, &pen) )
            return -ENOMEM;
        if ( nr <= most || v->column == MAX_COLUMN )
            return 0;
    }
}

/* --- frames --------------------------------------------------------------- */

static double row_pitch(const struct plot_view *v)
{
    return plot_row_top(v, 1) - plot_row_top(v, 0);
}

double plot_row_room(const struct plot_view *v)
{
    double pitch = row_pitch(v);

    return pitch < 6 ? pitch : floor(pitch * 0.85);
}

static void put_row_name(const struct plot_pen *pen, double middle,
                         const char *name)
{
    pen->text(pen->state, PLOT_LEFT - 14, middle + 6, PLOT_END, name);
}

/* Every 2nd, 4th ... name if there is no room. */
static void draw_row_names(const struct plot_view *v,
                           const struct plot_pen *pen)
{
    unsigned int step = 1;

    assert(row_pitch(v) > 0);
    while ( step * row_pitch(v) < 18 )
        step *= 2;
    for ( unsigned int i = 0; i < v->nr_rows; i += step )
        put_row_name(pen, plot_row_top(v, i) + plot_row_room(v) / 2,
                     v->rows[i].name);
}

static unsigned int find_group_end(const struct plot_view *v, unsigned int at)
{
    assert(at < v->nr_rows);
    do
        at++;
    while ( at < v->nr_rows && !v->rows[at].starts_group );
    return at;
}

/* The colour of a strip left of the rows changes from domain to domain. */
static void draw_groups(const struct plot_view *v, const struct plot_pen *pen)
{
    double last = 0;
    unsigned int end, nr = 0;

    for ( unsigned int i = 0; i < v->nr_rows; i = end, nr++ )
    {
        double top = plot_row_top(v, i), bottom;
        uint64_t domain = v->rows[i].key >> 16;
        char name[PLOT_NAME];

        end = find_group_end(v, i);
        bottom = plot_row_top(v, end);
        pen->rectangle(pen->state, PLOT_LEFT - 8, top, 5, bottom - top,
                       nr % 2 ? PAINT_GRID : PAINT_INK);
        if ( nr && (top + bottom) / 2 < last + 18 )
            continue;
        last = (top + bottom) / 2;
        plot_name_series(name, PLOT_KEY(PLOT_OF_DOMAIN, domain), v->names);
        put_row_name(pen, last, name);
    }
}

void plot_draw_row_frames(const struct plot_view *v,
                          const struct plot_pen *pen)
{
    unsigned int ground = v->about->unit == PLOT_PCPUS ? PAINT_NO_DATA
                                                       : PAINT_GROUND;

    for ( unsigned int i = 0; i < v->nr_rows; i++ )
        pen->rectangle(pen->state, PLOT_LEFT, plot_row_top(v, i),
                       PLOT_COLUMNS, plot_row_room(v), ground);
    if ( v->grouped )
        draw_groups(v, pen);
    else
        draw_row_names(v, pen);
}
