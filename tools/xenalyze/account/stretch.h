/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worst stretch: the contiguous part of a trace in which a vcpu lost most
 * time, of any length and at any place.  Windows of a fixed length would miss a
 * problem that is shorter or longer, or that crosses the border of two windows.
 *
 * A score rises with time lost, and falls by the cost of calm time, a share of
 * its length.  The part of the trace with the greatest rise is found in one
 * pass, in constant memory (Kadane's algorithm):
 *
 *     score      /\  /\/\                        /\
 *           ____/  \/    \____             _____/  \____
 *               |       |     `-----------'     |  |
 *               +-------+ the worst stretch     +--+ another stretch
 *
 * A stretch ends when its score falls to 0; or when calm time lasts longer than
 * the stretch, and longer than STRETCH_GAP_NS, so that two loads that are far
 * apart are two stretches, however much time each of both costs.
 */
#ifndef XENALYZE_ACCOUNT_STRETCH_H
#define XENALYZE_ACCOUNT_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/debug.h"
#include "libxentrace/internal.h"

/* A stretch hurts if its score is at least this: a quarter of the time that a
   steal of 10 % takes in a second. */
#define STRETCH_HURTS_NS 25000000u
#define STRETCH_GAP_NS 1000000000u
#define STRETCH_CALM 0.1        /* loss below this share of time is none */

/* The same in cycles; for all searches of a trace. */
struct stretch_scale { uint64_t hurts, gap; };

struct stretch
{
    uint64_t from, to;          /* time stamps of the first and last loss */
    uint64_t lost;              /* cycles */
    double score;               /* cycles; 0: there is no stretch */
};

/* Requires a zeroed struct. */
struct stretch_search
{
    struct stretch now, worst;
    bool is_open;               /* `now` may go on */
    double score;               /* at the latest loss; now.score is the peak */
    uint64_t lost;              /* cycles since now.from */
    uint64_t last;              /* the end of the latest loss */

    /* Stretches that hurt: number, cycles from begin to end, and lost. */
    uint64_t nr, length, total_lost;
};

struct stretch_scale stretch_scale_make(const struct xt_clock *clock);

/* The cost of all time between the latest loss of the stretch and `at`. */
double stretch_cost(const struct stretch_search *s, uint64_t at);

/* Has calm time lasted longer than the stretch? */
static inline bool stretch_has_gap(const struct stretch_search *s,
                                   const struct stretch_scale *scale,
                                   uint64_t at)
{
    uint64_t length = s->now.to - s->now.from;

    return at > s->now.to && at - s->now.to > scale->gap &&
           at - s->now.to > length;
}

void stretch_begin_slow(struct stretch_search *s,
                        const struct stretch_scale *scale, uint64_t at);

/*
 * A loss begins at `at`, after calm time with this cost.  Returns true if a new
 * stretch begins; false: `now` goes on.
 */
static inline bool stretch_begin_loss(struct stretch_search *s,
                                      const struct stretch_scale *scale,
                                      uint64_t at, double cost)
{
    debug_assert(cost >= 0);
    s->score -= cost;
    if ( s->is_open && s->score > 0 && !stretch_has_gap(s, scale, at) )
        return false;
    stretch_begin_slow(s, scale, at);
    return true;
}

/*
 * The loss ends: add its length, and its gain in score.  Returns true if `now`
 * is the worst stretch so far.
 */
static inline bool stretch_end_loss(struct stretch_search *s, uint64_t to,
                                    uint64_t lost, double gain)
{
    debug_assert(s->is_open);
    s->score += gain;
    s->lost += lost;
    s->last = to;
    if ( s->score <= s->now.score || to < s->now.from )
        return false;
    s->now.to = to;
    s->now.lost = s->lost;
    s->now.score = s->score;
    if ( s->now.score <= s->worst.score )
        return false;
    s->worst = s->now;
    return true;
}

/* The segment ends: later times cannot be compared. */
void stretch_close(struct stretch_search *s, const struct stretch_scale *scale);

/* After closing: does the worst stretch hurt? */
static inline bool stretch_hurts(const struct stretch_search *s)
{
    return s->nr;
}

#endif /* XENALYZE_ACCOUNT_STRETCH_H */
