/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a vcpu has been in a state, such as waiting for a pcpu, between any
 * two timestamps of the segment.  The vcpu has an array with a point for each
 * time in the state: its end, and the sum of all times until then.
 *
 *     sum   0         2                5      6
 *           |      ---|     -----------|     -|
 *           +---------+----------------+------+---> time
 *
 * The sums of all points are exact.  If the array is full, old points are
 * dropped, and the time between the remaining ones is divided evenly.  The
 * longer ago, the fewer points remain: so the error is a small part of the time
 * since then, 1/64, or 1/32 after some millions of times.  The latest
 * TIME_LOG_EXACT times are exact.
 *
 * Memory: for each vcpu TIME_LOG_FIRST points, up to TIME_LOG_MAX if many times
 * are added; 16 bytes each.  When the arrays of all vcpus have grown by
 * TIME_LOGS_MAX points, these no longer grow, and drop points earlier.
 */
#ifndef XENALYZE_ACCOUNT_TIME_LOG_H
#define XENALYZE_ACCOUNT_TIME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/debug.h"

#define TIME_LOG_FIRST 4u
#define TIME_LOG_MAX 1024u
#define TIME_LOG_EXACT (TIME_LOG_MAX / 4)
#define TIME_LOGS_MAX (1u << 20)
#define TIME_LOG_END (UINT64_C(1) << 63)

/* The memory of all vcpus. */
struct time_logs
{
    struct arena arena;
    uint32_t max;               /* points that logs can grow to, in total */
    uint32_t grown;             /* points beyond TIME_LOG_FIRST so far */
    bool failed;                /* no memory */
};

void time_logs_init(struct time_logs *all);
void time_logs_fini(struct time_logs *all);

struct time_log_point
{
    uint64_t at;
    uint64_t is_marked : 1;     /* a bit that the owner sets; dropped points
                                   leave their bits to the next point */
    uint64_t sum : 63;
};

/* Zeroed: empty. */
struct time_log
{
    /* The point of index 0 is the begin of the first time; `at` never falls. */
    struct time_log_point *points;
    uint32_t nr, limit;         /* limit: 0 if there are no points, or room */
    uint32_t room;
    uint32_t coarse;            /* grows if few points can be dropped */
    uint64_t dropped_until;     /* the last point with one dropped before it */
};

void time_log_add_slow(struct time_log *l, struct time_logs *all,
                       uint64_t from, uint64_t to, bool is_marked);

/* There is room. */
static inline void time_log_add_fast(struct time_log *l, uint64_t from,
                                     uint64_t to, bool is_marked)
{
    struct time_log_point *p = l->points + l->nr;

    debug_assert(l->nr && l->nr < l->limit);
    if ( from < p[-1].at )
        from = p[-1].at;
    if ( from > to || to >= TIME_LOG_END )
        return;
    *p = (struct time_log_point){ to, is_marked, p[-1].sum + (to - from) };
    l->nr++;
}

/*
 * Add a time.  Times may overlap if records of two pcpus contradict each other:
 * the part behind the latest one counts.  Times of a damaged trace, from
 * TIME_LOG_END on, are ignored.
 */
static inline void time_log_add(struct time_log *l, struct time_logs *all,
                                uint64_t from, uint64_t to, bool is_marked)
{
    if ( l->nr < l->limit )
        time_log_add_fast(l, from, to, is_marked);
    else
        time_log_add_slow(l, all, from, to, is_marked);
}

/* Forget all times, but keep the memory. */
static inline void time_log_clear(struct time_log *l)
{
    l->nr = l->limit = l->coarse = 0;
    l->dropped_until = 0;
}

/* The index of the first point after `time`; nr: none. */
size_t time_log_count(const struct time_log *l, uint64_t time);

/* The begin of the time that ends with a point, which has an index above 0. */
static inline uint64_t time_log_begin(const struct time_log_point *p)
{
    debug_assert(p[-1].sum <= p->sum && p->sum - p[-1].sum <= p->at);
    return p->at - (p->sum - p[-1].sum);
}

uint64_t time_log_between_slow(const struct time_log *l, uint64_t from,
                               uint64_t to);

/*
 * The time in the state between two moments: at most to - from.  Most questions
 * are about the latest time.
 */
static inline uint64_t time_log_between(const struct time_log *l,
                                        uint64_t from, uint64_t to)
{
    const struct time_log_point *last;

    debug_assert(from <= to);
    if ( l->nr < 2 )
        return 0;
    last = l->points + l->nr - 1;
    if ( from < last[-1].at || last->at <= l->dropped_until )
        return time_log_between_slow(l, from, to);
    if ( from < time_log_begin(last) )
        from = time_log_begin(last);
    if ( to > last->at )
        to = last->at;
    return from < to ? to - from : 0;
}

#endif /* XENALYZE_ACCOUNT_TIME_LOG_H */
