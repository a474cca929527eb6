/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A grid of numbers: a row for each interval of time, a column for each thing
 * that is looked at.  What lasts is split at the borders of intervals.
 */
#ifndef XENALYZE_ACCOUNT_GRID_H
#define XENALYZE_ACCOUNT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRID_MAX_ROWS (1u << 20)
#define GRID_MAX_CELLS (1u << 25)

struct grid_column
{
    uint64_t *cells;
    size_t room;
    size_t since;               /* the row in which it first appeared */
    bool seen;
};

/* All zero but width is an empty grid. */
struct grid
{
    uint64_t first;             /* the time stamp that row 0 begins at */
    uint64_t width;             /* cycles of a row */
    size_t nr_rows;             /* that something is in */
    struct grid_column *columns;
    size_t nr_columns;
    int rc;                     /* -ENOMEM */
    bool cut;                   /* there would have been too many rows */
};

void grid_fini(struct grid *g);

/* Column i appears at `time`, which may be long before anything is added. */
void grid_see(struct grid *g, size_t column, uint64_t time);

/* Cycles from..to, each to the row it is in; or a number at a time. */
void grid_add(struct grid *g, size_t column, uint64_t from, uint64_t to);
void grid_count(struct grid *g, size_t column, uint64_t time, uint64_t n);

/* 0 where nothing was added. */
uint64_t grid_cell(const struct grid *g, size_t column, size_t row);

#endif /* XENALYZE_ACCOUNT_GRID_H */
