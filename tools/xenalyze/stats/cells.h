/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log-linear histogram behind a series; this room's own.
 *
 * An octave holds the values between two powers of two in 128 cells of equal
 * width, so that the middle of a cell is off by at most 1/256 of any value in
 * it.  Octave 0 has the values below 128, a cell each; octave o, the values
 * whose highest bit is o + 6, 2^(o-1) in a cell: those below 256 are exact.
 */
#ifndef XENALYZE_STATS_CELLS_H
#define XENALYZE_STATS_CELLS_H

#include <stdint.h>

#include "xenalyze/stats/stats.h"

#define CELL_BITS 7u
#define CELLS (1u << CELL_BITS)
#define OCTAVES (64u - CELL_BITS + 1)

/* Made when its first value comes. */
struct stats_octave
{
    uint32_t counts[CELLS];     /* stays at its greatest value */
};

/*
 * Values on their way to an octave are MARKS, numbers of cells: a series of
 * some hundred values stays small, and one of many goes through the memory of
 * its octaves once for so many of them.
 */
#define MARKS 248u

struct stats_cells
{
    struct stats_octave **octaves;      /* OCTAVES of them; NULL: none yet */
    uint32_t nr_marks;
    uint16_t marks[MARKS];
};

_Static_assert(OCTAVES * CELLS <= UINT16_MAX, "a mark holds any cell");

static inline unsigned int cells_shift(unsigned int octave)
{
    return octave ? octave - 1 : 0;
}

/*
 * The number of a value's cell, among those of all octaves.  Shifted so that
 * eight bits are left, or as it is if there are no more, a value has a highest
 * bit that adds the one octave by which the shift falls short.
 */
static inline uint16_t cells_mark(uint64_t value)
{
    unsigned int shift = 63 - CELL_BITS - __builtin_clzll(value | CELLS);

    return shift * CELLS + (value >> shift);
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

/* Unpack the raw values, at most STATS_RAW, unsorted; how many. */
size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW]);

#endif /* XENALYZE_STATS_CELLS_H */
