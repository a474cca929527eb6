/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort values by table: plain fields of a series, or percentiles.
 */
#include "xenalyze/account/sort.h"

#include <assert.h>
#include <stdlib.h>

uint64_t sort_value(enum sort_key key, const struct stats *s)
{
    static const uint8_t percentiles[SORT_KEYS] = {
        [SORT_P50] = 50, [SORT_P95] = 95, [SORT_P99] = 99,
    };
    const uint64_t plain[SORT_KEYS] = {
        [SORT_TOTAL] = s->sum, [SORT_COUNT] = stats_events(s),
        [SORT_MEAN] = stats_mean(s), [SORT_MAX] = s->max,
    };

    assert(key < SORT_KEYS);
    if ( !percentiles[key] )
        return plain[key];
    return s->count ? stats_percentile(s, percentiles[key]) : 0;
}

static int compare_sort_rows(const void *a, const void *b)
{
    const struct sort_row *x = a, *y = b;

    if ( x->value != y->value )
        return x->value > y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

void sort_fit_screen(struct report_request *request, bool *was_cut)
{
    request->was_cut = was_cut;
    if ( request->fits_screen )
        request->top = SORT_SCREEN_ROWS;
}

size_t sort_limit(const struct report_request *request, size_t n)
{
    assert(!request->fits_screen || request->was_cut);
    if ( !request->top || n <= request->top )
        return n;
    if ( request->fits_screen )
        *request->was_cut = true;
    return request->top;
}

size_t sort_rows(const struct report_request *request, struct sort_row *rows,
                 size_t n)
{
    assert(request->sort < SORT_KEYS);
    assert(rows || !n || request->sort == SORT_NAME);
    if ( request->fits_screen && n <= request->top )
        return n;
    if ( n && request->sort != SORT_NAME )
        qsort(rows, n, sizeof(*rows), compare_sort_rows);
    return sort_limit(request, n);
}

/* Permute the array of rows; `before` is scratch memory. */
static void reorder_rows(struct stats_row **rows, const struct sort_row *order,
                         struct stats_row **before, size_t n)
{
    for ( size_t i = 0; i < n; i++ )
        before[i] = rows[i];
    for ( size_t i = 0; i < n; i++ )
    {
        assert(order[i].index < n);
        rows[i] = before[order[i].index];
    }
}

size_t sort_map(const struct report_request *request, struct stats_pool *pool,
                struct stats_row **rows, size_t n, bool counts)
{
    enum sort_key key = counts ? SORT_COUNT : request->sort;
    struct stats_row **before;
    struct sort_row *order;
    size_t shown;

    if ( !rows )
        return 0;
    if ( request->sort == SORT_NAME )
        return sort_rows(request, NULL, n);
    order = arena_array(&pool->arena, n, sizeof(*order), 8);
    before = arena_array(&pool->arena, n, sizeof(struct stats_row *), 8);
    if ( !order || !before )
    {
        pool->failed = true;
        return n;
    }
    for ( size_t i = 0; i < n; i++ )
        order[i] = (struct sort_row){ sort_value(key, &rows[i]->stats), i };
    shown = sort_rows(request, order, n);
    reorder_rows(rows, order, before, n);
    return shown;
}
