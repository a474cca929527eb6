/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two-dimensional array of counters: a row per interval of time, a column per
 * domain, frame, vector or category.  Periods are split at the borders of rows.
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
    size_t since;               /* row of the first appearance */
    bool seen;
};

/* An empty grid is all zero, except for `width`. */
struct grid
{
    uint64_t first;             /* time stamp of the start of row 0 */
    uint64_t width;             /* cycles per row */
    size_t nr_rows;             /* highest row with a value, plus 1 */
    struct grid_column *columns;
    size_t nr_columns;
    int rc;                     /* 0 or -ENOMEM */
    bool truncated;         /* rows or columns beyond the limits were dropped */
};

void grid_fini(struct grid *g);

/* Note the appearance of the column at `time`, maybe long before any value. */
void grid_mark_seen(struct grid *g, size_t column, uint64_t time);

/* Add the cycles from `from` to `to`, split at rows; or add n at `time`. */
void grid_add(struct grid *g, size_t column, uint64_t from, uint64_t to);
void grid_count(struct grid *g, size_t column, uint64_t time, uint64_t n);

/* Value of a cell; 0 if never written. */
uint64_t grid_cell(const struct grid *g, size_t column, size_t row);

#endif /* XENALYZE_ACCOUNT_GRID_H */
