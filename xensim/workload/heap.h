/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is going to happen, by time.  An event lives in whoever it happens to
 * (a pcpu's time slice, a vcpu's timer), so putting one in never fails: room
 * for it was made when its owner was.
 *
 * Two events of one moment come in the order of their pcpus, and then in
 * which they were put in: the play of a seed is always the same.
 */
#ifndef XENSIM_HEAP_H
#define XENSIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_cpu;

struct event
{
    uint64_t at;        /* cycles of the true clock */
    uint64_t order;
    uint32_t cpu;       /* where it happens */
    uint32_t place;     /* in the heap, from 1 on; 0: it is in none */
    void (*happen)(struct sim_cpu *p, struct event *e);
};

struct heap
{
    struct event **slots; /* [0] is never used */
    uint32_t nr;
    uint32_t size;
    uint64_t order;
};

/* Room for n events more than before.  -ENOMEM. */
int heap_reserve(struct heap *h, uint32_t n);
void heap_fini(struct heap *h);

/* Put it in, or move it to another time. */
void heap_put(struct heap *h, struct event *e, uint64_t at);
/* Take it out, if it is in. */
void heap_drop(struct heap *h, struct event *e);

/* The next one; NULL: there is none. */
static inline struct event *heap_first(const struct heap *h)
{
    return h->nr ? h->slots[1] : NULL;
}

static inline bool event_is_due(const struct event *e)
{
    return e->place != 0;
}

#endif /* XENSIM_HEAP_H */
