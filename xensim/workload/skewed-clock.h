/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cycle counter shown by a pcpu: the true time, with a constant offset and
 * a drift of a few parts in 10^9.
 */
#ifndef XENSIM_SKEWED_CLOCK_H
#define XENSIM_SKEWED_CLOCK_H

#include <stdint.h>

struct skewed_clock
{
    int64_t offset;     /* cycles */
    int64_t drift;      /* ppb */
    uint64_t from;      /* true time when the drift starts */
};

static inline uint64_t skewed_clock_read(const struct skewed_clock *c,
                                         uint64_t now)
{
    if ( c->drift )
        return now + c->offset + (__int128)(int64_t)(now - c->from) *
               c->drift / 1000000000;
    return now + c->offset;
}

#endif /* XENSIM_SKEWED_CLOCK_H */
