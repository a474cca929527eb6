/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversions with a division, which are done once per trace.
 */
#include "libxentrace/clock.h"

#include <assert.h>

typedef unsigned __int128 u128;

void xt_clock_init(struct xt_clock *c, uint64_t cycles, uint64_t ns,
                   uint64_t origin)
{
    u128 a_cycle;

    assert(cycles && ns);
    a_cycle = ((u128)ns << 64) / cycles;
    /* Round up, so that whole nanoseconds convert exactly. */
    a_cycle += a_cycle * cycles != (u128)ns << 64;
    *c = (struct xt_clock){ .ns = a_cycle >> 64, .fraction = a_cycle,
                            .origin = origin };
}

void xt_clock_set_wall(struct xt_clock *c, uint64_t tsc, int64_t wall)
{
    assert(c->ns || c->fraction);
    c->wall = (int64_t)((uint64_t)wall - (uint64_t)xt_clock_ns(c, tsc));
    c->has_wall = true;
}

uint64_t xt_clock_cycles(const struct xt_clock *c, uint64_t ns)
{
    u128 a_cycle = (u128)c->ns << 64 | c->fraction, time = (u128)ns << 64;
    u128 cycles = time / a_cycle;

    cycles += cycles * a_cycle != time;
    return cycles > UINT64_MAX ? UINT64_MAX : cycles;
}

/* The greatest number of cycles that take at most `ns`. */
static uint64_t cycles_within(const struct xt_clock *c, uint64_t ns)
{
    return ns == UINT64_MAX ? UINT64_MAX : xt_clock_cycles(c, ns + 1) - 1;
}

uint64_t xt_clock_tsc(const struct xt_clock *c, int64_t ns)
{
    uint64_t cycles;

    if ( ns >= 0 )
    {
        cycles = xt_clock_cycles(c, ns);
        return cycles > UINT64_MAX - c->origin ? UINT64_MAX
                                               : c->origin + cycles;
    }
    cycles = cycles_within(c, -(uint64_t)ns);
    return cycles > c->origin ? 0 : c->origin - cycles;
}

uint64_t xt_clock_hz(const struct xt_clock *c)
{
    u128 a_cycle = (u128)c->ns << 64 | c->fraction;

    return ((((u128)1000000000 << 64) + a_cycle / 2) / a_cycle);
}
