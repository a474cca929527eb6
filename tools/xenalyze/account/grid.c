/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and their arrays of cells grow on demand.  A fact arrives when its
 * period ends, so any row can change until the last fact; all rows stay in
 * memory, and limits bound the number of rows and cells.
 */
#include "xenalyze/account/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

void grid_fini(struct grid *g)
{
    for ( size_t i = 0; i < g->nr_columns; i++ )
        free(g->columns[i].cells);
    free(g->columns);
    *g = (struct grid){ 0 };
}

static bool fail_memory(struct grid *g)
{
    g->rc = -ENOMEM;
    return false;
}

static bool mark_truncated(struct grid *g)
{
    g->truncated = true;
    return false;
}

static bool grow_to_column(struct grid *g, size_t i)
{
    struct grid_column *larger;

    if ( i < g->nr_columns )
        return true;
    if ( (i + 1) > GRID_MAX_CELLS / (g->nr_rows + 1) )
        return mark_truncated(g);
    larger = fault_realloc(g->columns, (i + 1) * sizeof(*larger));
    if ( !larger )
        return fail_memory(g);
    memset(larger + g->nr_columns, 0,
           (i + 1 - g->nr_columns) * sizeof(*larger));
    g->columns = larger;
    g->nr_columns = i + 1;
    return true;
}

static bool grow_to_row(struct grid *g, struct grid_column *c, size_t row)
{
    size_t room = c->room ? c->room : 64;
    uint64_t *larger;

    debug_assert(c >= g->columns && c < g->columns + g->nr_columns);
    if ( row < c->room )
        return true;
    if ( row >= GRID_MAX_ROWS || row > GRID_MAX_CELLS / g->nr_columns )
        return mark_truncated(g);
    while ( room <= row )
        room *= 2;
    larger = fault_realloc(c->cells, room * sizeof(*larger));
    if ( !larger )
        return fail_memory(g);
    memset(larger + c->room, 0, (room - c->room) * sizeof(*larger));
    c->cells = larger;
    c->room = room;
    return true;
}

/* Times before row 0 count for row 0. */
static uint64_t time_to_row(const struct grid *g, uint64_t time)
{
    debug_assert(g->width);
    return time > g->first ? (time - g->first) / g->width : 0;
}

void grid_mark_seen(struct grid *g, size_t column, uint64_t time)
{
    uint64_t row = time_to_row(g, time);

    if ( g->rc || !grow_to_column(g, column) )
        return;
    if ( !g->columns[column].seen || row < g->columns[column].since )
        g->columns[column].since = row;
    g->columns[column].seen = true;
}

void grid_count(struct grid *g, size_t column, uint64_t time, uint64_t n)
{
    uint64_t row = time_to_row(g, time);

    grid_mark_seen(g, column, time);
    if ( g->rc || column >= g->nr_columns ||
         !grow_to_row(g, &g->columns[column], row) )
        return;
    g->columns[column].cells[row] += n;
    debug_assert(row < g->columns[column].room);
    if ( row >= g->nr_rows )
        g->nr_rows = row + 1;
    debug_assert(g->nr_rows <= GRID_MAX_ROWS);
}

void grid_add(struct grid *g, size_t column, uint64_t from, uint64_t to)
{
    uint64_t end;

    grid_mark_seen(g, column, from);
    if ( from < g->first )
        from = g->first;
    while ( !g->rc && column < g->nr_columns && from < to )
    {
        if ( time_to_row(g, from) >= GRID_MAX_ROWS )
        {
            g->truncated = true;
            return;
        }
        end = g->first + (time_to_row(g, from) + 1) * g->width;
        if ( end > to || end <= from )
            end = to;
        debug_assert(from < end);
        grid_count(g, column, from, end - from);
        from = end;
    }
}

uint64_t grid_cell(const struct grid *g, size_t column, size_t row)
{
    const struct grid_column *c;

    if ( column >= g->nr_columns )
        return 0;
    c = &g->columns[column];
    return row < c->room ? c->cells[row] : 0;
}
