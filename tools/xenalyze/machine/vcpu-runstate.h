/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one state to the next, which is what nearly each change comes to: what
 * ends is told, of a vcpu and then of its domain, and what is known of them is
 * the beginning of the next fact.  All in line, for those few changes that are
 * nearly all; others call vcpu_enter().
 *
 * What a domain does is what its vcpus do: a table over which of three kinds
 * there are among them.  What is lost does not count while anything is known.
 */
#ifndef XENALYZE_MACHINE_VCPU_RUNSTATE_H
#define XENALYZE_MACHINE_VCPU_RUNSTATE_H

#include "xenalyze/machine/global.h"

/* --- domains -------------------------------------------------------------- */

static const uint8_t domain_states[8] = {
    DOMAIN_LOST,
    DOMAIN_FULL_RUN,                    /* 1: some run */
    DOMAIN_FULL_CONTENTION,             /* 2: some wait */
    DOMAIN_CONCURRENCY_HAZARD,
    DOMAIN_BLOCKED,                     /* 4: some sleep */
    DOMAIN_PARTIAL_RUN,
    DOMAIN_PARTIAL_CONTENTION,
    DOMAIN_CONCURRENCY_HAZARD,
};

/* What a vcpu adds to the census. */
static const uint64_t census[STATES] = {
    [STATE_RUNNING] = FACT_CENSUS(CENSUS_RUNNING),
    [STATE_RUNNABLE] = FACT_CENSUS(CENSUS_RUNNABLE),
    [STATE_BLOCKED] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_OFFLINE] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_QUEUED] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_INIT] = FACT_CENSUS(CENSUS_BLOCKED),
};

/*
 * Of which kinds there are vcpus, a bit each.  Every change of a vcpu asks, so
 * without a branch: a count that is not 0 carries into the bit that it has to
 * spare, and a product brings these bits together at the top.
 */
static inline unsigned int census_kinds(uint64_t counts)
{
    const uint64_t ones = FACT_CENSUS(0) | FACT_CENSUS(1) | FACT_CENSUS(2);
    const uint64_t spare = ones << (FACT_CENSUS_BITS - 1);
    const uint64_t together = UINT64_C(1) << 41 | 1 << 21 | 1 << 1;

    _Static_assert(CENSUS_KINDS == 3 && FACT_CENSUS_BITS == 21,
                   "bits 20, 41, 62 become 61, 62, 63");
    return ((counts + spare - ones) & spare) * together >> 61;
}

/* It is about to change: tell what it was until now. */
static inline void domain_until_now(struct scene *s, struct domain_state *d,
                                    uint64_t time)
{
    if ( d->known )
    {
        d->is.to = time > d->is.from ? time : d->is.from;
        emit_domain(&s->emit, &d->is);
        time = d->is.to;
    }
    else
        d->is.since = time;
    d->known = true;
    d->is.from = time;
}

static inline void domain_count(struct fact_domain *is, uint64_t more)
{
    is->census += more;
    is->state = domain_states[census_kinds(is->census)];
}

static inline void domain_change(struct scene *s, struct domain_state *d,
                                 unsigned int old, unsigned int new,
                                 uint64_t time)
{
    domain_until_now(s, d, time);
    domain_count(&d->is, census[new] - census[old]);
}

/* --- vcpus ---------------------------------------------------------------- */

/* ... it becomes runnable from that state. */
static const uint8_t why_runnable[STATES] = {
    [STATE_RUNNING] = WHY_PREEMPT, [STATE_RUNNABLE] = WHY_OTHER,
    [STATE_BLOCKED] = WHY_WAKE, [STATE_OFFLINE] = WHY_WAKE,
    [STATE_LOST] = WHY_OTHER, [STATE_QUEUED] = WHY_OTHER,
    [STATE_INIT] = WHY_OTHER,
};

static inline void vcpu_tell_next(struct scene *s, struct vcpu_state *v,
                                  unsigned int next, unsigned int next_why,
                                  uint64_t time, uint32_t pcpu)
{
    v->is.to = time;
    v->is.next = next;
    v->is.next_why = next_why;
    v->is.next_pcpu = pcpu;
    emit_runstate(&s->emit, &v->is);
}

/* It ran to the end of its pcpu's records, or is heard of again. */
void vcpu_note_end(struct vcpu_state *v);

/* What vcpu_enter() does. */
static inline void vcpu_enters(struct scene *s, struct vcpu_state *v,
                               unsigned int state, uint64_t time,
                               uint32_t pcpu)
{
    unsigned int why = state == STATE_RUNNABLE ? why_runnable[v->is.state]
                                               : WHY_NONE;

    vcpu_tell_next(s, v, state, why, time, pcpu);
    if ( !v->is.before_first_run )
        domain_change(s, v->domain, v->is.state, state, time);
    if ( v->ending || v->ended )
        vcpu_note_end(v);
    v->is.state = state;
    v->is.why = why;
    v->is.from = time;
    vcpu_list(s, v);
}

#endif /* XENALYZE_MACHINE_VCPU_RUNSTATE_H */
