/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A binary heap that its elements know their places in.
 */
#include "xensim/workload/heap.h"

#include <errno.h>
#include <stdlib.h>

int heap_reserve(struct heap *h, uint32_t n)
{
    uint32_t size = h->size + n + (h->size ? 0 : 1);
    struct event **slots = realloc(h->slots, size * sizeof(*slots));

    if ( !slots )
        return -ENOMEM;
    h->slots = slots;
    h->size = size;
    return 0;
}

void heap_fini(struct heap *h)
{
    free(h->slots);
    *h = (struct heap){ .nr = 0 };
}

static inline bool before(const struct event *a, const struct event *b)
{
    if ( a->at != b->at )
        return a->at < b->at;
    return a->cpu != b->cpu ? a->cpu < b->cpu : a->order < b->order;
}

static inline void settle(struct heap *h, struct event *e, uint32_t place)
{
    h->slots[place] = e;
    e->place = place;
}

static void rise(struct heap *h, struct event *e, uint32_t place)
{
    for ( ; place > 1 && before(e, h->slots[place / 2]); place /= 2 )
        settle(h, h->slots[place / 2], place);
    settle(h, e, place);
}

static void sink(struct heap *h, struct event *e, uint32_t place)
{
    for ( ; ; )
    {
        uint32_t child = 2 * place;

        if ( child < h->nr && before(h->slots[child + 1], h->slots[child]) )
            child++;
        if ( child > h->nr || !before(h->slots[child], e) )
            break;
        settle(h, h->slots[child], place);
        place = child;
    }
    settle(h, e, place);
}

static void place_well(struct heap *h, struct event *e, uint32_t place)
{
    if ( place > 1 && before(e, h->slots[place / 2]) )
        rise(h, e, place);
    else
        sink(h, e, place);
}

void heap_put(struct heap *h, struct event *e, uint64_t at)
{
    e->at = at;
    e->order = ++h->order;
    place_well(h, e, e->place ?: ++h->nr);
}

void heap_drop(struct heap *h, struct event *e)
{
    uint32_t place = e->place;
    struct event *last;

    if ( !place )
        return;
    e->place = 0;
    last = h->slots[h->nr--];
    if ( last != e )
        place_well(h, last, place);
}
