/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Local facts for ordered sinks: while the pcpus are read separately, the facts
 * that these sinks need are copied to the queues of changes, and delivered in
 * the order of time when the changes are applied.
 */
#ifndef XENALYZE_ENGINE_QUEUE_FACTS_H
#define XENALYZE_ENGINE_QUEUE_FACTS_H

#include "common/arena.h"
#include "xenalyze/machine/machine.h"

struct fact_queue;

/* Records of an event: an entry of a direct-mapped cache. */
struct event_choice
{
    uint32_t event;
    bool needs_all;
    fact_event_filter *filter;  /* NULL: no sink needs some of the records */
    void (*queue)(struct fact_queue *q, struct event_choice *c,
                  const struct fact_event *f);
};

/* Of one thread. */
struct fact_queue
{
    struct sink_ops ops;        /* the kinds that ordered sinks subscribe to */
    const struct sink *sinks;   /* all sinks; borrowed */
    size_t nr_sinks;
    uint64_t from;              /* begin of the selected span */
    uint64_t gap;               /* FACT_MOMENT_NS in cycles */
    uint32_t *ignored;          /* of struct emit; NULL: events have further
                                   targets */
    struct pcpu *pcpu;
    char *at, *end;             /* free bytes of scratch memory ... */
    unsigned int epoch;         /* ... of this epoch */
    bool wants_pcpus, wants_all_pv, wants_pv_sends;
    bool wants_irqs, wants_power;
    uint32_t exit_needs, handle_needs;  /* of all ordered sinks together; with
                                           all bits: of any that needs all */
    fact_event_filter *(*event_filter)(uint32_t event); /* of any sink */
    struct event_choice choices[1u << EMIT_EVENT_BITS];
};

/*
 * The sink that queues what the ordered ones among `sinks` need.  Borrows the
 * queue and the sinks.  `from`: begin of the selected span, or 0.
 */
struct sink fact_queue_sink(struct fact_queue *q, const struct sink *sinks,
                            size_t nr_sinks, uint64_t from);

/* The queue has become a target. */
void fact_queue_connect(struct fact_queue *q, const struct emit *emit);

/* A segment begins, with epoch 1.  `gap`: FACT_MOMENT_NS in cycles. */
static inline void fact_queue_reset(struct fact_queue *q, uint64_t gap)
{
    q->epoch = 0;
    q->gap = gap;
}

/*
 * The machine of this pcpu runs now.  Its scratch memory is the same for all
 * pcpus of an epoch.
 */
static inline void fact_queue_begin(struct fact_queue *q, struct pcpu *p,
                                    unsigned int epoch)
{
    q->pcpu = p;
    if ( q->epoch == epoch )
        return;
    q->epoch = epoch;
    q->at = q->end = NULL;
}

struct analysis;

/* A sink that emits at once the moments of the facts which it gets. */
struct sink fact_moment_sink(struct analysis *a);

#endif /* XENALYZE_ENGINE_QUEUE_FACTS_H */
