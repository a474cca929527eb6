/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Global facts into the summary: in which states vcpus and domains were, where
 * vcpus stayed, what the pcpus lost.
 */
#include "xenalyze/account/summary.h"

/* NULL: it is not in the summary so far. */
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
    struct summary_vcpu *own = summary_vcpu(b, v);

    if ( !own )
        return NULL;
    own->sched = arena_new(&b->pool.arena, struct summary_sched);
    if ( !own->sched )
    {
        b->pool.failed = true;
        return NULL;
    }
    for ( unsigned int i = 0; i < STATES; i++ )
        own->sched->state[i].weighted = true;
    for ( unsigned int i = 0; i < 4; i++ )
        own->sched->why[i].weighted = true;
    return own->sched;
}

COLD
static void summary_first_runstate(struct summary *b,
                                   const struct fact_runstate *f)
{
    if ( new_sched(b, f->vcpu) )
        summary_runstate(b, f);
}

COLD
static void add_open(struct summary_sched *v, const struct fact_runstate *f)
{
    v->time.open[f->state] += f->to - f->from;
    if ( f->next == STATES )
        v->time.elapsed += f->to - f->since;
}

/*
 * Two kinds are time, but in no series, as in stock: the last one of a segment,
 * which has not ended, and what was before the vcpu got a pcpu.  Those of no
 * length are nothing: they are there or not by which of two records of the
 * same time comes first.
 */
void summary_runstate(void *state, const struct fact_runstate *f)
{
    struct summary *b = state;
    struct summary_sched *v = find_sched(b, f->vcpu);

    if ( !v )
    {
        summary_first_runstate(b, f);
        return;
    }
    if ( f->next == STATES || f->before_first_run )
    {
        add_open(v, f);
        return;
    }
    if ( f->from == f->to )
        return;
    stats_add(f->state == STATE_RUNNABLE ? &v->why[f->why]
                                         : &v->state[f->state],
              &b->pool, f->to - f->from, f->from);
}

static void put_by_pcpu(struct summary *b, struct summary_sched *v)
{
    struct stats *stays[SUMMARY_RECENT];

    for ( unsigned int i = 0; i < v->nr_recent; i++ )
    {
        stays[i] = stats_map_get(&v->stays, &b->pool, v->recent[i].pcpu);
        if ( stays[i] )
            stats_prefetch(stays[i]);
    }
    for ( unsigned int i = 0; i < v->nr_recent; i++ )
        if ( stays[i] )
            stats_add(stays[i], &b->pool, v->recent[i].cycles,
                      v->recent[i].from);
    v->nr_recent = 0;
}

void summary_finish_sched(struct summary *b, struct summary_sched *v)
{
    put_by_pcpu(b, v);
    stats_map_sum(&v->residency, &b->pool, &v->stays);
    for ( unsigned int i = 0; i < 4; i++ )
        stats_merge(&v->state[STATE_RUNNABLE], &b->pool, &v->why[i]);
}

static struct summary_domain_sched *domain_of(struct summary *b,
                                              const struct domain *d)
{
    struct summary_domain *own = summary_domain(b, d);

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
static void summary_first_domain_state(struct summary *b,
                                       const struct fact_domain *f)
{
    if ( domain_of(b, f->domain) )
        summary_domain_state(b, f);
}

void summary_domain_state(void *state, const struct fact_domain *f)
{
    struct summary *b = state;
    struct summary_domain *own = summary_find_domain(b, f->domain);
    struct summary_domain_sched *d = own ? own->sched : NULL;

    if ( !d )
    {
        summary_first_domain_state(b, f);
        return;
    }
    if ( f->last )
    {
        d->time.open[f->state] += f->to - f->from;
        d->time.elapsed += f->to - f->since;
    }
    else if ( f->from < f->to )
        /* As an element, its address is worked out for each member anew. */
        stats_add(d->state + f->state, &b->pool, f->to - f->from, f->from);
}

void summary_stay(void *state, const struct fact_residency *f)
{
    struct summary *b = state;
    struct summary_sched *v = find_sched(b, f->vcpu);

    if ( !v && !(v = new_sched(b, f->vcpu)) )
        return;
    v->migrations += f->next != FACT_NO_PCPU;
    v->recent[v->nr_recent++] = (struct summary_recent){ f->pcpu, f->from,
                                                      f->to - f->from };
    if ( v->nr_recent == SUMMARY_RECENT )
        put_by_pcpu(b, v);
}

static struct summary_halts *halts_of(struct summary *b,
                                      const struct vcpu *v)
{
    struct summary_vcpu *own = summary_vcpu(b, v);

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

/* The first interrupt after a wake-up is taken for what woke the vcpu. */
void summary_halt(void *state, const struct fact_wake_to_halt *f)
{
    struct summary *b = state;
    struct summary_halts *h = halts_of(b, f->vcpu);

    for ( unsigned int i = 0; h && i < f->nr_vectors; i++ )
    {
        uint64_t vector = f->vectors[i].vector, at = f->vectors[i].time;
        uint64_t cycles = f->to > at ? f->to - at : 0;

        stats_map_add(i ? &h->other : &h->any, &b->pool, vector, cycles, at);
        if ( f->nr_vectors == 1 )
            stats_map_add(&h->alone, &b->pool, vector, cycles, at);
    }
}

void summary_loss(void *state, const struct fact_loss *f)
{
    struct summary *b = state;
    struct summary_pcpu *p = summary_pcpu(b, f->pcpu);
    struct stats_top_row row = { f->to - f->from, f->from, f->pcpu };

    b->losses++;
    b->lost += f->records;
    b->lost_cycles += f->to - f->from;
    stats_top_add(&b->loss_gaps, &row);
    if ( !p )
        return;
    p->losses++;
    p->lost_cycles += f->to - f->from;
}
