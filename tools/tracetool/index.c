/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table with at least as many chains as items.
 */
#include "tracetool/index.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <string.h>

static size_t *clear_heads(struct arena *a, size_t nr)
{
    size_t *array = arena_array(a, nr, sizeof(*array), alignof(size_t));

    if ( array )
        memset(array, 0xff, nr * sizeof(*array));
    return array;
}

int tt_index_init(struct tt_index *x, struct arena *a, size_t nr)
{
    size_t heads = 16;

    while ( heads < nr )
        heads *= 2;
    x->mask = heads - 1;
    assert(!(x->mask & heads) && nr <= heads);
    x->first = clear_heads(a, heads);
    x->last = clear_heads(a, heads);
    x->next = clear_heads(a, nr + 1);
    return x->first && x->last && x->next ? 0 : -ENOMEM;
}

/* The high bits of the product depend on all bits of the hash. */
static size_t get_head(const struct tt_index *x, uint64_t hash)
{
    return (hash * 0x9e3779b97f4a7c15u) >> 32 & x->mask;
}

void tt_index_add(struct tt_index *x, uint64_t hash, size_t item)
{
    size_t head = get_head(x, hash);

    assert(item != TT_NONE && x->next[item] == TT_NONE);
    if ( x->first[head] == TT_NONE )
        x->first[head] = item;
    else
    {
        assert(x->next[x->last[head]] == TT_NONE);
        x->next[x->last[head]] = item;
    }
    x->last[head] = item;
}

size_t tt_index_first(const struct tt_index *x, uint64_t hash)
{
    assert(x->first);
    return x->first[get_head(x, hash)];
}

/* Bit 5 set maps letters to lower case; other bytes may change, too. */
uint64_t tt_index_hash(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for ( ; *name; name++ )
        hash = (hash ^ ((unsigned char)*name | 0x20)) *
               0x100000001b3u;
    return hash;
}
