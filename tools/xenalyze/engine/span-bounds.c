/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds of the selected span.  Records before the span are read for the
 * states at its begin: these records do not count, and emit no facts.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/grow.h"
#include "xenalyze/engine/engine-private.h"

/* The first time stamp behind the next bound; UINT64_MAX: there is none. */
static uint64_t find_bound(const struct analysis *a)
{
    const struct analyze_options *o = a->options;
    const uint64_t bounds[SPAN_BOUNDS] = {
        [SPAN_FACTS] = a->facts_from,
        [SPAN_BEGIN] = o->from,
        [SPAN_END] = o->until < UINT64_MAX ? o->until + 1 : UINT64_MAX,
    };

    assert(a->next_bound <= SPAN_BOUNDS);
    return o->bounded && a->next_bound < SPAN_BOUNDS ? bounds[a->next_bound]
                                                     : UINT64_MAX;
}

void span_begin_segment(struct analysis *a)
{
    assert(!a->anomalies);
    a->global_anomalies = (struct anomaly_bounds){ .has_end = false };
    a->next_bound = SPAN_FACTS;
    a->bound = find_bound(a);
}

static unsigned int count_volume_bounds(const struct analysis *a)
{
    assert(SPAN_BEGIN == 1 && SPAN_END - SPAN_BEGIN + 1 == VOLUME_BOUNDS);
    return a->next_bound > SPAN_BEGIN ? a->next_bound - SPAN_BEGIN : 0;
}

int span_open_pcpu(struct analysis *a, struct pcpu *p)
{
    if ( !grow_to_index(&a->anomalies, &a->nr_anomalies, p->id,
                        sizeof(*a->anomalies)) )
        return -ENOMEM;
    a->anomalies[p->id].has_end = a->next_bound > SPAN_END;
    p->bounds = arena_zalloc(&a->pcpu_arena, sizeof(*p->bounds),
                             _Alignof(struct volume_bounds));
    if ( !p->bounds )
        return -ENOMEM;
    p->bounds->nr = count_volume_bounds(a);
    return 0;
}

/* --- contradictions ------------------------------------------------------- */

static void bound_anomalies(struct anomaly_bounds *b, enum span_bound bound,
                            const uint64_t *counts)
{
    assert(bound < SPAN_BOUNDS && !b->has_end);
    b->has_end = bound == SPAN_END;
    if ( bound != SPAN_BEGIN )
        memcpy(b->has_end ? b->until : b->before, counts, sizeof(b->before));
}

void span_reach_changes(struct analysis *a, enum span_bound bound)
{
    bound_anomalies(&a->global_anomalies, bound, a->global.anomalies);
}

void span_add_anomalies(const struct analysis *a, const struct pcpu *p,
                        uint64_t *sums)
{
    static const struct anomaly_bounds none;
    const struct anomaly_bounds *b = !p ? &a->global_anomalies
                                     : a->anomalies ? &a->anomalies[p->id]
                                                    : &none;
    const uint64_t *counts = p ? p->anomalies : a->global.anomalies;

    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( i == ANOMALY_TOO_MANY )
            sums[i] += counts[i];
        else
            sums[i] += (b->has_end ? b->until[i] : counts[i]) - b->before[i];
    assert(!p || !a->anomalies || p->id < a->nr_anomalies);
}

/* --- reaching a bound ----------------------------------------------------- */

/* Muted gaps are unknown, so the first gap begins here. */
static void begin_facts(struct pcpu *p)
{
    if ( p->gaps.next < UINT64_MAX )
        p->gaps = (struct moment_gaps){ .next = 0 };
}

static void reach_bound(struct analysis *a, struct pcpu *p)
{
    bound_anomalies(&a->anomalies[p->id], a->next_bound, p->anomalies);
    if ( a->next_bound == SPAN_FACTS )
        begin_facts(p);
    else
        pcpu_cross_bound(p);
}

void span_reach(struct analysis *a, uint64_t time)
{
    while ( time >= a->bound && a->bound < UINT64_MAX )
    {
        for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
            if ( a->pcpus[i] )
                reach_bound(a, a->pcpus[i]);
        if ( a->by_time )
            span_reach_changes(a, a->next_bound);
        a->next_bound++;
        a->bound = find_bound(a);
    }
    assert(a->next_bound <= SPAN_BOUNDS);
}
