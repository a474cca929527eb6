/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log-linear histogram behind a series; private to this room.
 *
 * The middle of a cell differs from any value in the cell by at most 1/256 of
 * the value; cells of values below 256 have one value each.
 */
#ifndef XENALYZE_STATS_CELLS_H
#define XENALYZE_STATS_CELLS_H

#include <stdint.h>

#include "xenalyze/stats/stats.h"

#define CELLS STATS_CELLS
#define OCTAVES STATS_OCTAVES

/*
 * Allocated for the first value.  Thousands of series have some octaves each,
 * and most counts are small: so a count has 8 bits, and its higher bits are in
 * another octave, allocated on demand.
 */
struct stats_octave
{
    uint8_t counts[CELLS];
    struct stats_octave *high;  /* times 256; NULL: all are 0 */
};

/* NULL: no values in this octave. */
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

/* Minimum and maximum of a cell. */
static inline uint64_t cells_low(unsigned int octave, unsigned int cell)
{
    debug_assert(octave < OCTAVES && cell < CELLS);
    return ((octave ? CELLS : 0ull) + cell) << cells_shift(octave);
}

static inline uint64_t cells_high(unsigned int octave, unsigned int cell)
{
    return cells_low(octave, cell) + ((1ull << cells_shift(octave)) - 1);
}

/*
 * A run of samples in rising order: one raw sample, or a cell with `count`
 * samples of about `value`.
 */
struct samples_run
{
    uint64_t value;
    uint64_t count;
};

/* Unpack the raw values, unsorted; returns their number. */
size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW]);

#endif /* XENALYZE_STATS_CELLS_H */
