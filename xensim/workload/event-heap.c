/* SPDX-License-Identifier: GPL-2.0-only */
/* A binary heap; each element stores its own slot number. */
#include "xensim/workload/event-heap.h"

#include "common/debug.h"

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

static inline bool comes_before(const struct event *a, const struct event *b)
{
    if ( a->at != b->at )
        return a->at < b->at;
    return a->cpu != b->cpu ? a->cpu < b->cpu : a->order < b->order;
}

static inline void set_slot(struct heap *h, struct event *e, uint32_t slot)
{
    debug_assert(slot && slot <= h->nr);
    h->slots[slot] = e;
    e->slot = slot;
}

static void move_up(struct heap *h, struct event *e, uint32_t slot)
{
    for ( ; slot > 1 && comes_before(e, h->slots[slot / 2]); slot /= 2 )
        set_slot(h, h->slots[slot / 2], slot);
    set_slot(h, e, slot);
}

static void move_down(struct heap *h, struct event *e, uint32_t slot)
{
    for ( ; ; )
    {
        uint32_t child = 2 * slot;

        if ( child < h->nr && comes_before(h->slots[child + 1],
                                           h->slots[child]) )
            child++;
        if ( child > h->nr || !comes_before(h->slots[child], e) )
            break;
        set_slot(h, h->slots[child], slot);
        slot = child;
    }
    set_slot(h, e, slot);
}

static void restore_order(struct heap *h, struct event *e, uint32_t slot)
{
    if ( slot > 1 && comes_before(e, h->slots[slot / 2]) )
        move_up(h, e, slot);
    else
        move_down(h, e, slot);
}

void heap_put(struct heap *h, struct event *e, uint64_t at)
{
    assert(!e->slot || h->slots[e->slot] == e);
    assert(e->slot || h->nr + 1 < h->size);     /* heap_reserve() */
    e->at = at;
    e->order = ++h->order;
    restore_order(h, e, e->slot ?: ++h->nr);
}

void heap_drop(struct heap *h, struct event *e)
{
    uint32_t slot = e->slot;
    struct event *last;

    assert(!e->slot || h->slots[e->slot] == e);
    if ( !slot )
        return;
    e->slot = 0;
    last = h->slots[h->nr--];
    if ( last != e )
        restore_order(h, last, slot);
}

void heap_move(struct heap *h,
               uint64_t (*move)(const struct event *e, void *arg), void *arg)
{
    for ( uint32_t i = 1; i <= h->nr; i++ )
        h->slots[i]->at = move(h->slots[i], arg);
    for ( uint32_t i = h->nr / 2; i; i-- )
        move_down(h, h->slots[i], i);
    assert(!h->nr || h->slots[1]->slot == 1);
}
