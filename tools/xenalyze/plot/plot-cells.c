/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures of cells, which are an array of bytes, each the index of a paint: a
 * heat map of rows, with the share of time in which a pcpu is busy; and squares
 * for many dots, with the number of points, or the series with most.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define NOTHING PLOT_PAINTS     /* a cell that is not drawn */

/* Cells with the index of a paint each, row by row. */
struct cells
{
    unsigned char *paint;
    unsigned int rows, columns;
    double top;
    double width, height;       /* cell size */
    double room;                /* height of the drawn part of a cell */
};

_Static_assert(PLOT_PAINTS < 256, "a paint is a byte");

/* Adjacent cells of a row with one paint are one rectangle. */
static void draw_paint(const struct cells *c, unsigned int paint,
                       const struct plot_pen *pen)
{
    for ( unsigned int row = 0; row < c->rows; row++ )
    {
        const unsigned char *cell = c->paint + (size_t)row * c->columns;
        unsigned int end;

        for ( unsigned int i = 0; i < c->columns; i = end )
        {
            end = i + 1;
            while ( end < c->columns && cell[end] == cell[i] )
                end++;
            if ( cell[i] == paint )
                pen->rectangle(pen->state, PLOT_LEFT + i * c->width,
                               c->top + row * c->height, (end - i) * c->width,
                               c->room, paint);
        }
    }
}

static void draw_paints(const struct cells *c, const struct plot_pen *pen)
{
    for ( unsigned int paint = 0; paint < PLOT_PAINTS; paint++ )
        draw_paint(c, paint, pen);
}

/* --- heat map ------------------------------------------------------------- */

/* The time of a pcpu in a cell; the unit is the time of a whole cell. */
struct cell_time
{
    double busy, idle, lost;
};

static struct cell_time sum_cell(const struct plot_view *v,
                                 const struct plot_shares *shares,
                                 unsigned int column)
{
    struct cell_time t = { 0, 0, 0 };

    for ( unsigned int s = 0; s < v->nr_series; s++ )
    {
        unsigned int kind = v->series[s].key >> 48;
        double share = shares->share[s][column];

        if ( kind == PLOT_OF_IDLE )
            t.idle += share;
        else if ( kind == PLOT_OF_LOST )
            t.lost += share;
        else
            t.busy += share;
    }
    return t;
}

/* Known time decides if it is a quarter of the cell. */
static unsigned int heat_paint(const struct cell_time *t, unsigned int members)
{
    double known = t->busy + t->idle, share;

    if ( known < 0.25 * members )
        return t->lost > 0.25 * members ? PAINT_LOST : PAINT_NO_DATA;
    share = t->busy / known;
    if ( share < 0.005 )
        return PAINT_IDLE;
    return PAINT_SCALE + (share < 1 ? (unsigned int)(share * PLOT_STEPS)
                                    : PLOT_STEPS - 1);
}

static void fill_heat(const struct plot_view *v, struct plot_shares *shares,
                      struct cells *c)
{
    size_t at = 0;

    for ( unsigned int row = 0; row < c->rows; row++ )
    {
        plot_fill_shares(v, row, &at, shares);
        for ( unsigned int i = 0; i < c->columns; i++ )
        {
            struct cell_time t = sum_cell(v, shares, i);

            c->paint[row * c->columns + i] =
                (unsigned char)heat_paint(&t, v->rows[row].members);
        }
    }
}

int plot_draw_heat(const struct plot_view *v, const struct plot_pen *pen)
{
    struct plot_shares *shares = fault_malloc(sizeof(*shares));
    struct cells c = {
        .rows = v->nr_rows, .columns = PLOT_COLUMNS / v->column,
        .top = plot_row_top(v, 0), .width = v->column,
        .height = plot_row_top(v, 1) - plot_row_top(v, 0),
        .room = plot_row_room(v),
    };

    assert(v->heat && v->column);
    c.paint = fault_malloc((size_t)c.rows * c.columns + 1);
    if ( shares && c.paint )
    {
        fill_heat(v, shares, &c);
        draw_paints(&c, pen);
    }
    free(shares);
    free(c.paint);
    return shares && c.paint ? 0 : -ENOMEM;
}

/* --- many dots ------------------------------------------------------------ */

#define MANY_ADDRESSES 4000u    /* dots of exits form clouds early */
#define MANY_DOTS 40000u

#define CELL_COLUMNS (PLOT_COLUMNS / PLOT_CELL)
#define CELL_ROWS (PLOT_LINES / PLOT_CELL)
#define CELLS (CELL_COLUMNS * CELL_ROWS)

struct density
{
    uint64_t all[CELLS];        /* points by cell index */
    uint64_t most[CELLS];       /* points in the series with most */
    uint64_t series[CELLS];     /* points in the series being counted */
    unsigned char paint[CELLS];
};

static unsigned int find_cell(const struct plot_view *v,
                              const struct plot_mark *m)
{
    int x = (int)(plot_x(v, m->from) - PLOT_LEFT) / PLOT_CELL;
    int y = (int)(plot_dot_y(v, m) - PLOT_TOP) / PLOT_CELL;

    x = x < 0 ? 0 : x >= CELL_COLUMNS ? CELL_COLUMNS - 1 : x;
    y = y < 0 ? 0 : y >= CELL_ROWS ? CELL_ROWS - 1 : y;
    return (unsigned int)(y * CELL_COLUMNS + x);
}

static void count_series(const struct plot_view *v, struct density *d,
                         unsigned int series)
{
    memset(d->series, 0, sizeof(d->series));
    for ( size_t i = 0; i < v->nr_marks; i++ )
        if ( v->marks[i].series == series )
            d->series[find_cell(v, &v->marks[i])] +=
                (uint64_t)v->marks[i].covered;
    for ( unsigned int i = 0; i < CELLS; i++ )
    {
        d->all[i] += d->series[i];
        if ( d->series[i] <= d->most[i] )
            continue;
        d->most[i] = d->series[i];
        d->paint[i] = (unsigned char)(PAINT_SERIES + series);
    }
}

static struct density *count_points(const struct plot_view *v)
{
    struct density *d = fault_calloc(1, sizeof(*d));

    if ( !d )
        return NULL;
    memset(d->paint, NOTHING, sizeof(d->paint));
    for ( unsigned int s = 0; s < v->nr_series; s++ )
        count_series(v, d, s);
    return d;
}

static uint64_t find_most(const struct density *d)
{
    uint64_t most = 0;

    for ( unsigned int i = 0; i < CELLS; i++ )
        most = d->all[i] > most ? d->all[i] : most;
    return most;
}

/* Returns the number of digits of `count` in this base. */
static unsigned int count_steps(uint64_t count, uint64_t base)
{
    unsigned int n = 0;

    assert(base >= 2);
    for ( ; count; count /= base )
        n++;
    return n;
}

/* The smallest base such that all counts are within the table of steps. */
static void choose_steps(struct plot_view *v, uint64_t most)
{
    v->step_base = 2;
    while ( count_steps(most, v->step_base) > PLOT_STEPS )
        v->step_base++;
    v->nr_steps = count_steps(most, v->step_base);
}

unsigned int plot_step_paint(const struct plot_view *v, unsigned int step)
{
    assert(step < v->nr_steps && v->nr_steps <= PLOT_STEPS);
    return v->nr_steps > 1 ? PAINT_SCALE + step * (PLOT_STEPS - 1) /
                                           (v->nr_steps - 1)
                           : PAINT_SCALE + PLOT_STEPS / 2;
}

int plot_choose_cells(struct plot_view *v)
{
    bool addresses = v->about->unit == PLOT_ADDRESS;
    struct density *d;

    v->density = addresses && v->nr_marks > MANY_ADDRESSES;
    v->cells = v->density || (!v->bars && v->nr_marks > MANY_DOTS);
    if ( !v->density )
        return 0;
    d = count_points(v);
    if ( !d )
        return -ENOMEM;
    choose_steps(v, find_most(d));
    free(d);
    return 0;
}

static unsigned char density_paint(const struct plot_view *v, uint64_t count)
{
    unsigned int steps = count_steps(count, v->step_base);

    return (unsigned char)(steps ? plot_step_paint(v, steps - 1) : NOTHING);
}

int plot_draw_cells(const struct plot_view *v, const struct plot_pen *pen)
{
    struct density *d = count_points(v);
    struct cells c = {
        .rows = CELL_ROWS, .columns = CELL_COLUMNS, .top = PLOT_TOP,
        .width = PLOT_CELL, .height = PLOT_CELL, .room = PLOT_CELL,
    };

    assert(v->cells && !v->bars);
    if ( !d )
        return -ENOMEM;
    for ( unsigned int i = 0; v->density && i < CELLS; i++ )
        d->paint[i] = density_paint(v, d->all[i]);
    c.paint = d->paint;
    draw_paints(&c, pen);
    free(d);
    return 0;
}
