/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events in the order of time.  A program writes its events in the order of
 * time within each pass over the buffers of its threads only, so a bounded
 * number of events waits here, in a heap.
 */
#ifndef XENALYZE_PROGRAMS_EVENT_ORDER_H
#define XENALYZE_PROGRAMS_EVENT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xenalyze/programs/programs.h"

#define EVENT_ORDER_MAX 65536u          /* events that wait */
#define EVENT_ORDER_BYTES (64u << 20)   /* and bytes of their texts */

struct ordered_event
{
    struct program_event event;
    uint64_t number;            /* order of arrival, for equal times */
    char *text;                 /* owned; NULL: none */
};

/* All bytes 0: empty. */
struct event_order
{
    struct ordered_event *heap; /* the earliest is first */
    size_t nr;
    size_t bytes;
    uint64_t number;
    struct ordered_event last;  /* returned last; its text is kept */
    uint64_t late;              /* events later than EVENT_ORDER_MAX others */
};

void event_order_reset(struct event_order *o);
void event_order_fini(struct event_order *o);

static inline bool event_order_is_full(const struct event_order *o)
{
    return o->nr >= EVENT_ORDER_MAX || o->bytes >= EVENT_ORDER_BYTES;
}

/* Add an event, if the order is not full; copies the text.  0 or -ENOMEM. */
int event_order_add(struct event_order *o, const struct program_event *event);

/*
 * Remove the earliest event; NULL: there is none.  The time of a late event is
 * that of the event before.  Valid until the next call.
 */
const struct program_event *event_order_next(struct event_order *o);

#endif /* XENALYZE_PROGRAMS_EVENT_ORDER_H */
