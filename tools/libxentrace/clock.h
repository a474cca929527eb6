/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of time stamps to time.  A time stamp counts cycles, and the
 * length of a cycle is kept in nanoseconds, as 64.64 fixed point.  So a
 * conversion takes two multiplications, has an error of less than a nanosecond
 * for traces of any length, and is monotonic.
 */
#ifndef LIBXENTRACE_CLOCK_H
#define LIBXENTRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct xt_clock
{
    uint64_t ns, fraction;      /* length of a cycle, in ns and ns / 2^64 */
    uint64_t origin;            /* the time stamp of nanosecond 0 */
    bool has_wall;
    int64_t wall;               /* nanoseconds since 1970 at the origin */
};

/* Stock xenalyze's default for a clock of unknown frequency. */
#define XT_CLOCK_HZ 2400000000u

/* `cycles` take `ns`; so a frequency is (hz, 10^9).  Neither is 0. */
void xt_clock_init(struct xt_clock *c, uint64_t cycles, uint64_t ns,
                   uint64_t origin);

/* Set the wall clock: `wall` at time stamp `tsc`. */
void xt_clock_set_wall(struct xt_clock *c, uint64_t tsc, int64_t wall);

static inline uint64_t xt_clock_duration(const struct xt_clock *c,
                                         uint64_t cycles)
{
    return cycles * c->ns +
           (uint64_t)((unsigned __int128)cycles * c->fraction >> 64);
}

/* Nanoseconds from the origin; negative before the origin. */
static inline int64_t xt_clock_ns(const struct xt_clock *c, uint64_t tsc)
{
    return tsc >= c->origin ? (int64_t)xt_clock_duration(c, tsc - c->origin)
                            : (int64_t)-xt_clock_duration(c, c->origin - tsc);
}

/* Nanoseconds since 1970, if c->has_wall.  Values from a file may wrap. */
static inline int64_t xt_clock_wall(const struct xt_clock *c, uint64_t tsc)
{
    return (int64_t)((uint64_t)c->wall + (uint64_t)xt_clock_ns(c, tsc));
}

/* The first time stamp at least `ns` nanoseconds after the origin. */
uint64_t xt_clock_tsc(const struct xt_clock *c, int64_t ns);

/* The least number of cycles that take at least `ns`; limited to 64 bits. */
uint64_t xt_clock_cycles(const struct xt_clock *c, uint64_t ns);

/* Cycles per second, rounded. */
uint64_t xt_clock_hz(const struct xt_clock *c);

#endif /* LIBXENTRACE_CLOCK_H */
