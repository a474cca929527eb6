/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map from the keys of series and rows to dense numbers: a hash table with
 * open addressing.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"

#define MAX_KEYS (1u << 16)

void plot_keys_fini(struct plot_keys *k)
{
    free(k->keys);
    free(k->weights);
    free(k->table);
}

static uint32_t *find_key_slot(const struct plot_keys *k, uint64_t key)
{
    uint32_t mask = 2 * k->room - 1;
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) & mask;

    debug_assert(k->nr <= k->room && !(k->room & (k->room - 1)));
    while ( k->table[at] && k->keys[k->table[at] - 1] != key )
        at = (at + 1) & mask;
    return &k->table[at];
}

static bool keys_grow(struct plot_keys *k)
{
    uint32_t room = k->room ? 2 * k->room : 64;
    uint64_t *keys = fault_realloc(k->keys, room * sizeof(*keys));
    uint64_t *weights;
    uint32_t *table;

    k->keys = keys ? keys : k->keys;
    weights = keys ? fault_realloc(k->weights, room * sizeof(*weights)) : NULL;
    k->weights = weights ? weights : k->weights;
    table = weights ? fault_calloc(2 * room, sizeof(*table)) : NULL;
    if ( !table )
        return false;
    free(k->table);
    k->table = table;
    k->room = room;
    for ( uint32_t i = 0; i < k->nr; i++ )
        *find_key_slot(k, keys[i]) = i + 1;
    return true;
}

uint32_t plot_keys_add(struct plot_keys *k, uint64_t key, uint64_t weight)
{
    uint32_t *slot;

    debug_assert(!k->nr || k->last < k->nr);
    /* Most often the key is that of the previous call. */
    if ( k->nr && k->keys[k->last] == key )
        goto known;
    if ( k->nr == k->room && k->nr < MAX_KEYS && !keys_grow(k) )
    {
        k->failed = true;
        return 0;
    }
    assert(k->nr <= k->room && k->room);
    slot = find_key_slot(k, key);
    if ( *slot )
        k->last = *slot - 1;
    else if ( k->nr == MAX_KEYS )
        k->last = MAX_KEYS - 1;
    else
    {
        k->keys[k->nr] = key;
        k->weights[k->nr] = 0;
        k->last = k->nr++;
        *slot = k->nr;
    }
known:
    k->weights[k->last] += weight;
    return k->last;
}
