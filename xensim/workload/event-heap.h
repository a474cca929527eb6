/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Future events in a heap, ordered by time. An event is embedded in its owner
 * (the time slice of a pcpu, the timer of a vcpu), and memory for its heap
 * slot is reserved with the owner, so queueing never fails.
 *
 * Events of the same time are ordered by pcpu, then by insertion: a seed
 * always gives the same run.
 */
#ifndef XENSIM_EVENT_HEAP_H
#define XENSIM_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_cpu;

struct event
{
    uint64_t at;        /* cycles of the true clock */
    uint64_t order;
    uint32_t cpu;       /* pcpu that runs the callback */
    uint32_t slot;      /* index in the heap, from 1 on; 0: not queued */
    void (*callback)(struct sim_cpu *p, struct event *e);
};

struct heap
{
    struct event **slots; /* slots[0] is unused */
    uint32_t nr;
    uint32_t size;
    uint64_t order;
};

/* Reserve memory for n more events. Return 0 or -ENOMEM. */
int heap_reserve(struct heap *h, uint32_t n);
void heap_fini(struct heap *h);

/* Queue an event, or move a queued event to another time. */
void heap_put(struct heap *h, struct event *e, uint64_t at);
/* Remove an event, if queued. */
void heap_drop(struct heap *h, struct event *e);

/* Move all events to the times that `move` returns. */
void heap_move(struct heap *h,
               uint64_t (*move)(const struct event *e, void *arg), void *arg);

/* The next event, or NULL. */
static inline struct event *heap_first(const struct heap *h)
{
    return h->nr ? h->slots[1] : NULL;
}

static inline bool event_is_queued(const struct event *e)
{
    return e->slot != 0;
}

#endif /* XENSIM_EVENT_HEAP_H */
