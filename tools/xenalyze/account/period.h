/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do events come in a regular period?  They do if at least 30 % of the times
 * from one event to the next are within 3 % of the same length.
 *
 * Memory: one series, whatever the number of events.
 */
#ifndef XENALYZE_ACCOUNT_PERIOD_H
#define XENALYZE_ACCOUNT_PERIOD_H

#include <stdbool.h>

#include "xenalyze/stats/stats.h"

/* Requires a zeroed struct. */
struct period
{
    uint64_t last;              /* time of the latest event; 0: none */
    struct stats gaps;          /* times from one event to the next */
};

struct period_found
{
    uint64_t cycles;            /* the shortest regular period */
    unsigned int percent;       /* share of the gaps with this length */
};

/* An event, not before the event before it. */
static inline void period_add(struct period *p, struct stats_pool *pool,
                              uint64_t at)
{
    if ( p->last && at > p->last )
        stats_add(&p->gaps, pool, at - p->last, p->last);
    p->last = at;
}

/* The next segment has other times. */
static inline void period_interrupt(struct period *p)
{
    p->last = 0;
}

/* False: there are too few events, or no regular period. */
bool period_find(const struct period *p, struct period_found *found);

#endif /* XENALYZE_ACCOUNT_PERIOD_H */
