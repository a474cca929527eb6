/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options --sort and --top: order and number of a table's rows.
 */
#ifndef XENALYZE_ACCOUNT_SORT_H
#define XENALYZE_ACCOUNT_SORT_H

#include "xenalyze/account/request.h"
#include "xenalyze/stats/stats.h"

enum sort_key
{
    SORT_NAME,                  /* default order of the table */
    SORT_TOTAL,
    SORT_COUNT,
    SORT_MEAN,
    SORT_P50,
    SORT_P95,
    SORT_P99,
    SORT_MAX,
    SORT_KEYS,
    SORT_AUTO = SORT_KEYS,      /* SORT_TOTAL if --top limits the rows */
};

/* Option values, in the order of the enum, for the table of options. */
#define SORT_WORDS "name", "total", "count", "mean", "p50", "p95", "p99", \
                   "max", "auto"

/* Sort value of a series, for descending order; 0 for SORT_NAME. */
uint64_t sort_value(enum sort_key key, const struct stats *s);

struct sort_row
{
    uint64_t value;
    size_t index;               /* index in the caller's array; breaks ties */
};

#define SORT_SCREEN_ROWS 20u    /* per table on a terminal, without --top */

/* Complete the request of the command line; `was_cut` is for sort_limit(). */
void sort_fit_screen(struct report_request *request, bool *was_cut);

/* Rows to print of `n` that stay in their order; notes a cut table. */
size_t sort_limit(const struct report_request *request, size_t n);

/*
 * Sort rows by value according to the request.  Input is in the table's default
 * order.  Returns the number of rows to print.
 */
size_t sort_rows(const struct report_request *request, struct sort_row *rows,
                 size_t n);

/*
 * Sort the rows of a map, an array from stats_map_by_...() or NULL.  With
 * `counts`, rows only have counts, without sums.
 */
size_t sort_map(const struct report_request *request, struct stats_pool *pool,
                struct stats_row **rows, size_t n, bool counts);

#endif /* XENALYZE_ACCOUNT_SORT_H */
