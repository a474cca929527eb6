/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs of clocks: readings of the trace's clock and of dom0's CLOCK_MONOTONIC
 * at one moment, from the metadata of a trace.
 *
 *     time stamp
 *       |               . x      between two pairs: the line through both
 *       |          x
 *       |     x                  outside: the mean rate of all pairs; of one
 *       | .                      pair, the frequency of the clock
 *       +------------------ CLOCK_MONOTONIC
 *
 * dom0 adjusts the rate of its clock, so a line through all pairs would be
 * wrong by more than the lines between neighbours.
 */
#ifndef XENALYZE_PROGRAMS_CLOCK_PAIRS_H
#define XENALYZE_PROGRAMS_CLOCK_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/internal.h"

#define CLOCK_PAIRS_MAX (1u << 20)      /* further ones are ignored */

struct clock_pair
{
    uint64_t tsc, mono, wall;
    uint32_t uncertainty;       /* in cycles */
};

/* All bytes 0: no pairs. */
struct clock_pairs
{
    struct clock_pair *all;     /* all clocks rise */
    size_t nr, room;
    bool failed;                /* no memory */
    struct xt_clock clock;      /* outside of the pairs */
};

/* Add the pair of a record of metadata (visit-metadata.h). */
void clock_pairs_add(void *clock_pairs, const struct xt_meta *m);

/*
 * After the last pair: drop the imprecise ones, and those of another segment.
 * `clock` is the trace's.
 */
void clock_pairs_finish(struct clock_pairs *p, const struct xt_clock *clock);
void clock_pairs_fini(struct clock_pairs *p);

/* 0 or -ENOMEM. */
int clock_pairs_copy(struct clock_pairs *to, const struct clock_pairs *from);

/* The time stamp of a time; there is at least one pair.  Limited to 64 bits. */
uint64_t clock_pairs_tsc(const struct clock_pairs *p, uint64_t mono);

/* CLOCK_MONOTONIC at a time of the wall clock; not below 0. */
uint64_t clock_pairs_mono(const struct clock_pairs *p, uint64_t wall);

/*
 * The error of these in nanoseconds: the uncertainty of a reading, and how far
 * a pair is from the line through its neighbours.
 */
uint64_t clock_pairs_error(const struct clock_pairs *p);

#endif /* XENALYZE_PROGRAMS_CLOCK_PAIRS_H */
