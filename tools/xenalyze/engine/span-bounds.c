/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds of the selected span.  Records before the span are read for the
 * states at its begin: these records do not count, and emit no facts.
 */
#include <assert.h>
#include <errno.h>

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
    p->bounds = arena_zalloc(&a->pcpu_arena, sizeof(*p->bounds),
                             _Alignof(struct volume_bounds));
    if ( !p->bounds )
        return -ENOMEM;
    p->bounds->nr = count_volume_bounds(a);
    return 0;
}

/* Muted gaps are unknown, so the first gap begins here. */
static void begin_facts(struct pcpu *p)
{
    if ( p->gaps.next < UINT64_MAX )
        p->gaps = (struct moment_gaps){ .next = 0 };
}

void span_reach(struct analysis *a, uint64_t time)
{
    while ( time >= a->bound && a->bound < UINT64_MAX )
    {
        for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
            if ( a->pcpus[i] && a->next_bound == SPAN_FACTS )
                begin_facts(a->pcpus[i]);
            else if ( a->pcpus[i] )
                pcpu_cross_bound(a->pcpus[i]);
        a->next_bound++;
        a->bound = find_bound(a);
    }
    assert(a->next_bound <= SPAN_BOUNDS);
}
