/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one state to the next: what ends is told, of a vcpu and then of its
 * domain, and what is known of them is the beginning of the next fact.
 *
 * What a domain does is what its vcpus do: a table over which of three kinds
 * there are among them.  What is lost does not count while anything is known.
 */
#include "xenalyze/machine/scene.h"

#include <string.h>

/* --- domains -------------------------------------------------------------- */

static const uint8_t states[8] = {
    DOMAIN_LOST,
    DOMAIN_FULL_RUN,                    /* 1: some run */
    DOMAIN_FULL_CONTENTION,             /* 2: some wait */
    DOMAIN_CONCURRENCY_HAZARD,
    DOMAIN_BLOCKED,                     /* 4: some sleep */
    DOMAIN_PARTIAL_RUN,
    DOMAIN_PARTIAL_CONTENTION,
    DOMAIN_CONCURRENCY_HAZARD,
};

static const uint8_t kinds[STATES] = {
    [STATE_RUNNING] = CENSUS_RUNNING, [STATE_RUNNABLE] = CENSUS_RUNNABLE,
    [STATE_BLOCKED] = CENSUS_BLOCKED, [STATE_OFFLINE] = CENSUS_BLOCKED,
    [STATE_LOST] = CENSUS_LOST, [STATE_QUEUED] = CENSUS_BLOCKED,
    [STATE_INIT] = CENSUS_BLOCKED,
};

/* It is about to change: tell what it was until now. */
static inline void until_now(struct scene *s, struct domain_state *d,
                             uint64_t time)
{
    if ( d->known )
    {
        d->is.to = time > d->is.from ? time : d->is.from;
        emit_domain(&s->emit, &d->is);
        time = d->is.to;
    }
    d->known = true;
    d->is.from = time;
}

static inline void count(struct fact_domain *is, unsigned int kind, int by)
{
    is->nr[kind] += by;
    is->state = states[(is->nr[CENSUS_RUNNING] > 0) |
                       (is->nr[CENSUS_RUNNABLE] > 0) << 1 |
                       (is->nr[CENSUS_BLOCKED] > 0) << 2];
}

static inline void domain_change(struct scene *s, struct domain_state *d,
                                 unsigned int old, unsigned int new,
                                 uint64_t time)
{
    until_now(s, d, time);
    d->is.nr[kinds[old]]--;
    count(&d->is, kinds[new], 1);
}

void domain_ripen(struct scene *s, const struct vcpu_state *v)
{
    struct domain_state *d = v->domain;

    until_now(s, d, v->is.from);
    count(&d->is, kinds[v->is.state], 1);
    d->is.ended += v->ended;
}

void domain_end(struct scene *s, struct world_domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    d->is.to = last;
    d->is.last = true;
    if ( d->known )
        emit_domain(&s->emit, &d->is);
    memset(d, 0, sizeof(*d));
}

/* --- vcpus ---------------------------------------------------------------- */

/* ... it becomes runnable from that state. */
static const uint8_t why_runnable[STATES] = {
    [STATE_RUNNING] = WHY_PREEMPT, [STATE_RUNNABLE] = WHY_OTHER,
    [STATE_BLOCKED] = WHY_WAKE, [STATE_OFFLINE] = WHY_WAKE,
    [STATE_LOST] = WHY_OTHER, [STATE_QUEUED] = WHY_OTHER,
    [STATE_INIT] = WHY_OTHER,
};

static inline void tell(struct scene *s, struct vcpu_state *v,
                        unsigned int next, unsigned int next_why,
                        uint64_t time, uint32_t pcpu)
{
    v->is.to = time;
    v->is.next = next;
    v->is.next_why = next_why;
    v->is.next_pcpu = pcpu;
    emit_runstate(&s->emit, &v->is);
}

void vcpu_tell(struct scene *s, struct vcpu_state *v, unsigned int next,
               uint64_t time, uint32_t pcpu)
{
    tell(s, v, next, WHY_NONE, time, pcpu);
}

/* It ran to the end of its pcpu's records, or is heard of again. */
static void note_end(struct vcpu_state *v)
{
    if ( !v->is.early )
        v->domain->is.ended += v->ending - v->ended;
    v->ended = v->ending;
    v->ending = false;
}

void vcpu_enter(struct scene *s, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu)
{
    unsigned int why = state == STATE_RUNNABLE ? why_runnable[v->is.state]
                                               : WHY_NONE;

    tell(s, v, state, why, time, pcpu);
    if ( !v->is.early )
        domain_change(s, v->domain, v->is.state, state, time);
    if ( v->ending || v->ended )
        note_end(v);
    v->is.state = state;
    v->is.why = why;
    v->is.from = time;
    vcpu_list(s, v);
}
