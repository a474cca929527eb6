/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary of global facts: runstates of vcpus, states of domains, residency on
 * pcpus, losses.
 */
#include "xenalyze/account/summary.h"

#include <assert.h>

#include "common/debug.h"

_Static_assert(sizeof(((struct summary_sched *)0)->by_reason) ==
               (WHY_OTHER + 1) * sizeof(struct stats), "a series per cause");

/* NULL: not in the array yet. */
static inline struct summary_sched *find_sched(const struct summary *b,
                                               const struct vcpu *v)
{
    struct summary_vcpu *own = summary_find_vcpu(b, v);

    return own ? own->sched : NULL;
}

/* NULL: no memory. */
COLD
static struct summary_sched *new_sched(struct summary *b,
                                       const struct vcpu *v)
{
    struct summary_vcpu *own = summary_get_vcpu(b, v);

    if ( !own )
        return NULL;
    assert(!own->sched);
    own->sched = arena_new(&b->pool.arena, struct summary_sched);
    if ( !own->sched )
    {
        b->pool.failed = true;
        return NULL;
    }
    for ( unsigned int i = 0; i < STATES; i++ )
        own->sched->state[i].weighted = true;
    for ( unsigned int i = 0; i < 4; i++ )
        own->sched->by_reason[i].weighted = true;
    return own->sched;
}

COLD
static void summary_add_runstate_slow(struct summary *b,
                                      const struct fact_runstate *f)
{
    if ( new_sched(b, f->vcpu) )
        summary_add_runstate(b, f);
}

COLD
static void add_open(struct summary_sched *v, const struct fact_runstate *f)
{
    v->time.open[f->state] += f->to - f->from;
    if ( f->next == STATES )
        v->time.elapsed += f->to - f->since;
}

/*
 * Two kinds of facts count as time but not as samples, as in stock: the open
 * state at the end of a segment, and time before the vcpu first ran.  Facts of
 * zero length are ignored: their presence depends on the order of two records
 * with the same time stamp.
 */
void summary_add_runstate(void *state, const struct fact_runstate *f)
{
    struct summary *b = state;
    struct summary_sched *v = find_sched(b, f->vcpu);

    debug_assert(!b->closed);
    debug_assert(f->state < STATES && f->why <= WHY_OTHER);
    if ( !v )
    {
        summary_add_runstate_slow(b, f);
        return;
    }
    if ( f->next == STATES || f->before_first_run )
    {
        add_open(v, f);
        return;
    }
    if ( f->from == f->to )
        return;
    stats_add(f->state == STATE_RUNNABLE ? &v->by_reason[f->why]
                                         : &v->state[f->state],
              &b->pool, f->to - f->from, f->from);
}

static void flush_recent(struct summary *b, struct summary_sched *v)
{
    struct stats *series[SUMMARY_RECENT];

    debug_assert(v->nr_recent <= SUMMARY_RECENT);
    for ( unsigned int i = 0; i < v->nr_recent; i++ )
    {
        series[i] = stats_map_get(&v->by_pcpu, &b->pool, v->recent[i].pcpu);
        if ( series[i] )
            stats_prefetch(series[i]);
    }
    for ( unsigned int i = 0; i < v->nr_recent; i++ )
        if ( series[i] )
            stats_add(series[i], &b->pool, v->recent[i].cycles,
                      v->recent[i].from);
    v->nr_recent = 0;
}

void summary_finish_sched(struct summary *b, struct summary_sched *v)
{
    assert(b->closed);
    flush_recent(b, v);
    stats_map_sum(&v->residency, &b->pool, &v->by_pcpu);
    for ( unsigned int i = 0; i < 4; i++ )
        stats_merge(&v->state[STATE_RUNNABLE], &b->pool, &v->by_reason[i]);
}

static struct summary_domain_sched *get_domain_sched(struct summary *b,
                                                     const struct domain *d)
{
    struct summary_domain *own = summary_get_domain(b, d);

    if ( !own || own->sched )
        return own ? own->sched : NULL;
    own->sched = arena_new(&b->pool.arena, struct summary_domain_sched);
    if ( !own->sched )
    {
        b->pool.failed = true;
        return NULL;
    }
    for ( unsigned int i = 0; i < DOMAIN_STATES; i++ )
        own->sched->state[i].weighted = true;
    return own->sched;
}

COLD
static void summary_add_domain_state_slow(struct summary *b,
                                          const struct fact_domain *f)
{
    if ( get_domain_sched(b, f->domain) )
        summary_add_domain_state(b, f);
}

void summary_add_domain_state(void *state, const struct fact_domain *f)
{
    struct summary *b = state;
    struct summary_domain *own = summary_find_domain(b, f->domain);
    struct summary_domain_sched *d = own ? own->sched : NULL;

    debug_assert(f->state < DOMAIN_STATES);
    if ( !d )
    {
        summary_add_domain_state_slow(b, f);
        return;
    }
    if ( f->last )
    {
        d->time.open[f->state] += f->to - f->from;
        d->time.elapsed += f->to - f->since;
    }
    else if ( f->from < f->to )
        /* Pointer arithmetic lets the compiler compute the address once. */
        stats_add(d->state + f->state, &b->pool, f->to - f->from, f->from);
}

/* The only residency of most vcpus needs no buffer.  False: nothing to add. */
COLD
static bool allocate_recent(struct summary *b, struct summary_sched *v,
                            const struct fact_residency *f)
{
    if ( f->next == FACT_NO_PCPU )
    {
        stats_map_add(&v->by_pcpu, &b->pool, f->pcpu, f->to - f->from, f->from);
        return false;
    }
    v->recent = arena_array(&b->pool.arena, SUMMARY_RECENT, sizeof(*v->recent),
                            8);
    b->pool.failed |= !v->recent;
    return v->recent;
}

void summary_add_residency(void *state, const struct fact_residency *f)
{
    struct summary *b = state;
    struct summary_sched *v = find_sched(b, f->vcpu);

    if ( !v && !(v = new_sched(b, f->vcpu)) )
        return;
    debug_assert(v->nr_recent < SUMMARY_RECENT);
    v->migrations += f->next != FACT_NO_PCPU;
    if ( !v->recent && !allocate_recent(b, v, f) )
        return;
    v->recent[v->nr_recent++] = (struct summary_recent){ f->pcpu, f->from,
                                                      f->to - f->from };
    if ( v->nr_recent == SUMMARY_RECENT )
        flush_recent(b, v);
}

static struct summary_halts *get_halts(struct summary *b,
                                       const struct vcpu *v)
{
    struct summary_vcpu *own = summary_get_vcpu(b, v);

    if ( !own || own->halts )
        return own ? own->halts : NULL;
    own->halts = arena_new(&b->pool.arena, struct summary_halts);
    if ( !own->halts )
    {
        b->pool.failed = true;
        return NULL;
    }
    own->halts->alone.weighted = true;
    own->halts->any.weighted = true;
    own->halts->other.weighted = true;
    return own->halts;
}

/* The first interrupt after a wake-up is assumed to be its cause. */
void summary_add_wake_to_halt(void *state, const struct fact_wake_to_halt *f)
{
    struct summary *b = state;
    struct summary_halts *h = get_halts(b, f->vcpu);

    debug_assert(f->nr_vectors <= FACT_VECTORS);
    for ( unsigned int i = 0; h && i < f->nr_vectors; i++ )
    {
        uint64_t vector = f->vectors[i].vector, at = f->vectors[i].time;
        uint64_t cycles = f->to > at ? f->to - at : 0;

        stats_map_add(i ? &h->other : &h->any, &b->pool, vector, cycles, at);
        if ( f->nr_vectors == 1 )
            stats_map_add(&h->alone, &b->pool, vector, cycles, at);
    }
}

void summary_add_loss(void *state, const struct fact_loss *f)
{
    struct summary *b = state;
    struct summary_pcpu *p = summary_get_pcpu(b, f->pcpu);
    struct stats_top_row row = { f->to - f->from, f->from, f->pcpu };

    b->losses++;
    b->lost += f->records;
    b->lost_cycles += f->to - f->from;
    b->lost_cycles_at_end += f->at_end ? f->to - f->from : 0;
    stats_top_add(&b->loss_gaps, &row);
    if ( !p )
        return;
    p->losses++;
    p->lost += f->records;
    p->lost_cycles += f->to - f->from;
}
