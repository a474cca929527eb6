/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Global facts into the book: in which states vcpus and domains were, where
 * vcpus stayed, what the pcpus lost.
 */
#include "xenalyze/account/summary.h"

/* NULL: it is not in the book so far. */
static inline struct book_sched *find_sched(const struct book *b,
                                            const struct world_vcpu *v)
{
    struct book_vcpu *own = book_find_vcpu(b, v);

    return own ? own->sched : NULL;
}

/* NULL: no memory. */
COLD
static struct book_sched *new_sched(struct book *b, const struct world_vcpu *v)
{
    struct book_vcpu *own = book_vcpu(b, v);

    if ( !own )
        return NULL;
    own->sched = arena_new(&b->pool.arena, struct book_sched);
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
static void book_first_runstate(struct book *b, const struct fact_runstate *f)
{
    if ( new_sched(b, f->vcpu) )
        book_runstate(b, f);
}

COLD
static void add_open(struct book_sched *v, const struct fact_runstate *f)
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
void book_runstate(void *state, const struct fact_runstate *f)
{
    struct book *b = state;
    struct book_sched *v = find_sched(b, f->vcpu);

    if ( !v )
    {
        book_first_runstate(b, f);
        return;
    }
    if ( f->next == STATES || f->early )
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

static void put_by_pcpu(struct book *b, struct book_sched *v)
{
    struct stats *stays[BOOK_RECENT];

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

void book_sum(struct book *b, struct book_sched *v)
{
    put_by_pcpu(b, v);
    stats_map_sum(&v->stay, &b->pool, &v->stays);
    for ( unsigned int i = 0; i < 4; i++ )
        stats_merge(&v->state[STATE_RUNNABLE], &b->pool, &v->why[i]);
}

static struct book_domain_sched *domain_of(struct book *b,
                                           const struct world_domain *d)
{
    struct book_domain *own = book_domain(b, d);

    if ( !own || own->sched )
        return own ? own->sched : NULL;
    own->sched = arena_new(&b->pool.arena, struct book_domain_sched);
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
static void book_first_domain_state(struct book *b, const struct fact_domain *f)
{
    if ( domain_of(b, f->domain) )
        book_domain_state(b, f);
}

void book_domain_state(void *state, const struct fact_domain *f)
{
    struct book *b = state;
    struct book_domain *own = book_find_domain(b, f->domain);
    struct book_domain_sched *d = own ? own->sched : NULL;

    if ( !d )
    {
        book_first_domain_state(b, f);
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

void book_stay(void *state, const struct fact_stay *f)
{
    struct book *b = state;
    struct book_sched *v = find_sched(b, f->vcpu);

    if ( !v && !(v = new_sched(b, f->vcpu)) )
        return;
    v->migrations += f->next != FACT_NO_PCPU;
    v->recent[v->nr_recent++] = (struct book_recent){ f->pcpu, f->from,
                                                      f->to - f->from };
    if ( v->nr_recent == BOOK_RECENT )
        put_by_pcpu(b, v);
}

static struct book_halts *halts_of(struct book *b, const struct world_vcpu *v)
{
    struct book_vcpu *own = book_vcpu(b, v);

    if ( !own || own->halts )
        return own ? own->halts : NULL;
    own->halts = arena_new(&b->pool.arena, struct book_halts);
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
void book_halt(void *state, const struct fact_halt *f)
{
    struct book *b = state;
    struct book_halts *h = halts_of(b, f->vcpu);

    for ( unsigned int i = 0; h && i < f->nr_vectors; i++ )
    {
        uint64_t vector = f->vectors[i].vector, at = f->vectors[i].time;
        uint64_t cycles = f->to > at ? f->to - at : 0;

        stats_map_add(i ? &h->other : &h->any, &b->pool, vector, cycles, at);
        if ( f->nr_vectors == 1 )
            stats_map_add(&h->alone, &b->pool, vector, cycles, at);
    }
}

void book_loss(void *state, const struct fact_loss *f)
{
    struct book *b = state;
    struct book_pcpu *p = book_pcpu(b, f->pcpu);
    struct stats_top_row row = { f->to - f->from, f->from, f->pcpu };

    b->losses++;
    b->lost += f->records;
    b->blind += f->to - f->from;
    stats_top_add(&b->holes, &row);
    if ( !p )
        return;
    p->losses++;
    p->blind += f->to - f->from;
}
