/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary of the other local facts: PV guests, memory, and pcpus.  Mostly
 * counters.
 */
#include "xenalyze/account/summary.h"

#include <string.h>

#include "common/debug.h"

static struct summary_pv *get_pv(struct summary *b, struct summary_vcpu *own)
{
    if ( !own || own->pv )
        return own ? own->pv : NULL;
    own->pv = arena_new(&b->pool.arena, struct summary_pv);
    if ( !own->pv )
        b->pool.failed = true;
    return own->pv;
}

static void increment_bounded(uint64_t *counts, unsigned int nr, uint32_t i)
{
    counts[i < nr ? i : nr]++;
}

void summary_add_pv(void *state, const struct fact_pv *f)
{
    struct summary *b = state;
    struct summary_pv *pv = get_pv(b, summary_get_vcpu(b, f->vcpu));

    debug_assert(f->kind < PV_KINDS);
    if ( !pv )
        return;
    pv->times[f->kind]++;
    if ( f->kind == PV_HYPERCALL_V2 || f->kind == PV_HYPERCALL_SUBCALL )
        increment_bounded(pv->hypercalls, SUMMARY_HYPERCALLS, f->number);
    if ( f->kind == PV_TRAP )
        increment_bounded(pv->traps, SUMMARY_TRAPS, f->number);
}

void summary_merge_pv(struct summary *to, struct summary_vcpu *v,
                      const struct summary_pv *from)
{
    struct summary_pv *pv = get_pv(to, v);

    if ( !pv )
        return;
    for ( unsigned int i = 0; i < PV_KINDS; i++ )
        pv->times[i] += from->times[i];
    for ( unsigned int i = 0; i <= SUMMARY_HYPERCALLS; i++ )
        pv->hypercalls[i] += from->hypercalls[i];
    for ( unsigned int i = 0; i <= SUMMARY_TRAPS; i++ )
        pv->traps[i] += from->traps[i];
}

/* Orders on x86: 0, 9 (2 MiB), 18 (1 GiB); others round down. */
static unsigned int order_index(unsigned int order)
{
    return order / 9 < SUMMARY_ORDERS ? order / 9 : SUMMARY_ORDERS - 1;
}

const struct summary_memory *summary_get_memory(const struct summary_domain *d)
{
    static const struct summary_memory none;

    return d->memory ? d->memory : &none;
}

/* NULL and pool.failed: no memory. */
static struct summary_memory *new_memory(struct summary *b,
                                         struct summary_domain *d)
{
    if ( d && !d->memory )
        d->memory = arena_new(&b->pool.arena, struct summary_memory);
    b->pool.failed |= d && !d->memory;
    return d ? d->memory : NULL;
}

static void note_target(struct summary_memory *m, const struct fact_memory *f)
{
    unsigned int order = order_index(f->order);

    m->done_for[f->kind]++;
    if ( f->kind == MEMORY_POD_POPULATE )
        m->populated[order]++;
    if ( f->kind == MEMORY_POD_ZERO_RECLAIM )
    {
        m->reclaimed[order]++;
        m->contexts[f->context < POD_CONTEXTS ? f->context : 0][order]++;
    }
}

void summary_add_memory(void *state, const struct fact_memory *f)
{
    struct summary *b = state;
    struct summary_memory *by, *target;

    debug_assert(f->kind < MEMORY_KINDS);
    b->layout_guesses += f->is_guess;
    by = f->by ? new_memory(b, summary_get_domain(b, f->by->domain)) : NULL;
    target = f->target ? new_memory(b, summary_get_domain(b, f->target)) : NULL;
    if ( by )
        by->done_by[f->kind]++;
    if ( target )
        note_target(target, f);
}

/* The struct consists of 64-bit counters only. */
void summary_merge_memory(struct summary *b, struct summary_domain *d,
                          const struct summary_memory *from)
{
    struct summary_memory *to = from ? new_memory(b, d) : NULL;
    uint64_t sums[sizeof(*to) / sizeof(uint64_t)];
    uint64_t added[sizeof(*to) / sizeof(uint64_t)];

    _Static_assert(sizeof(*to) % sizeof(uint64_t) == 0, "counts only");
    if ( !to )
        return;
    memcpy(sums, to, sizeof(sums));
    memcpy(added, from, sizeof(added));
    for ( size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++ )
        sums[i] += added[i];
    memcpy(to, sums, sizeof(sums));
}

void summary_add_irq(void *state, const struct fact_irq *f)
{
    struct summary_pcpu *p = summary_get_pcpu(state, f->pcpu);

    if ( !p || f->kind != IRQ_HANDLED )
        return;
    p->interrupts++;
    p->interrupt_cycles += f->has_cycles ? f->cycles : 0;
}

void summary_add_power(void *state, const struct fact_power *f)
{
    struct summary *b = state;
    struct summary_pcpu *p = summary_get_pcpu(b, f->pcpu);

    if ( p && f->kind == POWER_WAKE && f->matched )
        stats_add(&p->sleep, &b->pool, f->cycles, f->time);
}

void summary_add_pcpu_state(void *state, const struct fact_pcpu *f)
{
    struct summary *b = state;
    struct summary_pcpu *p = summary_get_pcpu(b, f->pcpu);

    debug_assert(f->state < PCPU_STATES);
    if ( !p )
        return;
    p->time += f->to - f->from;
    /* Pointer arithmetic as in summary_add_domain_state(). */
    if ( !f->before_first_run )
        stats_add(p->state + f->state, &b->pool, f->to - f->from, f->from);
    else
        p->open[f->state] += f->to - f->from;
    if ( f->since < f->from )
        p->open[f->state] += f->from - f->since;
}

/* A loss after the last record is a fact of the loss only. */
struct summary_pcpu_time summary_get_pcpu_time(const struct summary *b,
                                               const struct summary_pcpu *p)
{
    struct summary_pcpu_time t = { .state[PCPU_LOST] = p->lost_cycles };
    uint64_t known = p->lost_cycles;

    for ( unsigned int s = 0; s < PCPU_LOST; s++ )
    {
        t.state[s] = p->state[s].sum + p->open[s];
        known += t.state[s];
    }
    assert(b->closed);
    if ( known < b->total )
        t.state[PCPU_UNKNOWN] = b->total - known;
    return t;
}

static void add_volume(struct fact_volume *to, const struct fact_volume *from)
{
    debug_assert(to != from);
    to->pcpu = from->pcpu;
    to->records += from->records;
    to->lost += from->lost;
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
    {
        to->bytes[i] += from->bytes[i];
        to->times[i] += from->times[i];
    }
}

void summary_add_volume(void *state, const struct fact_volume *f)
{
    struct summary_pcpu *p = summary_get_pcpu(state, f->pcpu);

    if ( p )
        add_volume(&p->volume, f);
}

void summary_merge_pcpu(struct summary *to, const struct summary_pcpu *from)
{
    struct summary_pcpu *p = summary_get_pcpu(to, from->id);

    if ( !p )
        return;
    add_volume(&p->volume, &from->volume);
    for ( unsigned int i = 0; i < PCPU_STATES; i++ )
    {
        stats_merge(&p->state[i], &to->pool, &from->state[i]);
        p->open[i] += from->open[i];
    }
    stats_merge(&p->sleep, &to->pool, &from->sleep);
    p->time += from->time;
    p->interrupts += from->interrupts;
    p->interrupt_cycles += from->interrupt_cycles;
}
