/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Current vcpu of each pcpu, and the waits and wake-ups of vcpus: the parts
 * that every change of a runstate needs, inline.
 */
#ifndef XENALYZE_MACHINE_RIVALS_H
#define XENALYZE_MACHINE_RIVALS_H

#include "xenalyze/machine/current.h"
#include "xenalyze/machine/global.h"

/* --- the current vcpu of a pcpu ------------------------------------------- */

static inline void global_clear_current(struct global *g, uint32_t pcpu,
                                        uint64_t time)
{
    struct global_pcpu *p = &g->pcpus[pcpu];

    if ( p->history.entries && p->current )
        history_add(&p->history, p->current, p->since, time, &g->waits,
                    g->nr_pcpus);
    p->current = NULL;
    p->inferred = false;
}

static inline void global_set_current(struct global *g, uint32_t pcpu,
                                      const struct vcpu *v, uint64_t time)
{
    struct global_pcpu *p = &g->pcpus[pcpu];

    if ( p->current )
        current_replace(g, pcpu, v, time);
    p->current = v;
    p->since = time;
}

/* --- waits ---------------------------------------------------------------- */

/* The vcpu has become runnable. */
static inline void vcpu_begin_wait(struct global *g, const struct vcpu_state *v)
{
    if ( g->emit.wants_rivals )
        wait_begins_add(&g->waits, v->fact.vcpu, v->fact.from);
}

void wait_emit(struct global *g, const struct vcpu_state *v, uint32_t pcpu,
               uint64_t time);

/* A wait without a known begin, or, if `pcpu` is FACT_NO_PCPU, an end. */
void wait_emit_open(struct global *g, const struct vcpu_state *v,
                    uint32_t pcpu, uint64_t time);

/* A runnable vcpu is about to run.  Without a cause the wait is incomplete. */
static inline void vcpu_end_wait(struct global *g, struct vcpu_state *v,
                                 uint32_t pcpu, uint64_t time)
{
    if ( !emit_wants_wait(&g->emit) )
        return;
    if ( v->fact.why != WHY_NONE )
        wait_emit(g, v, pcpu, time);
    else
        wait_emit_open(g, v, pcpu, time);
}

/* --- from a wake-up to the next halt -------------------------------------- */

static inline void vcpu_note_wake(struct global *g, struct vcpu_state *v,
                                  const struct change *c)
{
    v->fact.waker = g->pcpus[c->pcpu].current;
    v->waker_pcpu = c->pcpu;
    v->woken_at = c->number ? c->number : c->time;
    if ( c->old != STATE_BLOCKED )
        return;
    v->awake = true;
    v->nr_vectors = 0;
}

void vcpu_note_interrupt(struct global *g, struct vcpu_state *v,
                         const struct change *c);

/* The vcpu blocks, or may have blocked while records were lost. */
static inline void vcpu_forget_wake(struct vcpu_state *v)
{
    v->awake = false;
    v->nr_vectors = 0;
}

static inline void vcpu_note_halt(struct global *g, struct vcpu_state *v,
                                  uint64_t time)
{
    if ( v->nr_vectors )
        emit_wake_to_halt(&g->emit, &(struct fact_wake_to_halt){
            .vcpu = v->fact.vcpu, .to = time, .nr_vectors = v->nr_vectors,
            .vectors = v->vectors });
    vcpu_forget_wake(v);
}

#endif /* XENALYZE_MACHINE_RIVALS_H */
