/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rest of the local facts into the book: PV guests, memory, and what a
 * pcpu does by itself.  Mostly counts.
 */
#include "xenalyze/account/summary.h"

#include <string.h>

static struct book_pv *pv_of(struct book *b, struct book_vcpu *own)
{
    if ( !own || own->pv )
        return own ? own->pv : NULL;
    own->pv = arena_new(&b->pool.arena, struct book_pv);
    if ( !own->pv )
        b->pool.failed = true;
    return own->pv;
}

static void count_up(uint64_t *counts, unsigned int nr, uint32_t i)
{
    counts[i < nr ? i : nr]++;
}

void book_pv(void *state, const struct fact_pv *f)
{
    struct book *b = state;
    struct book_pv *pv = pv_of(b, book_vcpu(b, f->vcpu));

    if ( !pv )
        return;
    pv->times[f->kind]++;
    if ( f->kind == PV_HYPERCALL_V2 || f->kind == PV_HYPERCALL_SUBCALL )
        count_up(pv->hypercalls, BOOK_HYPERCALLS, f->number);
    if ( f->kind == PV_TRAP )
        count_up(pv->traps, BOOK_TRAPS, f->number);
}

void book_merge_pv(struct book *to, struct book_vcpu *v,
                   const struct book_pv *from)
{
    struct book_pv *pv = pv_of(to, v);

    if ( !pv )
        return;
    for ( unsigned int i = 0; i < PV_KINDS; i++ )
        pv->times[i] += from->times[i];
    for ( unsigned int i = 0; i <= BOOK_HYPERCALLS; i++ )
        pv->hypercalls[i] += from->hypercalls[i];
    for ( unsigned int i = 0; i <= BOOK_TRAPS; i++ )
        pv->traps[i] += from->traps[i];
}

/* Orders of x86: 0, 9 (2 MiB), 18 (1 GiB); what lies between is rounded. */
static unsigned int order_index(unsigned int order)
{
    return order / 9 < BOOK_ORDERS ? order / 9 : BOOK_ORDERS - 1;
}

static void note_target(struct book_memory *m, const struct fact_memory *f)
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

void book_memory(void *state, const struct fact_memory *f)
{
    struct book *b = state;
    struct book_domain *by = f->by ? book_domain(b, f->by->domain) : NULL;
    struct book_domain *target = f->target ? book_domain(b, f->target) : NULL;

    if ( by )
        by->memory.done_by[f->kind]++;
    if ( target )
        note_target(&target->memory, f);
}

/* All of it is 64-bit counts. */
void book_merge_memory(struct book_memory *to, const struct book_memory *from)
{
    uint64_t a[sizeof(*to) / sizeof(uint64_t)];
    uint64_t b[sizeof(*to) / sizeof(uint64_t)];

    _Static_assert(sizeof(*to) % sizeof(uint64_t) == 0, "counts only");
    memcpy(a, to, sizeof(a));
    memcpy(b, from, sizeof(b));
    for ( size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++ )
        a[i] += b[i];
    memcpy(to, a, sizeof(a));
}

void book_irq(void *state, const struct fact_irq *f)
{
    struct book_pcpu *p = book_pcpu(state, f->pcpu);

    if ( !p || f->kind != IRQ_HANDLED )
        return;
    p->interrupts++;
    p->interrupt_cycles += f->has_cycles ? f->cycles : 0;
}

void book_power(void *state, const struct fact_power *f)
{
    struct book *b = state;
    struct book_pcpu *p = book_pcpu(b, f->pcpu);

    if ( p && f->kind == POWER_WAKE && f->matched )
        stats_add(&p->sleep, &b->pool, f->cycles, f->time);
}

void book_pcpu_state(void *state, const struct fact_pcpu *f)
{
    struct book *b = state;
    struct book_pcpu *p = book_pcpu(b, f->pcpu);

    if ( !p )
        return;
    p->time += f->to - f->from;
    /* A sum, not an element: see book_domain_state(). */
    if ( !f->early )
        stats_add(p->state + f->state, &b->pool, f->to - f->from, f->from);
}

static void add_volume(struct fact_volume *to, const struct fact_volume *from)
{
    to->pcpu = from->pcpu;
    to->records += from->records;
    to->lost += from->lost;
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
    {
        to->bytes[i] += from->bytes[i];
        to->times[i] += from->times[i];
    }
}

void book_volume(void *state, const struct fact_volume *f)
{
    struct book_pcpu *p = book_pcpu(state, f->pcpu);

    if ( p )
        add_volume(&p->volume, f);
}

void book_merge_pcpu(struct book *to, const struct book_pcpu *from)
{
    struct book_pcpu *p = book_pcpu(to, from->id);

    if ( !p )
        return;
    add_volume(&p->volume, &from->volume);
    for ( unsigned int i = 0; i < PCPU_STATES; i++ )
        stats_merge(&p->state[i], &to->pool, &from->state[i]);
    stats_merge(&p->sleep, &to->pool, &from->sleep);
    p->time += from->time;
    p->interrupts += from->interrupts;
    p->interrupt_cycles += from->interrupt_cycles;
}
