/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that follow the states of vcpus: wait-cause.c
 * (runstates), wait-records.c (records of schedulers, vcpus without budget),
 * wait-pause.c (pauses of such vcpus) and wait-rivals.c.
 */
#ifndef XENALYZE_ACCOUNT_WAIT_PRIVATE_H
#define XENALYZE_ACCOUNT_WAIT_PRIVATE_H

#include "common/grow.h"
#include "xenalyze/account/wait-cause.h"

/* --- wait-cause.c --------------------------------------------------------- */

/* NULL: the trace has no facts about the vcpu. */
struct wait_vcpu *wait_find_vcpu(const struct wait_causes *w, uint16_t domain,
                                 uint16_t id);

/* NULL: out of memory, which is remembered. */
static inline struct wait_pcpu *wait_get_pcpu(struct wait_causes *w,
                                              uint32_t pcpu)
{
    if ( grow_to_index(&w->pcpus, &w->nr_pcpus, pcpu, sizeof(*w->pcpus)) )
        return &w->pcpus[pcpu];
    w->failed = true;
    return NULL;
}

/* The use of the pcpu since the end of its last span. */
static inline enum pcpu_use wait_current_use(const struct wait_pcpu *p)
{
    if ( p->asleep )
        return USE_ASLEEP;
    if ( !p->current )
        return USE_UNKNOWN;
    if ( p->runs_idle )
        return USE_IDLE;
    return p->limited ? USE_LIMITED : USE_RUN;
}

/* The vcpu, an idle one or not, runs on the pcpu since then; NULL: unknown. */
static inline void wait_set_current(struct wait_causes *w, struct wait_pcpu *p,
                                    const struct vcpu *v, bool runs_idle,
                                    uint64_t since)
{
    debug_assert(!v || p->uses.has_begun);
    debug_assert(runs_idle == (v && vcpu_is_idle(v)));
    debug_assert(!p->runs_idle || w->nr_running_idle);
    w->nr_running_idle += runs_idle - p->runs_idle;
    p->current = v;
    p->runs_idle = runs_idle;
    p->since = since;
}

/* The pcpu, which is known since some time, was used like this until `to`. */
void wait_add_span(struct wait_causes *w, struct wait_pcpu *p, uint64_t to,
                   enum pcpu_use use, const struct vcpu *vcpu);

/* Add the part of the time in a state that does not count yet. */
void wait_add_time(struct wait_causes *w, struct wait_vcpu *v,
                   const struct fact_runstate *f);

/* --- wait-records.c ------------------------------------------------------- */

enum fact_event_need wait_needs_event(uint32_t event);
fact_event_filter *wait_event_filter(uint32_t event);
void wait_add_event(void *state, const struct fact_event *f);

/* From now on the vcpu has no budget, if its state is or becomes `state`. */
void wait_begin_cap(struct wait_causes *w, struct wait_vcpu *v,
                    unsigned int state, uint64_t time);
void wait_forget_caps(struct wait_causes *w, struct wait_vcpu *v);

/* --- wait-pause.c --------------------------------------------------------- */

/* A SCHED_SLEEP or a SCHED_WAKE record may begin or end a pause. */
void wait_note_pause(struct wait_causes *w, const struct fact_event *f);

static inline void wait_forget_pause(struct wait_causes *w,
                                     struct wait_vcpu *v)
{
    debug_assert(w->nr_paused || !v->is_paused);
    w->nr_paused -= v->is_paused;
    v->is_paused = false;
}

/* --- wait-rivals.c -------------------------------------------------------- */

/* The row of the domain.  NULL: no memory. */
struct wait_rival *wait_find_rival(struct wait_causes *w, struct wait_vcpu *v,
                                   uint16_t domain);

#endif /* XENALYZE_ACCOUNT_WAIT_PRIVATE_H */
