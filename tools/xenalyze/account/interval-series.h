/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private struct interval, shared by interval.c (facts to numbers), the printer
 * in text/, and interval-cells.c (iteration).
 */
#ifndef XENALYZE_ACCOUNT_INTERVAL_SERIES_H
#define XENALYZE_ACCOUNT_INTERVAL_SERIES_H

#include "xenalyze/account/category.h"
#include "xenalyze/account/cr3-time.h"
#include "xenalyze/account/grid.h"
#include "xenalyze/account/interval.h"

struct interval
{
    enum interval_kind kind;
    uint64_t length;            /* nanoseconds */
    struct xt_clock clock;
    unsigned int segment;
    uint64_t last;              /* time stamp of the last record */

    uint64_t *ids;              /* array: id of each column */
    size_t nr_ids, room;
    struct grid grid;
    struct grid lost;           /* one column: lost time of the pcpus */
    struct cr3 cr3;
    enum category category;     /* main handler of the current exit */
    bool failed, too_many_ids;

    /* The selected pcpus; NULL: all. */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    const void *filter;
};

/* Number of rows from the first to the last record, empty rows included. */
size_t interval_count_rows(const struct interval *i);

/* Cycles of the row that the trace covers. */
uint64_t interval_row_length(const struct interval *i, size_t row);

/* Cycles of the row without records, sum of the pcpus. */
uint64_t interval_lost(const struct interval *i, size_t row);

/* The start of a row, counted from the start of the trace. */
int64_t interval_row_ns(const struct interval *i, size_t row);

/* Columns in the order of output, with their sort keys. */
struct interval_order
{
    size_t nr;
    struct interval_entry
    {
        uint64_t key;
        size_t column;
    } entries[INTERVAL_MAX_COLUMNS];
};

/*
 * Sort all columns by id; or the columns with a value in the row, largest
 * first.
 */
void interval_by_id(const struct interval *i, struct interval_order *o);
void interval_by_time(const struct interval *i, size_t row,
                      struct interval_order *o);

#endif /* XENALYZE_ACCOUNT_INTERVAL_SERIES_H */
