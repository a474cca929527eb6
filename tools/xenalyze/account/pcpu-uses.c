/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sorted array; room is made by moving the newer spans to the front, which
 * costs constant time per span, since at least a quarter is dropped or the
 * array doubles.
 */
#include "xenalyze/account/pcpu-uses.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

void pcpu_uses_fini(struct pcpu_uses *u)
{
    free(u->spans);
    *u = (struct pcpu_uses){ .nr = 0 };
}

static void drop_spans(struct pcpu_uses *u, uint32_t nr)
{
    assert(nr <= u->nr);
    if ( !nr )
        return;
    u->begin = u->spans[nr - 1].to;
    u->has_dropped = true;
    u->nr -= nr;
    memmove(u->spans, u->spans + nr, u->nr * sizeof(*u->spans));
}

static bool allocate(struct pcpu_uses *u, uint32_t nr)
{
    struct pcpu_span *spans = fault_realloc(u->spans, nr * sizeof(*spans));

    assert(u->nr <= nr);
    if ( !spans )
        return false;
    u->spans = spans;
    u->allocated = nr;
    return true;
}

#define MUCH 65536u             /* spans */

/* Free memory of an array that was long, and is short now. */
static void shrink(struct pcpu_uses *u)
{
    while ( u->room > PCPU_USES_FIRST && u->nr < u->room / 8 )
        u->room /= 2;
    if ( u->allocated >= MUCH && u->room < u->allocated )
        allocate(u, u->room);
    assert(u->room <= u->allocated);
}

bool pcpu_uses_make_room(struct pcpu_uses *u, uint64_t oldest, uint32_t limit)
{
    uint32_t room;

    assert(limit >= PCPU_USES_FIRST);
    drop_spans(u, pcpu_uses_find(u, oldest));
    shrink(u);
    if ( u->room && u->nr <= u->room / 4 * 3 )
        return true;
    room = u->room ? 2 * u->room : PCPU_USES_FIRST;
    if ( room > limit && u->room )
    {
        drop_spans(u, u->room / 4);
        assert(!pcpu_uses_are_full(u));
        return true;
    }
    if ( room > u->allocated && !allocate(u, room) )
        return false;
    u->room = room;
    return true;
}

/* Exponential search: the time is nearer to the end than to the begin. */
static uint32_t find_span(const struct pcpu_uses *u, uint64_t time)
{
    uint32_t low = 0, high = u->nr, back = 4;

    while ( back < u->nr && u->spans[u->nr - back].to > time )
    {
        high = u->nr - back;
        back *= 2;
    }
    if ( back < u->nr )
        low = u->nr - back + 1;
    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( u->spans[middle].to > time )
            high = middle;
        else
            low = middle + 1;
    }
    debug_assert(!low || u->spans[low - 1].to <= time);
    debug_assert(low == u->nr || u->spans[low].to > time);
    return low;
}

uint32_t pcpu_uses_find(const struct pcpu_uses *u, uint64_t time)
{
    uint32_t nr = u->nr;
    const struct pcpu_span *last = nr ? u->spans + nr : NULL;

    /* Most waits are short: one of the last, without unpredictable branches. */
    if ( nr > 4 && last[-4].to <= time )
        return nr - (last[-1].to > time) - (last[-2].to > time) -
               (last[-3].to > time);
    return find_span(u, time);
}
