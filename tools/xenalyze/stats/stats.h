/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: statistics of numbers.  A series has count, sum,
 * minimum, maximum with its time, and percentiles; a top list has the greatest
 * values; and lines print series in the format of stock xenalyze, which scripts
 * parse.
 *
 * A series belongs to one thread.  Merged series of parts of the numbers equal,
 * bit for bit, one series of all numbers: neither the order of the numbers nor
 * their distribution among threads matters.
 */
#ifndef XENALYZE_STATS_STATS_H
#define XENALYZE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/debug.h"

/*
 * Memory of series.  An allocation failure sets `failed` instead of being
 * returned by each addition: percentiles are invalid then, counts and sums
 * remain correct.
 *
 * A series that grows returns its old buffer to a free list.
 */
#define STATS_SIZES 5u          /* sizes of buffers */

struct stats_pool
{
    struct arena arena;
    void *spare[STATS_SIZES];   /* free lists by size */
    bool failed;
};

void stats_pool_init(struct stats_pool *pool);
void stats_pool_fini(struct stats_pool *pool);

/* Move the memory of all series of `from`, which can be freed then. */
void stats_pool_adopt(struct stats_pool *pool, struct stats_pool *from);

/* --- a series ------------------------------------------------------------- */

#define STATS_RAW 49u           /* words: a series has fewer raw values */

/*
 * The cell of a value in a log-linear histogram: an octave has the values
 * between two powers of two in 128 cells of equal width.  Octave 0 has the
 * values below 128, each in its own cell; octave o > 0 has the values with the
 * highest bit o + 6.
 *
 * stats_cell() shifts a value right until eight bits are left.  The shift is
 * the octave minus 1 (or 0 in octaves 0 and 1), and the eighth bit, if set,
 * adds 1.
 */
#define STATS_CELL_BITS 7u
#define STATS_CELLS (1u << STATS_CELL_BITS)
#define STATS_OCTAVES (64u - STATS_CELL_BITS + 1)

_Static_assert(STATS_OCTAVES * STATS_CELLS <= UINT16_MAX,
               "16 bits name a cell");

static inline uint16_t stats_cell(uint64_t value)
{
    unsigned int shift = 63 - STATS_CELL_BITS -
                         __builtin_clzll(value | STATS_CELLS);

    return shift * STATS_CELLS + (value >> shift);
}

/*
 * Cell numbers are buffered as MARKS before they are counted in octaves: a
 * series of some hundred values stays small, and a long series touches the
 * memory of its octaves only once per STATS_MARKS values.
 */
#define STATS_MARKS 248u

struct stats_cells
{
    struct stats_octave **octaves;      /* nr pointers; NULL: no values */
    uint32_t first, nr;                 /* octaves[0] is octave `first` */
    uint16_t marks[STATS_MARKS];
};

/*
 * A series with fewer than STATS_RAW values keeps the values themselves, so
 * that the many short series are small and exact; a longer series has cells.
 * The struct fills one cache line.  All bytes 0 are an empty series.
 *
 * As in stock, a value of 0 counts as an event but not as a sample.
 */
struct stats
{
    uint64_t count;             /* values that were not 0 */
    uint64_t sum;
    uint64_t min, max;          /* of samples; 0 if there are none */
    uint64_t max_at;            /* time of the first maximum */
    uint64_t zeros;             /* values that were 0 */
    union
    {
        uint32_t *raw;          /* a value above 32 bits is 0 and two words */
        struct stats_cells *cells;
    };
    uint16_t used;              /* of raw, or of the cells' marks */
    uint8_t size;               /* of raw: 1 to STATS_SIZES, or 0 */
    bool in_cells;
    bool weighted;              /* its percentiles are weighted */
};

#define STATS_LINE 64u

_Static_assert(sizeof(struct stats) == STATS_LINE, "one cache line");

/* Count the marks in the octaves. */
void stats_flush_marks(struct stats *s, struct stats_pool *pool);

/* Add a value that is 0, or a value to a series without cells. */
void stats_add_slow(struct stats *s, struct stats_pool *pool, uint64_t value,
                    uint64_t at);

static inline void stats_note_max(struct stats *s, uint64_t value, uint64_t at)
{
    if ( value > s->max || at < s->max_at )
        s->max_at = at;
    s->max = value;
}

/* Note a sample; a `min` of 0 compares as greater than all values. */
static inline void stats_note(struct stats *s, uint64_t value, uint64_t at)
{
    debug_assert(value);
    s->count++;
    s->sum += value;
    if ( value - 1 < s->min - 1 )
        s->min = value;
    if ( value >= s->max )
        stats_note_max(s, value, at);
}

/*
 * Add a value of time `at`; max_at is the earliest time of the maximum.
 *
 * All calls are tail calls, so that a caller that only adds needs no stack.
 */
static inline void stats_add(struct stats *s, struct stats_pool *pool,
                             uint64_t value, uint64_t at)
{
    if ( !s->in_cells || !value )
    {
        stats_add_slow(s, pool, value, at);
        return;
    }
    stats_note(s, value, at);
    debug_assert(s->used < STATS_MARKS);
    s->cells->marks[s->used++] = stats_cell(value);
    if ( s->used == STATS_MARKS )
        stats_flush_marks(s, pool);
}

/*
 * Add a value to the count, the sum and the mean of a series without minimum,
 * maximum, percentiles and memory.  All values of a series are added so, or
 * none.
 */
static inline void stats_add_to_mean(struct stats *s, uint64_t value)
{
    debug_assert(!s->size && !s->in_cells && !s->max);
    s->zeros += !value;
    s->count += value != 0;
    s->sum += value;
}

/*
 * Prefetch the place of the next value.  Inline, since the compiler would drop
 * the call of a function without effects.
 */
__attribute__((always_inline))
static inline void stats_prefetch(const struct stats *s)
{
    if ( s->in_cells )
        __builtin_prefetch(&s->cells->marks[s->used], 1);
    else if ( s->raw )
        __builtin_prefetch(&s->raw[s->used], 1);
}

/* Number of values added. */
static inline uint64_t stats_events(const struct stats *s)
{
    return s->count + s->zeros;
}

/* `from` is not changed.  Both are weighted, or neither. */
void stats_merge(struct stats *to, struct stats_pool *pool,
                 const struct stats *from);

static inline uint64_t stats_mean(const struct stats *s)
{
    debug_assert(!s->count || s->min <= s->max);
    return s->count ? s->sum / s->count : 0;
}

/*
 * Percentile p, 0 .. 100, of a series with samples: the value of rank count * p
 * / 100; or, weighted, the smallest value such that all values up to and
 * including the same make up more than p % of the sum.  The error is below
 * 0.5 %; short series are exact.  In long series the weighted p has an error
 * of up to 0.2 as well.
 */
struct stats_percentiles
{
    uint64_t p5, p50, p95, p99;
};

uint64_t stats_percentile(const struct stats *s, unsigned int p);
uint64_t stats_weighted(const struct stats *s, unsigned int p);
void stats_percentiles(const struct stats *s, struct stats_percentiles *p);
void stats_weighted_percentiles(const struct stats *s,
                                struct stats_percentiles *p);

/* The distribution of values, smallest first. */
struct stats_bar
{
    uint64_t low, high;         /* values low <= v <= high */
    uint64_t count;
};

/* Bars of one power of two each; returns their number. */
size_t stats_bars(const struct stats *s, struct stats_bar bars[64]);

/*
 * Count the samples below limits[0], from limits[0] to below limits[1], ...,
 * and from limits[nr - 1] on: nr + 1 counts.  Limits are in rising order.
 */
void stats_spread(const struct stats *s, const uint64_t *limits,
                  uint64_t *counts, size_t nr);

/* --- series by key -------------------------------------------------------- */

/*
 * A series per key: vectors, ports, addresses.  All bytes 0 are an empty map.
 * A hostile trace can have any number of keys: after STATS_MAP_MAX keys all
 * further keys share a series.
 */
#define STATS_MAP_MAX (1u << 18)

struct stats_row
{
    uint64_t key;
    struct stats stats;
};

/* The key beside the row's address spares lookups most accesses to rows. */
struct stats_slot
{
    uint64_t key;
    struct stats_row *row;      /* NULL: the slot is free */
};

struct stats_map
{
    struct stats_slot *slots;   /* a hash table; rows do not move */
    size_t size, used;
    struct stats_row *last;     /* of the last lookup, and often the next */
    bool weighted;              /* for new series */
    struct stats *others;       /* of keys that are not kept; or NULL */
};

/* Find or create the series of a key.  NULL: pool->failed. */
struct stats *stats_map_get(struct stats_map *m, struct stats_pool *pool,
                            uint64_t key);

/* The common series of keys that are not kept.  NULL: pool->failed. */
struct stats *stats_map_get_others(struct stats_map *m,
                                   struct stats_pool *pool);

/* Find the series of a key, or NULL. */
const struct stats *stats_map_find(const struct stats_map *m, uint64_t key);

/* Slow path of stats_map_add(): a lookup in the hash table. */
void stats_map_add_slow(struct stats_map *m, struct stats_pool *pool,
                        uint64_t key, uint64_t value, uint64_t at);

/* Add a value to the series of a key: inline if the row is cached in `last`. */
static inline void stats_map_add(struct stats_map *m, struct stats_pool *pool,
                                 uint64_t key, uint64_t value, uint64_t at)
{
    if ( m->last && m->last->key == key )
        stats_add(&m->last->stats, pool, value, at);
    else
        stats_map_add_slow(m, pool, key, value, at);
}

/* Merge all series of a map into one series. */
void stats_map_sum(struct stats *to, struct stats_pool *pool,
                   const struct stats_map *from);

/* `from` is not changed. */
void stats_map_merge(struct stats_map *m, struct stats_pool *pool,
                     const struct stats_map *from);

/*
 * An array of the `used` rows, by key, or by sum (greatest first) and key; in
 * memory of the pool.  NULL: pool->failed, or no rows.
 */
struct stats_row **stats_map_by_key(const struct stats_map *m,
                                    struct stats_pool *pool);
struct stats_row **stats_map_by_sum(const struct stats_map *m,
                                    struct stats_pool *pool);

/* --- top lists ------------------------------------------------------------ */

/*
 * The `size` rows with the greatest keys; among equal keys the earlier row,
 * then the smaller tag, so that the result does not depend on the order of
 * additions.
 */
struct stats_top_row
{
    uint64_t key, at;
    uint64_t tag;               /* meaning defined by the owner */
};

struct stats_top
{
    size_t size, used;
    struct stats_top_row *rows; /* a heap, the smallest row at its top */
};

/* 0 or -ENOMEM.  A list of size 0 stays empty. */
int stats_top_init(struct stats_top *t, size_t size);
void stats_top_fini(struct stats_top *t);

void stats_top_keep(struct stats_top *t, const struct stats_top_row *row);

static inline void stats_top_add(struct stats_top *t,
                                 const struct stats_top_row *row)
{
    if ( t->used < t->size || (t->size && row->key >= t->rows[0].key) )
        stats_top_keep(t, row);
}

void stats_top_merge(struct stats_top *t, const struct stats_top *from);

/* Sort, greatest first; no row may be added afterwards. */
void stats_top_sort(struct stats_top *t);

/* --- stock's lines -------------------------------------------------------- */

/* Parameters of all lines. */
struct stats_scale
{
    uint64_t hz;
    uint64_t total;             /* cycles, the 100 % of stats_line_cost() */
    bool samples;               /* with {p5|p50|p95} */
};

static inline double stats_seconds(const struct stats_scale *scale,
                                   uint64_t cycles)
{
    return (double)cycles / (double)scale->hz;
}

static inline double stats_share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/*
 * Print a line, which begins with `name` verbatim.  A series without events
 * (cost) or samples (the rest) prints nothing, so callers can pass all rows of
 * a table.
 *
 *     cost       NAME  events seconds share-of-total mean cyc {unweighted}
 *     time       NAME: count seconds mean {weighted}
 *     share      NAME: count seconds share-of-whole mean {weighted}
 *     spread     NAME: count mean {unweighted}
 */
void stats_line_cost(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s);
void stats_line_time(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s);
void stats_line_share(FILE *out, const struct stats_scale *scale,
                      const char *name, const struct stats *s,
                      uint64_t whole);
void stats_line_spread(FILE *out, const struct stats_scale *scale,
                       const char *name, const struct stats *s);

#endif /* XENALYZE_STATS_STATS_H */
