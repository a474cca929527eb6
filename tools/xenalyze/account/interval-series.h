/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an interval's files share: one makes it of facts, one prints it, one
 * walks over its cells.
 */
#ifndef XENALYZE_ACCOUNT_INTERVAL_SERIES_H
#define XENALYZE_ACCOUNT_INTERVAL_SERIES_H

#include "xenalyze/account/category.h"
#include "xenalyze/account/cr3-time.h"
#include "xenalyze/account/grid.h"
#include "xenalyze/account/interval.h"

#define INTERVAL_MAX_COLUMNS 4096u

struct interval
{
    enum interval_kind kind;
    uint64_t length;            /* nanoseconds */
    struct xt_clock clock;
    unsigned int segment;
    uint64_t last;              /* time stamp of the last record */

    uint64_t *ids;              /* of columns */
    size_t nr_ids, room;
    struct grid grid;
    struct cr3 cr3;
    enum category category;     /* of the exit that is being told */
    bool failed, crowded;
};

/* Every interval has a row, also one in which nothing happened. */
size_t interval_rows(const struct interval *i);

/* Of its row, what the trace covers. */
uint64_t interval_row_length(const struct interval *i, size_t row);

/* Columns as they are shown, and what they were put in order by. */
struct interval_order
{
    size_t nr;
    struct interval_place
    {
        uint64_t key;
        size_t column;
    } places[INTERVAL_MAX_COLUMNS];
};

/* All of them, by id; or those with something in this row, most first. */
void interval_by_id(const struct interval *i, struct interval_order *o);
void interval_by_time(const struct interval *i, size_t row,
                      struct interval_order *o);

#endif /* XENALYZE_ACCOUNT_INTERVAL_SERIES_H */
