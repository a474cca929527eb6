/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series by key: a hash table of rows in the pool's memory.  Outgrown tables
 * are not freed; all of them together are smaller than the current table.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"

#define FIRST_SIZE 8u

static size_t find_map_slot(const struct stats_map *m, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15ull) >> 32;

    debug_assert(m->used < m->size);    /* so a free slot ends the search */
    for ( ; ; i++ )
    {
        i &= m->size - 1;
        if ( !m->slots[i].row || m->slots[i].key == key )
            return i;
    }
}

/* Keep a quarter of the slots free, so that probing ends soon. */
static bool grow_map(struct stats_map *m, struct stats_pool *pool)
{
    struct stats_map larger = *m;

    if ( m->used + m->used / 3 < m->size )
        return true;
    larger.size = m->size ? 2 * m->size : FIRST_SIZE;
    larger.slots = arena_array(&pool->arena, larger.size,
                               sizeof(*larger.slots), 8);
    if ( !larger.slots )
        return false;
    for ( size_t i = 0; i < m->size; i++ )
        if ( m->slots[i].row )
            larger.slots[find_map_slot(&larger, m->slots[i].key)] = m->slots[i];
    assert(!(larger.size & (larger.size - 1)));
    *m = larger;
    return true;
}

struct stats *stats_map_get_others(struct stats_map *m,
                                   struct stats_pool *pool)
{
    if ( !m->others )
    {
        m->others = arena_new(&pool->arena, struct stats);
        if ( m->others )
            m->others->weighted = m->weighted;
        pool->failed |= !m->others;
    }
    return m->others;
}

COLD
static struct stats *insert_row(struct stats_map *m, struct stats_pool *pool,
                                uint64_t key)
{
    struct stats_row *row;

    if ( m->used == STATS_MAP_MAX )
        return stats_map_get_others(m, pool);
    row = grow_map(m, pool) ? arena_new(&pool->arena, struct stats_row) : NULL;
    if ( !row )
    {
        pool->failed = true;
        return NULL;
    }
    row->key = key;
    row->stats.weighted = m->weighted;
    m->slots[find_map_slot(m, key)] = (struct stats_slot){ key, row };
    assert(m->used < m->size);
    m->used++;
    m->last = row;
    return &row->stats;
}

struct stats *stats_map_get(struct stats_map *m, struct stats_pool *pool,
                            uint64_t key)
{
    struct stats_row *row = m->last;

    if ( row && row->key == key )
        return &row->stats;
    row = m->size ? m->slots[find_map_slot(m, key)].row : NULL;
    if ( !row )
        return insert_row(m, pool, key);
    m->last = row;
    return &row->stats;
}

const struct stats *stats_map_find(const struct stats_map *m, uint64_t key)
{
    const struct stats_row *row = m->size ? m->slots[find_map_slot(m, key)].row
                                          : NULL;

    return row ? &row->stats : NULL;
}

void stats_map_add_slow(struct stats_map *m, struct stats_pool *pool,
                        uint64_t key, uint64_t value, uint64_t at)
{
    struct stats *s = stats_map_get(m, pool, key);

    if ( s )
        stats_add(s, pool, value, at);
}

void stats_map_sum(struct stats *to, struct stats_pool *pool,
                   const struct stats_map *from)
{
    for ( size_t i = 0; i < from->size; i++ )
        if ( from->slots[i].row )
            stats_merge(to, pool, &from->slots[i].row->stats);
    if ( from->others )
        stats_merge(to, pool, from->others);
}

void stats_map_merge(struct stats_map *m, struct stats_pool *pool,
                     const struct stats_map *from)
{
    struct stats *to;

    assert(m != from);
    if ( from->used )
        m->weighted = from->weighted;
    to = from->others ? stats_map_get_others(m, pool) : NULL;
    if ( to )
        stats_merge(to, pool, from->others);
    for ( size_t i = 0; i < from->size; i++ )
    {
        if ( !from->slots[i].row )
            continue;
        to = stats_map_get(m, pool, from->slots[i].key);
        if ( to )
            stats_merge(to, pool, &from->slots[i].row->stats);
    }
}

static int compare_keys(const void *a, const void *b)
{
    const struct stats_row *x = *(struct stats_row *const *)a;
    const struct stats_row *y = *(struct stats_row *const *)b;

    return (x->key > y->key) - (x->key < y->key);
}

static int compare_sums(const void *a, const void *b)
{
    const struct stats_row *x = *(struct stats_row *const *)a;
    const struct stats_row *y = *(struct stats_row *const *)b;

    if ( x->stats.sum != y->stats.sum )
        return x->stats.sum > y->stats.sum ? -1 : 1;
    if ( stats_events(&x->stats) != stats_events(&y->stats) )
        return stats_events(&x->stats) > stats_events(&y->stats) ? -1 : 1;
    return compare_keys(a, b);
}

static struct stats_row **sort_rows(const struct stats_map *m,
                                    struct stats_pool *pool,
                                    int (*compare)(const void *, const void *))
{
    struct stats_row **rows;
    size_t n = 0;

    if ( !m->used )
        return NULL;
    rows = arena_array(&pool->arena, m->used, sizeof(*rows), 8);
    if ( !rows )
    {
        pool->failed = true;
        return NULL;
    }
    for ( size_t i = 0; i < m->size; i++ )
        if ( m->slots[i].row )
            rows[n++] = m->slots[i].row;
    assert(n == m->used);
    qsort(rows, n, sizeof(*rows), compare);
    return rows;
}

struct stats_row **stats_map_by_key(const struct stats_map *m,
                                    struct stats_pool *pool)
{
    return sort_rows(m, pool, compare_keys);
}

struct stats_row **stats_map_by_sum(const struct stats_map *m,
                                    struct stats_pool *pool)
{
    return sort_rows(m, pool, compare_sums);
}
