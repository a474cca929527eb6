/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a series grows: a buffer of values, then marks of cells, then octaves.
 *
 * A series has cells if and only if its values would fill the buffer, in
 * whatever order they came and however they were split among threads: a merge
 * puts the other's raw values into the own buffer, which is full exactly if
 * both together are too many.  That is what makes results independent of the
 * number of threads.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>

#include "xenalyze/stats/cells.h"

#define LINE 64u                /* of cache */
#define LARGE_WORDS 3u          /* a 0, which is no sample, and two halves */

_Static_assert(sizeof(struct stats) == 256, "four lines of cache");

void stats_pool_init(struct stats_pool *pool)
{
    arena_init(&pool->arena, 1u << 16);
    pool->failed = false;
}

void stats_pool_fini(struct stats_pool *pool)
{
    arena_fini(&pool->arena);
}

/* --- cells ---------------------------------------------------------------- */

/* NULL, and the pool knows, without memory. */
static struct stats_cells *cells_of(struct stats *s, struct stats_pool *pool)
{
    if ( !s->cells )
        s->cells = arena_zalloc(&pool->arena, sizeof(*s->cells), LINE);
    pool->failed |= !s->cells;
    return s->cells;
}

static struct stats_octave *make_octave(struct stats_cells *c,
                                        struct stats_pool *pool,
                                        unsigned int i)
{
    if ( !c->octaves )
        c->octaves = arena_array(&pool->arena, OCTAVES, sizeof(*c->octaves),
                                 8);
    if ( c->octaves )
        c->octaves[i] = arena_zalloc(&pool->arena, sizeof(**c->octaves),
                                     LINE);
    if ( c->octaves && c->octaves[i] )
        return c->octaves[i];
    pool->failed = true;
    return NULL;
}

static inline struct stats_octave *octave_of(struct stats_cells *c,
                                             struct stats_pool *pool,
                                             unsigned int i)
{
    if ( c->octaves && c->octaves[i] )
        return c->octaves[i];
    return make_octave(c, pool, i);
}

static inline void count_up(uint32_t *count, uint32_t by)
{
    *count = UINT32_MAX - *count < by ? UINT32_MAX : *count + by;
}

/* All marks into their octaves. */
static void settle(struct stats_cells *c, struct stats_pool *pool)
{
    const uint16_t *end = c->marks + c->nr_marks;
    struct stats_octave *o;

    for ( const uint16_t *mark = c->marks; mark < end; mark++ )
    {
        o = octave_of(c, pool, *mark / CELLS);
        if ( o )
            count_up(&o->counts[*mark % CELLS], 1);
    }
    c->nr_marks = 0;
}

static inline uint64_t large(const uint32_t *at)
{
    return (uint64_t)at[2] << 32 | at[1];
}

static inline void add_mark(struct stats_cells *c, struct stats_pool *pool,
                            uint16_t mark)
{
    if ( c->nr_marks == MARKS )
        settle(c, pool);
    c->marks[c->nr_marks++] = mark;
}

/* --- values --------------------------------------------------------------- */

size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW])
{
    size_t n = 0;

    for ( unsigned int i = 0; i < s->used; n++ )
    {
        values[n] = s->raw[i] ? s->raw[i] : large(&s->raw[i]);
        i += s->raw[i] ? 1 : LARGE_WORDS;
    }
    return n;
}

/* Every exit comes by here, so it is done without looking up or back. */
static void mark_all(const struct stats *s, struct stats_pool *pool)
{
    const uint32_t *raw = s->raw, *end = raw + s->used;
    struct stats_cells *c = s->cells;
    uint16_t *to;

    if ( c->nr_marks + s->used > MARKS )
        settle(c, pool);
    to = c->marks + c->nr_marks;
    while ( raw < end )
    {
        *to++ = cells_mark(*raw ? *raw : large(raw));
        raw += *raw ? 1 : LARGE_WORDS;
    }
    c->nr_marks = to - c->marks;
}

void stats_flush(struct stats *s, struct stats_pool *pool)
{
    if ( cells_of(s, pool) )
        mark_all(s, pool);
    s->used = 0;
}

static void keep_large(struct stats *s, struct stats_pool *pool, uint64_t value)
{
    if ( s->used + LARGE_WORDS > STATS_RAW )
        stats_flush(s, pool);
    s->raw[s->used++] = 0;
    s->raw[s->used++] = (uint32_t)value;
    s->raw[s->used++] = (uint32_t)(value >> 32);
    if ( s->used == STATS_RAW )
        stats_flush(s, pool);
}

void stats_add_odd(struct stats *s, struct stats_pool *pool, uint64_t value,
                   uint64_t at)
{
    if ( value == 0 )
    {
        s->zeros++;
        return;
    }
    stats_note(s, value, at);
    keep_large(s, pool, value);
}

/* --- merging -------------------------------------------------------------- */

static void merge_octave(struct stats *to, struct stats_pool *pool,
                         unsigned int i, const struct stats_octave *from)
{
    struct stats_octave *o = octave_of(to->cells, pool, i);

    for ( unsigned int cell = 0; o && cell < CELLS; cell++ )
        count_up(&o->counts[cell], from->counts[cell]);
}

static void merge_cells(struct stats *to, struct stats_pool *pool,
                        const struct stats_cells *from)
{
    struct stats_cells *c = cells_of(to, pool);

    for ( unsigned int i = 0; c && from->octaves && i < OCTAVES; i++ )
        if ( from->octaves[i] )
            merge_octave(to, pool, i, from->octaves[i]);
    for ( unsigned int i = 0; c && i < from->nr_marks; i++ )
        add_mark(c, pool, from->marks[i]);
}

static void merge_values(struct stats *to, struct stats_pool *pool,
                         const struct stats *from)
{
    uint64_t values[STATS_RAW];
    size_t n = stats_unpack(from, values);

    for ( size_t i = 0; i < n; i++ )
    {
        if ( values[i] > UINT32_MAX )
        {
            keep_large(to, pool, values[i]);
            continue;
        }
        to->raw[to->used++] = (uint32_t)values[i];
        if ( to->used == STATS_RAW )
            stats_flush(to, pool);
    }
}

void stats_merge(struct stats *to, struct stats_pool *pool,
                 const struct stats *from)
{
    if ( stats_events(from) == 0 )
        return;
    if ( stats_events(to) == 0 )
        to->weighted = from->weighted;
    assert(to->weighted == from->weighted);

    if ( from->count && (!to->count || from->min < to->min) )
        to->min = from->min;
    if ( from->count && from->max >= to->max )
        stats_note_max(to, from->max, from->max_at);
    to->zeros += from->zeros;
    to->count += from->count;
    to->sum += from->sum;
    if ( from->cells )
        merge_cells(to, pool, from->cells);
    merge_values(to, pool, from);
}
