/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidates are the percentiles: a length with 30 % of the gaps is one of
 * them.
 */
#include "xenalyze/account/period.h"

#include <assert.h>

#define LEAST_GAPS 8u
#define LEAST_PERCENT 30u
#define NEAR_PERCENT 3u         /* gaps within this count as equal */

static uint64_t count_near(const struct stats *s, uint64_t cycles)
{
    uint64_t near = cycles / 100 * NEAR_PERCENT;
    const uint64_t limits[] = { cycles - near, cycles + near + 1 };
    uint64_t counts[3];

    stats_spread(s, limits, counts, 2);
    return counts[1];
}

/* The peak has most of the gaps around a candidate. */
bool period_find(const struct period *p, struct period_found *found)
{
    uint64_t most = 0;

    *found = (struct period_found){ .cycles = 0 };
    if ( p->gaps.count < LEAST_GAPS )
        return false;
    for ( unsigned int i = 1; i < 100; i++ )
    {
        uint64_t cycles = stats_percentile(&p->gaps, i);
        uint64_t near = count_near(&p->gaps, cycles);

        assert(near <= p->gaps.count);
        if ( near <= most )
            continue;
        /* A multiple of a regular period is no period of its own. */
        if ( found->percent >= LEAST_PERCENT &&
             cycles > found->cycles + found->cycles / 2 )
            break;
        most = near;
        found->cycles = cycles;
        found->percent = (unsigned int)(100 * near / p->gaps.count);
    }
    assert(found->percent <= 100 && (!found->percent || found->cycles));
    return found->percent >= LEAST_PERCENT;
}
