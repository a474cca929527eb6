/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole machine stands still at times, as in a system management interrupt
 * (machine-stall.h), and then the timer interrupt of each pcpu is late.  A
 * stall is known some records after its end, so an array keeps the late timers
 * until the end of the trace; then the cycles of stalls are subtracted.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/account/sched-check-rules.h"

void sched_break_late(struct sched_checks *c, struct sched_result *r,
                      const struct sched_case *how)
{
    assert(how->excess > c->late);
    sched_count_case(r, how);
    c->has_more_delays |= c->nr_delays == SCHED_DELAYS;
    if ( c->has_more_delays )
        return;
    if ( !c->delays )
        c->delays = fault_calloc(SCHED_DELAYS, sizeof(*c->delays));
    c->failed |= !c->delays;
    if ( c->delays )
        c->delays[c->nr_delays++] = (struct sched_delay){ r, *how };
}

/* Cycles of stalls between `from` and `to`. */
static uint64_t sum_stalls(const struct machine_stalls *m, uint64_t from,
                           uint64_t to)
{
    uint64_t sum = 0;

    for ( uint32_t i = 0; i < m->nr_longest; i++ )
    {
        uint64_t begin = m->longest[i].from, end = m->longest[i].to;

        begin = begin > from ? begin : from;
        end = end < to ? end : to;
        sum += end > begin ? end - begin : 0;
    }
    return sum;
}

void sched_subtract_stalls(struct sched_checks *c,
                           const struct machine_stalls *stalls)
{
    /* Times of several segments cannot be compared. */
    if ( c->has_more_delays || c->has_segments || !stalls->nr_longest )
        return;
    for ( uint32_t i = 0; i < c->nr_delays; i++ )
        c->delays[i].result->broken = 0;
    for ( uint32_t i = 0; i < c->nr_delays; i++ )
    {
        struct sched_case how = c->delays[i].how;
        uint64_t stalled = sum_stalls(stalls, how.from, how.to);

        if ( how.excess <= c->late + stalled )
        {
            c->nr_stalled++;
            continue;
        }
        how.excess -= stalled;
        sched_count_case(c->delays[i].result, &how);
    }
}
