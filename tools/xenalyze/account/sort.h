/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --sort and --top: which rows of a table come first, and how many.
 */
#ifndef XENALYZE_ACCOUNT_SORT_H
#define XENALYZE_ACCOUNT_SORT_H

#include "xenalyze/account/request.h"
#include "xenalyze/stats/stats.h"

enum sort_key
{
    SORT_NAME,                  /* as the table would be by itself */
    SORT_TOTAL,
    SORT_COUNT,
    SORT_MEAN,
    SORT_P50,
    SORT_P95,
    SORT_P99,
    SORT_MAX,
    SORT_KEYS,
    SORT_AUTO = SORT_KEYS,      /* total if the number of rows is limited */
};

/* The words for them, for the table of options. */
#define SORT_WORDS "name", "total", "count", "mean", "p50", "p95", "p99", \
                   "max", "auto"

/* The greater, the further up; SORT_NAME: 0 for all. */
uint64_t sort_value(enum sort_key key, const struct stats *s);

struct sort_row
{
    uint64_t value;
    size_t index;               /* of the caller's; decides between equals */
};

/*
 * Rows in the order of their table, with their values.  Puts them in the order
 * that is asked for; how many of them are to be shown.
 */
size_t sort_rows(const struct report_request *request, struct sort_row *rows,
                 size_t n);

/*
 * The same for rows of a map, as stats_map_by_...() has them, or NULL;
 * `counts`: they have been counted, and nothing has been added up.
 */
size_t sort_map(const struct report_request *request, struct stats_pool *pool,
                struct stats_row **rows, size_t n, bool counts);

#endif /* XENALYZE_ACCOUNT_SORT_H */
