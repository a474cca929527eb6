/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of a series, in a table.
 */
#include "xenalyze/report/sort.h"

#include <assert.h>
#include <stdlib.h>

uint64_t sort_value(enum sort_key key, const struct stats *s)
{
    static const uint8_t places[SORT_KEYS] = {
        [SORT_P50] = 50, [SORT_P95] = 95, [SORT_P99] = 99,
    };
    const uint64_t plain[SORT_KEYS] = {
        [SORT_TOTAL] = s->sum, [SORT_COUNT] = stats_events(s),
        [SORT_MEAN] = stats_mean(s), [SORT_MAX] = s->max,
    };

    assert(key < SORT_KEYS);
    return places[key] ? stats_percentile(s, places[key]) : plain[key];
}

static int compare(const void *a, const void *b)
{
    const struct sort_row *x = a, *y = b;

    if ( x->value != y->value )
        return x->value > y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void sort_rows(struct sort_row *rows, size_t n)
{
    if ( n )
        qsort(rows, n, sizeof(*rows), compare);
}
