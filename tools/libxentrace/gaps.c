/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sorted array.  Each gap is in front of another window, so that there are
 * never more gaps than windows.
 */
#include "libxentrace/gaps.h"

#include <assert.h>
#include <errno.h>

#include "common/fault.h"

#define FIRST_ROOM 16u

int xt_gaps_add(struct xt_gaps *g, uint64_t entry, uint64_t from)
{
    size_t room = g->room ? 2 * g->room : FIRST_ROOM;
    struct xt_gap *items;

    assert(!g->nr || g->items[g->nr - 1].entry <= entry);
    if ( g->nr && g->items[g->nr - 1].entry == entry )
        return 0;
    if ( g->nr == g->room )
    {
        items = fault_realloc(g->items, room * sizeof(*items));
        if ( !items )
            return -ENOMEM;
        g->items = items;
        g->room = room;
    }
    g->items[g->nr++] = (struct xt_gap){ .entry = entry, .from = from };
    return 0;
}

const struct xt_gap *xt_gaps_find(const struct xt_gaps *g, uint64_t from,
                                  uint64_t entry)
{
    size_t low = 0, high = g->nr;

    assert(g->nr <= g->room);
    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( g->items[middle].entry < from + 1 )
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->nr && g->items[low].entry <= entry ? &g->items[low] : NULL;
}
