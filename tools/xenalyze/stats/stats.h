/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: what is said of many numbers.  How many, their sum,
 * the least, the greatest and when that was, and percentiles; the few
 * greatest of many; and the lines in which stock's xenalyze prints such
 * things, since scripts read them.
 *
 * A series is for one thread.  Series that threads made of parts of the same
 * numbers are merged, and then say bit for bit what one series of all of them
 * would: nothing depends on the order, nor on how they were split.
 */
#ifndef XENALYZE_STATS_STATS_H
#define XENALYZE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"

/*
 * Where series keep what outgrows them.  Running out of memory is remembered
 * here instead of being reported by each addition: percentiles are then not
 * to be printed, counts and sums still are right.
 *
 * A series that grows gives back what it had, for another to have.
 */
#define STATS_SIZES 5u          /* of buffers */

struct stats_pool
{
    struct arena arena;
    void *spare[STATS_SIZES];   /* lists */
    bool failed;
};

void stats_pool_init(struct stats_pool *pool);
void stats_pool_fini(struct stats_pool *pool);

/* --- a series ------------------------------------------------------------- */

#define STATS_RAW 49u           /* this many are too many */

/*
 * A value's cell, of a log-linear histogram: an octave holds the values between
 * two powers of two in 128 cells of equal width.  Octave 0 has the values below
 * 128, a cell each; octave o, those whose highest bit is o + 6.
 *
 * Shifted so that eight bits are left, or as it is if there are no more, a
 * value has a highest bit that adds the one octave by which the shift falls
 * short.
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
 * Values on their way to an octave are MARKS, numbers of cells: a series of
 * some hundred values stays small, and one of many goes through the memory of
 * its octaves once for so many of them.
 */
#define STATS_MARKS 248u

struct stats_cells
{
    struct stats_octave **octaves;      /* nr of them; NULL: no such values */
    uint32_t first, nr;                 /* [0] is octave `first` */
    uint16_t marks[STATS_MARKS];
};

/*
 * Fewer than STATS_RAW values are kept as they are, so that the many series of
 * few values are small and exact; where there are more, all are in cells.  A
 * line of cache, for who puts it at the begin of one.  All zero is an empty
 * series.
 *
 * As stock does, a value of 0 counts as an event and is no sample.
 */
struct stats
{
    uint64_t count;             /* values that were not 0 */
    uint64_t sum;
    uint64_t min, max;          /* of them; 0 if there is none */
    uint64_t max_at;            /* when the greatest came, first */
    uint64_t zeros;             /* all other values */
    union
    {
        uint32_t *raw;          /* a large one is 0 and two words */
        struct stats_cells *cells;
    };
    uint16_t used;              /* of raw, or of the cells' marks */
    uint8_t size;               /* of raw: which of STATS_SIZES, from 1 */
    bool in_cells;
    bool weighted;              /* its percentiles are those by weight */
};

#define STATS_LINE 64u

_Static_assert(sizeof(struct stats) == STATS_LINE, "one line of cache");

/* The marks are full: into the octaves. */
void stats_settle(struct stats *s, struct stats_pool *pool);

/* One that is 0, or of a series that has no cells yet. */
void stats_add_odd(struct stats *s, struct stats_pool *pool, uint64_t value,
                   uint64_t at);

static inline void stats_note_max(struct stats *s, uint64_t value, uint64_t at)
{
    if ( value > s->max || at < s->max_at )
        s->max_at = at;
    s->max = value;
}

/* What is said of all samples; a `min` of 0 is above all values. */
static inline void stats_note(struct stats *s, uint64_t value, uint64_t at)
{
    s->count++;
    s->sum += value;
    if ( value - 1 < s->min - 1 )
        s->min = value;
    if ( value >= s->max )
        stats_note_max(s, value, at);
}

/*
 * `at`: when, for max_at; of equal ones the earliest is kept.
 *
 * Whatever is called is called last, so that who only adds needs no stack.
 */
static inline void stats_add(struct stats *s, struct stats_pool *pool,
                             uint64_t value, uint64_t at)
{
    if ( !s->in_cells || !value )
    {
        stats_add_odd(s, pool, value, at);
        return;
    }
    stats_note(s, value, at);
    s->cells->marks[s->used++] = stats_cell(value);
    if ( s->used == STATS_MARKS )
        stats_settle(s, pool);
}

/*
 * Fetch where the next value will be kept.  A call of it would do nothing that
 * the compiler knows of, and go.
 */
__attribute__((always_inline))
static inline void stats_prefetch(const struct stats *s)
{
    if ( s->in_cells )
        __builtin_prefetch(&s->cells->marks[s->used], 1);
    else if ( s->raw )
        __builtin_prefetch(&s->raw[s->used], 1);
}

/* All values that were added. */
static inline uint64_t stats_events(const struct stats *s)
{
    return s->count + s->zeros;
}

/* `from` is as it was.  Both are weighted, or neither. */
void stats_merge(struct stats *to, struct stats_pool *pool,
                 const struct stats *from);

static inline uint64_t stats_mean(const struct stats *s)
{
    return s->count ? s->sum / s->count : 0;
}

/*
 * Percentiles, 0 .. 100 each, in rising order, of a series with samples: the
 * value whose place is count * p / 100 from the least; or, weighted, the
 * least value such that it and those below make up more than p % of the sum.
 * Wrong by less than 0.5 %; exact if there are few samples.  If there are
 * many, then p, too, is wrong by up to 0.2 where it is by weight.
 */
struct stats_percentiles
{
    uint64_t p5, p50, p95;
};

uint64_t stats_percentile(const struct stats *s, unsigned int p);
uint64_t stats_weighted(const struct stats *s, unsigned int p);
void stats_percentiles(const struct stats *s, struct stats_percentiles *p);
void stats_weighted_percentiles(const struct stats *s,
                                struct stats_percentiles *p);

/* Walk over what is known of the distribution, least first. */
struct stats_bar
{
    uint64_t low, high;         /* values low <= v <= high */
    uint64_t count;
};

/* Bars of one power of two each, at most 64: how many there are. */
size_t stats_bars(const struct stats *s, struct stats_bar bars[64]);

/*
 * How many samples are below limits[0], from there to below limits[1], ...,
 * and from limits[nr - 1] on: nr + 1 counts.  Limits rise.
 */
void stats_spread(const struct stats *s, const uint64_t *limits,
                  uint64_t *counts, size_t nr);

/* --- series by key -------------------------------------------------------- */

/*
 * A series for each number that somebody names: vectors, ports, addresses.
 * All zero is an empty map.  After STATS_MAP_MAX keys there is one series for
 * all others, since a hostile trace names as many as it likes.
 */
#define STATS_MAP_MAX (1u << 18)

struct stats_row
{
    uint64_t key;
    struct stats stats;
};

/* A key stands beside the row's address, so that who looks sees few of them. */
struct stats_slot
{
    uint64_t key;
    struct stats_row *row;      /* NULL: free */
};

struct stats_map
{
    struct stats_slot *slots;   /* a hash table; rows do not move */
    size_t size, used;
    struct stats_row *last;     /* that was asked for: mostly it is again */
    bool weighted;              /* for those to be made */
    struct stats *others;       /* of keys that came too late; or NULL */
};

/* The series of a key, made if need be.  NULL: pool->failed. */
struct stats *stats_map_get(struct stats_map *m, struct stats_pool *pool,
                            uint64_t key);

/* The series of a key, or NULL. */
const struct stats *stats_map_find(const struct stats_map *m, uint64_t key);

/* Add to the series of a key. */
void stats_map_add(struct stats_map *m, struct stats_pool *pool, uint64_t key,
                   uint64_t value, uint64_t at);

/* All series of a map together, into one. */
void stats_map_sum(struct stats *to, struct stats_pool *pool,
                   const struct stats_map *from);

/* `from` is as it was. */
void stats_map_merge(struct stats_map *m, struct stats_pool *pool,
                     const struct stats_map *from);

/*
 * The `used` rows by key, or by sum, greatest first, and then key; in memory
 * of the pool.  NULL: pool->failed, or there are none.
 */
struct stats_row **stats_map_by_key(const struct stats_map *m,
                                    struct stats_pool *pool);
struct stats_row **stats_map_by_sum(const struct stats_map *m,
                                    struct stats_pool *pool);

/* --- the greatest --------------------------------------------------------- */

/*
 * The `size` greatest by key; of equal ones the earlier, then the one with
 * the lesser tag, so that the choice does not depend on the order of coming.
 */
struct stats_top_row
{
    uint64_t key, at;
    uint64_t tag;               /* the owner's: what it is about */
};

struct stats_top
{
    size_t size, used;
    struct stats_top_row *rows; /* a heap, the first to go at its top */
};

/* 0 or -ENOMEM.  size 0 keeps nothing. */
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

/* Greatest first; nothing may be added after that. */
void stats_top_sort(struct stats_top *t);

/* --- stock's lines -------------------------------------------------------- */

/* What lines need to know of the trace. */
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
 * Each prints nothing if there was nothing (no event; no sample for the
 * others), so a caller may offer all rows of a table.  `name` is the line's
 * beginning as it is.
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
