/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary heap.  Most texts are short, and a text is allocated for itself.
 */
#include "xenalyze/programs/event-order.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

static bool is_before(const struct ordered_event *a,
                      const struct ordered_event *b)
{
    return a->event.time != b->event.time ? a->event.time < b->event.time
                                          : a->number < b->number;
}

void event_order_reset(struct event_order *o)
{
    struct ordered_event *heap = o->heap;

    for ( size_t i = 0; i < o->nr; i++ )
        free(heap[i].text);
    free(o->last.text);
    *o = (struct event_order){ .heap = heap };
}

void event_order_fini(struct event_order *o)
{
    event_order_reset(o);
    free(o->heap);
    o->heap = NULL;
}

/* --- the heap ------------------------------------------------------------- */

static void move_up(struct event_order *o, struct ordered_event *added)
{
    size_t at = o->nr++;

    for ( ; at; at = (at - 1) / 2 )
    {
        if ( !is_before(added, &o->heap[(at - 1) / 2]) )
            break;
        o->heap[at] = o->heap[(at - 1) / 2];
    }
    o->heap[at] = *added;
}

/* Fill the place of the first event with the last one. */
static void move_down(struct event_order *o)
{
    struct ordered_event last = o->heap[--o->nr];
    size_t at = 0, below;

    while ( (below = 2 * at + 1) < o->nr )
    {
        if ( below + 1 < o->nr &&
             is_before(&o->heap[below + 1], &o->heap[below]) )
            below++;
        if ( !is_before(&o->heap[below], &last) )
            break;
        o->heap[at] = o->heap[below];
        at = below;
    }
    o->heap[at] = last;
}

int event_order_add(struct event_order *o, const struct program_event *event)
{
    struct ordered_event added = { .event = *event, .number = o->number };

    assert(!event_order_is_full(o) && event->text);
    if ( !o->heap )
        o->heap = fault_calloc(EVENT_ORDER_MAX, sizeof(*o->heap));
    if ( *event->text )
        added.text = fault_strdup(event->text);
    if ( !o->heap || (*event->text && !added.text) )
    {
        free(added.text);
        return -ENOMEM;
    }
    added.event.text = added.text ? added.text : "";
    o->bytes += strlen(added.event.text);
    o->number++;
    move_up(o, &added);
    return 0;
}

const struct program_event *event_order_next(struct event_order *o)
{
    uint64_t before = o->last.event.time;

    free(o->last.text);
    o->last.text = NULL;
    if ( !o->nr )
        return NULL;
    o->last = *o->heap;
    move_down(o);
    debug_assert(o->bytes >= strlen(o->last.event.text));
    o->bytes -= strlen(o->last.event.text);
    if ( o->last.event.time < before )
    {
        o->last.event.time = before;
        o->late++;
    }
    return &o->last.event;
}
