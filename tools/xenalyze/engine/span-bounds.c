/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The volumes of the pcpus at the bounds of the span: before it, the records
 * are read for the states that follow from them, and do not count.
 */
#include <assert.h>
#include <errno.h>

#include "xenalyze/engine/engine-private.h"

/* The first time stamp behind the next bound; UINT64_MAX: there is none. */
static uint64_t find_bound(const struct analysis *a)
{
    const struct analyze_options *o = a->options;

    if ( !o->bounded || a->nr_bounds == VOLUME_BOUNDS )
        return UINT64_MAX;
    if ( a->nr_bounds == VOLUME_AT_BEGIN )
        return o->from;
    assert(a->nr_bounds == VOLUME_AT_END);
    return o->until < UINT64_MAX ? o->until + 1 : UINT64_MAX;
}

void segment_begin_bounds(struct analysis *a)
{
    a->nr_bounds = 0;
    a->bound = find_bound(a);
}

int segment_open_bounds(struct analysis *a, struct pcpu *p)
{
    p->bounds = arena_zalloc(&a->pcpu_arena, sizeof(*p->bounds),
                             _Alignof(struct volume_bounds));
    if ( !p->bounds )
        return -ENOMEM;
    p->bounds->nr = a->nr_bounds;
    return 0;
}

void segment_cross_bounds(struct analysis *a, uint64_t time)
{
    while ( time >= a->bound && a->bound < UINT64_MAX )
    {
        for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
            if ( a->pcpus[i] )
                pcpu_cross_bound(a->pcpus[i]);
        a->nr_bounds++;
        a->bound = find_bound(a);
    }
    assert(a->nr_bounds <= VOLUME_BOUNDS);
}
