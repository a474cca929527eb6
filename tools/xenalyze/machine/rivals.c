/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who runs on a pcpu, and what it did to those who wanted to.
 *
 * Of each pcpu the last few who ran are kept, so that for a vcpu that waited
 * one can say who ran instead of it, where it then ran.  More than PAST of
 * them in one wait are not told apart: they are `others`.
 */
#include "xenalyze/machine/global.h"

void past_add(struct scene_pcpu *p, uint64_t time)
{
    p->past[p->at++ % PAST] = (struct past){ p->current, p->since, time };
}

static void add_rival(struct fact_wait *f, const struct vcpu *v,
                      uint64_t cycles)
{
    uint32_t i = 0;

    while ( i < f->nr_rivals && f->rivals[i].vcpu != v )
        i++;
    if ( i == FACT_RIVALS )
    {
        f->others += cycles;
        return;
    }
    if ( i == f->nr_rivals )
        f->rivals[f->nr_rivals++] = (struct fact_rival){ .vcpu = v };
    f->rivals[i].cycles += cycles;
}

/* From the newest one backwards, as long as they reach into the wait. */
static void find_rivals(const struct scene_pcpu *p, struct fact_wait *f)
{
    uint64_t end = f->to;

    for ( unsigned int n = 1; n <= PAST && n <= p->at; n++ )
    {
        const struct past *past = &p->past[(p->at - n) % PAST];

        if ( past->to <= f->from || past->to > end )
            return;
        end = past->from > f->from ? past->from : f->from;
        add_rival(f, past->vcpu, past->to - end);
    }
    /* All of them were in the wait: there may have been more. */
    if ( p->at > PAST && end > f->from )
        f->others += end - f->from;
}

void wait_tell(struct scene *s, const struct vcpu_state *v, uint32_t pcpu,
               uint64_t time)
{
    struct fact_wait f = {
        .vcpu = v->is.vcpu, .from = v->is.from, .to = time, .pcpu = pcpu,
        .woken = v->is.from, .pcpu_before = v->is.pcpu, .why = v->is.why,
        .waker_pcpu = FACT_NO_PCPU,
    };

    if ( v->is.why == WHY_WAKE )
    {
        f.waker_pcpu = v->waker_pcpu;
        f.waker = v->waker;
        f.woken = v->woken;
    }
    find_rivals(&s->pcpus[pcpu], &f);
    emit_wait(&s->emit, &f);
}

void inject(struct vcpu_state *v, const struct change *c)
{
    struct fact_wake_to_halt *h = &v->halt;
    uint32_t i = 0;

    if ( !v->awake )
        return;
    while ( i < h->nr_vectors && h->vectors[i].vector != c->number )
        i++;
    if ( i < h->nr_vectors || i == FACT_VECTORS )
        return;
    h->vectors[i].vector = c->number;
    h->vectors[i].time = c->time;
    h->nr_vectors++;
}
