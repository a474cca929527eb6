/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Most points arrive in order, and are only copied.  A full array is sorted,
 * and its earlier half delivered.
 */
#include "xenalyze/plot/point-order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

#define FIRST_ROOM 1024u

/* By time, then in the order of arrival. */
static int compare_held(const void *a, const void *b)
{
    const struct held_point *x = a, *y = b;

    if ( x->point.at != y->point.at )
        return x->point.at < y->point.at ? -1 : 1;
    return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Deliver the first `nr` points in the order of time. */
static void deliver_points(struct point_order *o, size_t nr)
{
    assert(nr <= o->nr);
    if ( !nr )
        return;
    if ( !o->sorted )
        qsort(o->held, o->nr, sizeof(*o->held), compare_held);
    o->sorted = true;
    for ( size_t i = 0; i < nr; i++ )
    {
        const struct held_point *h = &o->held[i];

        debug_assert(h->point.at >= o->delivered);
        h->to->put(h->to->state, &h->point);
    }
    o->delivered = o->held[nr - 1].point.at;
    o->nr -= nr;
    memmove(o->held, o->held + nr, o->nr * sizeof(*o->held));
}

/* False: there is no more memory, or the limit is reached. */
static bool grow_room(struct point_order *o)
{
    size_t limit = o->limit ? o->limit : POINTS_HELD;
    size_t room = o->room ? 2 * o->room : FIRST_ROOM;
    struct held_point *larger;

    assert(o->nr == o->room);
    room = room < limit ? room : limit;
    if ( room <= o->room )
        return false;
    larger = fault_realloc(o->held, room * sizeof(*larger));
    if ( !larger )
        return false;
    o->held = larger;
    o->room = room;
    return true;
}

void point_order_put(struct point_order *o, const struct point *p,
                     const struct points *to)
{
    if ( o->nr == o->room && !grow_room(o) )
        deliver_points(o, (o->nr + 1) / 2);
    if ( p->at < o->delivered || o->nr == o->room )
    {
        o->late += p->at < o->delivered;
        to->put(to->state, p);
        return;
    }
    o->sorted = !o->nr ||
                (o->sorted && o->held[o->nr - 1].point.at <= p->at);
    o->held[o->nr++] = (struct held_point){ *p, o->arrived++, to };
}

void point_order_flush(struct point_order *o)
{
    deliver_points(o, o->nr);
    o->delivered = 0;
}

void point_order_fini(struct point_order *o)
{
    free(o->held);
    *o = (struct point_order){ .room = 0 };
}
