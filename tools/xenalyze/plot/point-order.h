/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points in the order of time.  A fact comes at its end, and its point can be
 * at its begin: an exit lasts until its entry.  So points are held back until
 * POINTS_HELD later ones have come, or the segment ends.
 *
 * A point that comes after more than POINTS_HELD / 2 later ones cannot be put
 * in order, since memory is limited: it is delivered at once, and counted.
 */
#ifndef XENALYZE_PLOT_POINT_ORDER_H
#define XENALYZE_PLOT_POINT_ORDER_H

#include <stddef.h>

#include "xenalyze/plot/points.h"

#define POINTS_HELD (1u << 19)

struct held_point
{
    struct point point;
    uint64_t nr;                /* order of arrival */
    const struct points *to;    /* borrowed */
};

/* Zeroed: empty. */
struct point_order
{
    struct held_point *held;
    size_t nr, room;
    size_t limit;               /* points to hold; 0: POINTS_HELD */
    bool sorted;
    uint64_t arrived;
    uint64_t delivered;         /* the latest time that is delivered */
    uint64_t late;              /* points delivered after a later one */
};

void point_order_put(struct point_order *o, const struct point *p,
                     const struct points *to);

/* Deliver all points: the times of the next ones cannot be compared. */
void point_order_flush(struct point_order *o);

void point_order_fini(struct point_order *o);

#endif /* XENALYZE_PLOT_POINT_ORDER_H */
