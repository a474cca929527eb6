/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns grow as rows come.  Facts come when they end, so any row may still
 * get something until the last fact has come: so all are kept, and how many
 * there may be is bounded.
 */
#include "xenalyze/account/grid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

void grid_fini(struct grid *g)
{
    for ( size_t i = 0; i < g->nr_columns; i++ )
        free(g->columns[i].cells);
    free(g->columns);
    *g = (struct grid){ 0 };
}

static bool no_memory(struct grid *g)
{
    g->rc = -ENOMEM;
    return false;
}

static bool too_many(struct grid *g)
{
    g->cut = true;
    return false;
}

static bool reach_column(struct grid *g, size_t i)
{
    struct grid_column *larger;

    if ( i < g->nr_columns )
        return true;
    if ( (i + 1) > GRID_MAX_CELLS / (g->nr_rows + 1) )
        return too_many(g);
    larger = fault_realloc(g->columns, (i + 1) * sizeof(*larger));
    if ( !larger )
        return no_memory(g);
    memset(larger + g->nr_columns, 0,
           (i + 1 - g->nr_columns) * sizeof(*larger));
    g->columns = larger;
    g->nr_columns = i + 1;
    return true;
}

static bool reach_row(struct grid *g, struct grid_column *c, size_t row)
{
    size_t room = c->room ? c->room : 64;
    uint64_t *larger;

    if ( row < c->room )
        return true;
    if ( row >= GRID_MAX_ROWS || row > GRID_MAX_CELLS / g->nr_columns )
        return too_many(g);
    while ( room <= row )
        room *= 2;
    larger = fault_realloc(c->cells, room * sizeof(*larger));
    if ( !larger )
        return no_memory(g);
    memset(larger + c->room, 0, (room - c->room) * sizeof(*larger));
    c->cells = larger;
    c->room = room;
    return true;
}

/* What happened before the first row counts for the first row. */
static uint64_t row_of(const struct grid *g, uint64_t time)
{
    return time > g->first ? (time - g->first) / g->width : 0;
}

void grid_see(struct grid *g, size_t column, uint64_t time)
{
    uint64_t row = row_of(g, time);

    if ( g->rc || !reach_column(g, column) )
        return;
    if ( !g->columns[column].seen || row < g->columns[column].since )
        g->columns[column].since = row;
    g->columns[column].seen = true;
}

void grid_count(struct grid *g, size_t column, uint64_t time, uint64_t n)
{
    uint64_t row = row_of(g, time);

    grid_see(g, column, time);
    if ( g->rc || !reach_row(g, &g->columns[column], row) )
        return;
    g->columns[column].cells[row] += n;
    if ( row >= g->nr_rows )
        g->nr_rows = row + 1;
}

void grid_add(struct grid *g, size_t column, uint64_t from, uint64_t to)
{
    uint64_t end;

    grid_see(g, column, from);
    if ( from < g->first )
        from = g->first;
    while ( !g->rc && from < to )
    {
        if ( row_of(g, from) >= GRID_MAX_ROWS )
        {
            g->cut = true;
            return;
        }
        end = g->first + (row_of(g, from) + 1) * g->width;
        if ( end > to || end <= from )
            end = to;
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
