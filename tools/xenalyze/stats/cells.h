/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log-linear histogram behind a series; this room's own.
 *
 * The middle of a cell is off by at most 1/256 of any value in it; cells of
 * values below 256 have one value each.
 */
#ifndef XENALYZE_STATS_CELLS_H
#define XENALYZE_STATS_CELLS_H

#include <stdint.h>

#include "xenalyze/stats/stats.h"

#define CELLS STATS_CELLS
#define OCTAVES STATS_OCTAVES

/*
 * Made when its first value comes.  Of many thousand series each has some, and
 * most counts are small: so what is above a count's 8 bits is counted by an
 * octave of its own, made if need be.
 */
struct stats_octave
{
    uint8_t counts[CELLS];
    struct stats_octave *high;  /* times 256; NULL: all are 0 */
};

/* NULL: it has no value. */
static inline struct stats_octave *cells_octave(const struct stats_cells *c,
                                                unsigned int octave)
{
    unsigned int i = octave - c->first;

    return i < c->nr ? c->octaves[i] : NULL;
}

static inline uint32_t cells_count(const struct stats_octave *o,
                                   unsigned int cell)
{
    uint32_t count = 0;

    for ( unsigned int shift = 0; o; o = o->high, shift += 8 )
        count |= (uint32_t)o->counts[cell] << shift;
    return count;
}

static inline unsigned int cells_shift(unsigned int octave)
{
    return octave ? octave - 1 : 0;
}

/* The least and the greatest value of a cell. */
static inline uint64_t cells_low(unsigned int octave, unsigned int cell)
{
    return ((octave ? CELLS : 0ull) + cell) << cells_shift(octave);
}

static inline uint64_t cells_high(unsigned int octave, unsigned int cell)
{
    return cells_low(octave, cell) + ((1ull << cells_shift(octave)) - 1);
}

/*
 * All samples of a series in rising order: raw ones one by one, cells as one
 * value that stands for `count` ones.
 */
struct samples_run
{
    uint64_t value;
    uint64_t count;
};

/* Unpack what is in raw, at most STATS_RAW, unsorted; how many. */
size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW]);

#endif /* XENALYZE_STATS_CELLS_H */
