/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History of vcpus per pcpu, to attribute a vcpu's waiting time to its RIVALS:
 * the vcpus that ran meanwhile on the pcpu where the waiting vcpu ran next.
 * The history keeps HISTORY_LENGTH entries; in a wait with more of them the
 * oldest time is attributed to no vcpu (`others`).
 */
#include "common/debug.h"
#include "xenalyze/machine/rivals.h"

_Static_assert((HISTORY_LENGTH & (HISTORY_LENGTH - 1)) == 0,
               "nr_history may wrap to 0");

void history_add(struct global_pcpu *p, uint64_t time)
{
    debug_assert(p->current);
    p->history[p->nr_history++ % HISTORY_LENGTH] =
        (struct history_entry){ p->current, p->since, time };
}

static void add_rival(struct fact_wait *f, const struct vcpu *v,
                      uint64_t cycles)
{
    uint32_t i = 0;

    debug_assert(v && f->nr_rivals <= FACT_RIVALS);
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

/* Walk the history backwards while its entries reach into the wait. */
static void find_rivals(const struct global_pcpu *p, struct fact_wait *f)
{
    uint64_t end = f->to;

    for ( unsigned int n = 1; n <= HISTORY_LENGTH && n <= p->nr_history; n++ )
    {
        const struct history_entry *h =
            &p->history[(p->nr_history - n) % HISTORY_LENGTH];

        if ( h->to <= f->from || h->to > end )
            return;
        end = h->from > f->from ? h->from : f->from;
        add_rival(f, h->vcpu, h->to - end);
    }
    /* The whole history lies in the wait, so older entries may be missing. */
    if ( p->nr_history > HISTORY_LENGTH && end > f->from )
        f->others += end - f->from;
}

void wait_emit(struct global *g, const struct vcpu_state *v, uint32_t pcpu,
               uint64_t time)
{
    struct fact_wait f = {
        .vcpu = v->fact.vcpu, .from = v->fact.from, .to = time, .pcpu = pcpu,
        .woken = v->fact.from, .pcpu_before = v->fact.pcpu,
        .why = v->fact.why, .waker_pcpu = FACT_NO_PCPU,
    };

    if ( v->fact.why == WHY_WAKE )
    {
        f.waker_pcpu = v->waker_pcpu;
        f.waker = v->waker;
        f.woken = v->woken_at;
    }
    debug_assert(v->fact.state == STATE_RUNNABLE && g->pcpus[pcpu].history);
    find_rivals(&g->pcpus[pcpu], &f);
    emit_wait(&g->emit, &f);
}

/* Keep the first interrupt of each vector since the wake-up. */
void vcpu_note_interrupt(struct vcpu_state *v, const struct change *c)
{
    struct fact_wake_to_halt *f = &v->wake_to_halt;
    uint32_t i = 0;

    if ( !v->awake )
        return;
    debug_assert(f->nr_vectors <= FACT_VECTORS);
    while ( i < f->nr_vectors && f->vectors[i].vector != c->number )
        i++;
    if ( i < f->nr_vectors || i == FACT_VECTORS )
        return;
    f->vectors[i].vector = c->number;
    f->vectors[i].time = c->time;
    f->nr_vectors++;
}
