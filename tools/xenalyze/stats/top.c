/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The greatest rows, in a heap with the smallest of them at the top.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

int stats_top_init(struct stats_top *t, size_t size)
{
    t->size = size;
    t->used = 0;
    t->rows = size ? fault_calloc(size, sizeof(*t->rows)) : NULL;
    return size && !t->rows ? -ENOMEM : 0;
}

void stats_top_fini(struct stats_top *t)
{
    free(t->rows);
    *t = (struct stats_top){ 0 };
}

/* Greatest key first; then earliest; then smallest tag. */
static int compare_rows(const void *a, const void *b)
{
    const struct stats_top_row *x = a, *y = b;

    if ( x->key != y->key )
        return x->key > y->key ? -1 : 1;
    if ( x->at != y->at )
        return x->at < y->at ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static void swap_rows(struct stats_top_row *a, struct stats_top_row *b)
{
    struct stats_top_row c = *a;

    *a = *b;
    *b = c;
}

static void sift_up(struct stats_top *t, size_t i)
{
    while ( i && compare_rows(&t->rows[i], &t->rows[(i - 1) / 2]) > 0 )
    {
        swap_rows(&t->rows[i], &t->rows[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void sift_down(struct stats_top *t)
{
    size_t i = 0, child;

    while ( (child = 2 * i + 1) < t->used )
    {
        if ( child + 1 < t->used &&
             compare_rows(&t->rows[child + 1], &t->rows[child]) > 0 )
            child++;
        if ( compare_rows(&t->rows[child], &t->rows[i]) <= 0 )
            return;
        swap_rows(&t->rows[i], &t->rows[child]);
        i = child;
    }
}

/* No row is smaller than the row above it. */
static bool is_heap(const struct stats_top *t)
{
    for ( size_t i = 1; i < t->used; i++ )
        if ( compare_rows(&t->rows[i], &t->rows[(i - 1) / 2]) > 0 )
            return false;
    return true;
}

void stats_top_keep(struct stats_top *t, const struct stats_top_row *row)
{
    assert(t->size && t->used <= t->size);
    debug_assert(is_heap(t));
    if ( t->used < t->size )
    {
        t->rows[t->used] = *row;
        sift_up(t, t->used++);
        return;
    }
    if ( compare_rows(row, &t->rows[0]) >= 0 )
        return;
    t->rows[0] = *row;
    sift_down(t);
}

void stats_top_merge(struct stats_top *t, const struct stats_top *from)
{
    assert(t != from && t->size == from->size);
    for ( size_t i = 0; i < from->used; i++ )
        stats_top_add(t, &from->rows[i]);
}

void stats_top_sort(struct stats_top *t)
{
    if ( t->used )
        qsort(t->rows, t->used, sizeof(*t->rows), compare_rows);
}
