/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of an interrupt comes at the end of its handler, and the fact of
 * the VM exit around the handler at the VM entry: the handlers in between are
 * added up by pcpu.
 */
#include "xenalyze/account/interrupt-load.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "xenalyze/account/vcpu-array.h"


void interrupt_load_init(struct interrupt_load *l)
{
    assert(!l->vcpus && !l->pcpus);
    stats_pool_init(&l->pool);
}

void interrupt_load_fini(struct interrupt_load *l)
{
    free(l->vcpus);
    free(l->pcpus);
    stats_pool_fini(&l->pool);
}

static struct load_vcpu *get_load_vcpu(struct interrupt_load *l,
                                       const struct vcpu *v)
{
    return vcpu_array_get(&l->vcpus, &l->nr_vcpus, v, &l->pool.arena,
                          sizeof(struct load_vcpu), _Alignof(struct load_vcpu),
                          &l->failed);
}

static struct load_pcpu *get_load_pcpu(struct interrupt_load *l,
                                       uint32_t pcpu)
{
    struct load_pcpu *p;

    if ( !grow_to_index(&l->pcpus, &l->nr_pcpus, pcpu, sizeof(*l->pcpus)) )
    {
        l->failed = true;
        return NULL;
    }
    p = &l->pcpus[pcpu];
    if ( !p->recent )
        p->recent = arena_zalloc(&l->pool.arena,
                                 LOAD_RECENT * sizeof(*p->recent), 8);
    l->failed |= !p->recent;
    return p->recent ? p : NULL;
}

static void add_load_vote(struct load_vote *v, uint32_t irq, uint64_t cycles)
{
    if ( v->irq == irq )
        v->cycles += cycles;
    else if ( v->cycles >= cycles )
        v->cycles -= cycles;
    else
        *v = (struct load_vote){ cycles - v->cycles, irq };
}

/* --- vcpus ---------------------------------------------------------------- */

static void lose_time(struct interrupt_load *l, struct load_vcpu *v,
                      uint64_t from, uint64_t to, uint32_t irq)
{
    struct stretch_search *s = &v->search;
    uint64_t lost = to - from;

    debug_assert(from <= to);
    v->lost += lost;
    v->interrupts++;
    add_load_vote(&v->vote, irq, lost);
    if ( stretch_begin_loss(s, &l->scale, from, stretch_cost(s, from)) )
        v->now = (struct load_vote){ .cycles = 0 };
    add_load_vote(&v->now, irq, lost);
    if ( stretch_end_loss(s, to, lost, (1 - STRETCH_CALM) * (double)lost) )
        v->worst = v->now;
}

static void forget_handlers(struct load_pcpu *p)
{
    p->nr_handlers = 0;
    p->vote = (struct load_vote){ .cycles = 0 };
}

static bool load_needs_runstate(unsigned int state, unsigned int next)
{
    return (state == STATE_RUNNING) != (next == STATE_RUNNING);
}

/*
 * A vcpu that is parked in an exit, or is lost from sight there, goes on in the
 * same exit, whose cycles are not those of the handlers in it, maybe on another
 * pcpu.  (Preemption ends an exit.)
 */
static void load_add_runstate(void *state, const struct fact_runstate *f)
{
    struct load_vcpu *v;

    debug_assert(f->from <= f->to);
    if ( !load_needs_runstate(f->state, f->next) || vcpu_is_idle(f->vcpu) )
        return;
    v = get_load_vcpu(state, f->vcpu);
    if ( !v )
        return;
    v->is_away = f->state == STATE_RUNNING;
    if ( v->is_away )
        return;
    v->resumed = f->to;
    v->resumed_pcpu = f->next_pcpu;
}

/* Did the handlers end in the part of the exit from `from` on? */
static bool has_handlers(const struct load_pcpu *p, const struct load_vcpu *v,
                         const struct fact_exit *f, uint64_t from)
{
    assert(p->from <= p->to);
    return !v->is_away && p->vcpu == f->vcpu && p->from >= from &&
           p->to <= f->start + f->cycles;
}

/* The vcpu's exit, with the handlers in it. */
static void load_add_exit(void *state, const struct fact_exit *f)
{
    struct interrupt_load *l = state;
    struct load_vcpu *v = get_load_vcpu(l, f->vcpu);
    bool was_hvm = v && v->is_hvm;
    bool has_resumed = v && v->resumed > f->start;
    uint64_t from = has_resumed ? v->resumed : f->start;
    uint32_t pcpu = has_resumed ? v->resumed_pcpu : f->pcpu;
    struct load_pcpu *p = pcpu < l->nr_pcpus ? &l->pcpus[pcpu] : NULL;

    if ( v )
        v->is_hvm = true;
    if ( !v || !p || !p->nr_handlers )
        return;
    if ( was_hvm && f->end != EXIT_WOKEN && has_handlers(p, v, f, from) &&
         exit_is_interrupt(f->hardware, f->reason) )
    {
        lose_time(l, v, from, f->start + f->cycles, p->vote.irq);
        v->interrupts += p->nr_handlers - 1;
    }
    forget_handlers(p);
}

static void add_handler(struct interrupt_load *l, struct load_pcpu *p,
                        const struct fact_irq *f)
{
    uint64_t from = f->time - f->cycles;
    struct load_vcpu *v = f->vcpu && !vcpu_is_idle(f->vcpu)
                          ? get_load_vcpu(l, f->vcpu) : NULL;

    stats_map_add(&l->handlers, &l->pool, f->irq, f->cycles, from);
    if ( !v || p->vcpu != f->vcpu )
        forget_handlers(p);
    if ( v && !v->is_hvm )
        lose_time(l, v, from, f->time, f->irq);
    p->vcpu = f->vcpu;
    p->from = from;
    p->to = f->time;
    p->nr_handlers++;
    add_load_vote(&p->vote, f->irq, f->cycles);
}

/* --- storms --------------------------------------------------------------- */

static uint64_t storm_length(const struct load_storm *s)
{
    return s->to - s->from;
}

/* Replaces the shortest storm, if the list is full. */
static void keep_storm(struct interrupt_load *l, const struct load_storm *s)
{
    uint32_t at = 0;

    assert(s->from <= s->to && l->nr_storms <= LOAD_STORMS);
    l->all_storms++;
    if ( l->nr_storms < LOAD_STORMS )
    {
        l->storms[l->nr_storms++] = *s;
        return;
    }
    for ( uint32_t i = 1; i < LOAD_STORMS; i++ )
        if ( storm_length(&l->storms[i]) < storm_length(&l->storms[at]) )
            at = i;
    if ( storm_length(s) > storm_length(&l->storms[at]) )
        l->storms[at] = *s;
}

static void end_storm(struct interrupt_load *l, struct load_pcpu *p)
{
    if ( p->is_storm )
        keep_storm(l, &p->storm);
    p->is_storm = false;
}

static void add_to_storm(struct interrupt_load *l, struct load_pcpu *p,
                         const struct fact_irq *f)
{
    uint64_t *oldest = &p->recent[p->nr % LOAD_RECENT];
    uint64_t first = *oldest;
    bool is_dense = p->nr >= LOAD_RECENT &&
                    f->time - first <= l->recent_cycles;

    *oldest = f->time;
    p->nr++;
    if ( !is_dense )
    {
        end_storm(l, p);
        return;
    }
    if ( !p->is_storm )
        p->storm = (struct load_storm){ .pcpu = f->pcpu, .from = first,
                                        .interrupts = LOAD_RECENT };
    p->is_storm = true;
    p->storm.to = f->time;
    p->storm.interrupts++;
    p->storm.cycles += f->cycles;
    add_load_vote(&p->storm.vote, f->irq, f->cycles);
}

static void load_add_irq(void *state, const struct fact_irq *f)
{
    struct interrupt_load *l = state;
    struct load_pcpu *p;

    if ( f->kind != IRQ_HANDLED || !f->has_cycles || f->cycles > f->time )
        return;
    p = get_load_pcpu(l, f->pcpu);
    if ( !p )
        return;
    add_handler(l, p, f);
    add_to_storm(l, p, f);
}

/* --- segments ------------------------------------------------------------- */

static void load_begin(void *state, const struct fact_begin *f)
{
    struct interrupt_load *l = state;

    if ( f->segment )
        return;
    l->clock = *f->clock;
    l->scale = stretch_scale_make(f->clock);
    l->recent_cycles = xt_clock_cycles(f->clock, LOAD_RECENT_NS);
}

/* Times of the next segment cannot be compared. */
static int load_end(void *state, const struct fact_end *f, struct err *e)
{
    struct interrupt_load *l = state;

    (void)f;
    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        if ( l->vcpus[i] )
        {
            stretch_close(&l->vcpus[i]->search, &l->scale);
            l->vcpus[i]->resumed = 0;
            l->vcpus[i]->is_away = false;
        }
    for ( uint32_t i = 0; i < l->nr_pcpus; i++ )
    {
        struct load_pcpu *p = &l->pcpus[i];

        end_storm(l, p);
        p->nr = 0;
        forget_handlers(p);
    }
    return l->failed || l->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep the load of interrupts") : 0;
}

struct sink interrupt_load_sink(struct interrupt_load *l)
{
    static const struct sink_ops ops = {
        .name = "interrupt load", .ordered = true, .from_hvm = true,
        .begin = load_begin,
        .exit_needs = NEED_INTERRUPT_EXITS | NEED_FIRST_EXITS |
                      NEED_EXITS_AFTER_IRQ,
        .end = load_end, .irq = load_add_irq, .exit = load_add_exit,
        .runstate = load_add_runstate,
        .needs_runstate = load_needs_runstate,
    };

    return (struct sink){ &ops, l };
}

/* --- order ---------------------------------------------------------------- */

static int compare_storms(const void *a, const void *b)
{
    const struct load_storm *x = a, *y = b;

    if ( x->from != y->from )
        return x->from < y->from ? -1 : 1;
    return x->pcpu < y->pcpu ? -1 : x->pcpu > y->pcpu;
}

void interrupt_load_close(struct interrupt_load *l)
{
    assert(l->all_storms >= l->nr_storms);
    vcpu_array_sort(&l->vcpus, &l->nr_vcpus);
    if ( l->nr_storms )
        qsort(l->storms, l->nr_storms, sizeof(l->storms[0]), compare_storms);
}

const struct load_vcpu *interrupt_load_find(const struct interrupt_load *l,
                                            uint16_t domain, uint16_t id)
{
    return vcpu_array_find(l->vcpus, l->nr_vcpus, domain, id);
}
