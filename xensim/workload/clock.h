/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cycle counter of a pcpu shows: the true time, off by a constant,
 * and too fast or too slow by a few parts in 10^9.
 */
#ifndef XENSIM_CLOCK_H
#define XENSIM_CLOCK_H

#include <stdint.h>

struct shown_clock
{
    int64_t offset;     /* cycles */
    int64_t drift;      /* ppb */
    uint64_t from;      /* when it began to drift */
};

static inline uint64_t clock_shows(const struct shown_clock *c, uint64_t now)
{
    if ( c->drift )
        return now + c->offset + (__int128)(int64_t)(now - c->from) *
               c->drift / 1000000000;
    return now + c->offset;
}

#endif /* XENSIM_CLOCK_H */
