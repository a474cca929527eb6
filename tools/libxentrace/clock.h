/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From time stamps to time.  A time stamp counts cycles; how long one takes
 * is kept as nanoseconds in 64.64 fixed point.  So a conversion is two
 * multiplications, and never wrong by more than a nanosecond, for a trace of a
 * year as for one of a second; and later time stamps never come out earlier.
 */
#ifndef LIBXENTRACE_CLOCK_H
#define LIBXENTRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct xt_clock
{
    uint64_t ns, fraction;      /* that a cycle takes; of 2^64 */
    uint64_t origin;            /* the time stamp of nanosecond 0 */
    bool has_wall;
    int64_t wall;               /* nanoseconds since 1970 at the origin */
};

/* What stock's xenalyze takes where nobody says how fast the clock is. */
#define XT_CLOCK_HZ 2400000000u

/* `cycles` take `ns`; so a frequency is (hz, 10^9).  Neither is 0. */
void xt_clock_init(struct xt_clock *c, uint64_t cycles, uint64_t ns,
                   uint64_t origin);

/* The time stamp `tsc` is this moment of the wall clock. */
void xt_clock_set_wall(struct xt_clock *c, uint64_t tsc, int64_t wall);

static inline uint64_t xt_clock_duration(const struct xt_clock *c,
                                         uint64_t cycles)
{
    return cycles * c->ns +
           (uint64_t)((unsigned __int128)cycles * c->fraction >> 64);
}

/* Nanoseconds from the origin; negative before it. */
static inline int64_t xt_clock_ns(const struct xt_clock *c, uint64_t tsc)
{
    return tsc >= c->origin ? (int64_t)xt_clock_duration(c, tsc - c->origin)
                            : (int64_t)-xt_clock_duration(c, c->origin - tsc);
}

/* Since 1970, if c->has_wall.  What a file claims may wrap. */
static inline int64_t xt_clock_wall(const struct xt_clock *c, uint64_t tsc)
{
    return (int64_t)((uint64_t)c->wall + (uint64_t)xt_clock_ns(c, tsc));
}

/* The first time stamp at or after so many nanoseconds from the origin. */
uint64_t xt_clock_tsc(const struct xt_clock *c, int64_t ns);

/* Cycles a second, to the nearest one. */
uint64_t xt_clock_hz(const struct xt_clock *c);

#endif /* LIBXENTRACE_CLOCK_H */
