/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a series grows: a buffer of values, then marks of cells, then octaves.
 *
 * A series has cells if and only if its values would fill the buffer, in
 * whatever order they came and however they were split among threads: a merge
 * of two buffers fills one exactly if both together are too many.  That is what
 * makes results independent of the number of threads.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <string.h>

#include "common/compiler.h"
#include "xenalyze/stats/cells.h"

#define LARGE_WORDS 3u          /* a 0, which is no sample, and two halves */

void stats_pool_init(struct stats_pool *pool)
{
    *pool = (struct stats_pool){ .failed = false };
    arena_init(&pool->arena, 1u << 16);
}

void stats_pool_fini(struct stats_pool *pool)
{
    arena_fini(&pool->arena);
}

/* --- cells ---------------------------------------------------------------- */

#define SOME 8u                 /* octaves that values mostly are in */

/* Room for pointers to octaves up to and from this one. */
static bool reach_octave(struct stats_cells *c, struct stats_pool *pool,
                         unsigned int octave)
{
    unsigned int first = octave < SOME / 2 ? 0 : octave - SOME / 2;
    unsigned int end = octave > OCTAVES - SOME / 2 ? OCTAVES
                                                   : octave + SOME / 2;
    struct stats_octave **octaves;

    if ( octave - c->first < c->nr )
        return true;
    if ( c->nr && c->first < first )
        first = c->first;
    if ( c->nr && c->first + c->nr > end )
        end = c->first + c->nr;
    octaves = arena_array(&pool->arena, end - first, sizeof(*octaves), 8);
    if ( !octaves )
        return false;
    for ( unsigned int i = 0; i < c->nr; i++ )
        octaves[c->first + i - first] = c->octaves[i];
    c->octaves = octaves;
    c->first = first;
    c->nr = end - first;
    return true;
}

/* NULL, and the pool knows, without memory. */
COLD
static struct stats_octave *make_octave(struct stats_cells *c,
                                        struct stats_pool *pool,
                                        unsigned int octave)
{
    struct stats_octave *o = reach_octave(c, pool, octave)
                             ? arena_new(&pool->arena, struct stats_octave)
                             : NULL;

    if ( o )
        c->octaves[octave - c->first] = o;
    pool->failed |= !o;
    return o;
}

static inline struct stats_octave *octave_of(struct stats_cells *c,
                                             struct stats_pool *pool,
                                             unsigned int octave)
{
    struct stats_octave *o = cells_octave(c, octave);

    return o ? o : make_octave(c, pool, octave);
}

/* A count stays at its greatest value. */
static void set_count(struct stats_octave *o, struct stats_pool *pool,
                      unsigned int cell, uint64_t count)
{
    if ( count > UINT32_MAX )
        count = UINT32_MAX;
    for ( ; o; o = o->high )
    {
        o->counts[cell] = (uint8_t)count;
        count >>= 8;
        if ( !count && !o->high )
            return;
        if ( !o->high )
            o->high = arena_new(&pool->arena, struct stats_octave);
        pool->failed |= !o->high;
    }
}

/* 8 bits were not enough for it. */
COLD
static void carry(struct stats_octave *o, struct stats_pool *pool,
                  unsigned int cell)
{
    set_count(o, pool, cell, (uint64_t)cells_count(o, cell) + UINT8_MAX + 1);
}

/* Both lines of its counts, or three. */
static inline void fetch_octave(const struct stats_octave *o)
{
    for ( unsigned int cell = 0; o && cell < CELLS; cell += STATS_LINE )
        __builtin_prefetch(&o->counts[cell], 1);
}

/* All exits come by here: what is asked of each mark is as little as can be. */
void stats_settle(struct stats *s, struct stats_pool *pool)
{
    const uint16_t *mark = s->cells->marks, *end = mark + s->used;
    struct stats_octave *octaves[OCTAVES] = { NULL };
    struct stats_cells *c = s->cells;

    s->used = 0;
    for ( unsigned int i = 0; i < c->nr; i++ )
    {
        octaves[c->first + i] = c->octaves[i];
        fetch_octave(c->octaves[i]);
    }
    for ( ; mark < end; mark++ )
    {
        size_t cell = *mark;    /* for what is done often ... */
        struct stats_octave *o = octaves[cell / CELLS];

        /* ... and what is not fetches it again, so as to need no register. */
        if ( !o )
            o = octaves[*mark / CELLS] = make_octave(c, pool, *mark / CELLS);
        if ( o && !++o->counts[cell % CELLS] )
            carry(o, pool, *mark % CELLS);
    }
}

static void add_cell(struct stats *s, struct stats_pool *pool, uint16_t cell)
{
    s->cells->marks[s->used++] = cell;
    if ( s->used == STATS_MARKS )
        stats_settle(s, pool);
}

/* --- values --------------------------------------------------------------- */

static inline uint64_t large(const uint32_t *at)
{
    return (uint64_t)at[2] << 32 | at[1];
}

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

static uint16_t words_of(unsigned int size)
{
    static const uint16_t words[STATS_SIZES + 1] = { 0, 4, 8, 16, 32,
                                                     STATS_RAW };

    return words[size];
}

static void give_back(struct stats_pool *pool, uint32_t *raw, unsigned int size)
{
    if ( !size )
        return;
    memcpy(raw, &pool->spare[size - 1], sizeof(pool->spare[0]));
    pool->spare[size - 1] = raw;
}

static uint32_t *take(struct stats_pool *pool, unsigned int size)
{
    void *raw = pool->spare[size - 1];

    if ( !raw )
        return arena_alloc(&pool->arena, words_of(size) * sizeof(uint32_t), 8);
    memcpy(&pool->spare[size - 1], raw, sizeof(pool->spare[0]));
    return raw;
}

/* Room in raw for so many words more.  Without memory it is false. */
static bool need_raw(struct stats *s, struct stats_pool *pool,
                     unsigned int words)
{
    uint32_t *larger;

    if ( s->used + words <= words_of(s->size) )
        return true;
    larger = take(pool, s->size + 1);
    if ( !larger )
    {
        pool->failed = true;
        return false;
    }
    if ( s->used )
        memcpy(larger, s->raw, s->used * sizeof(*larger));
    give_back(pool, s->raw, s->size);
    s->raw = larger;
    s->size++;
    return true;
}

/*
 * All values in raw become marks, of which there is room for more.  False, and
 * the pool knows, without memory: then values are no more than counted.
 */
static bool need_cells(struct stats *s, struct stats_pool *pool)
{
    uint64_t values[STATS_RAW];
    struct stats_cells *cells;
    size_t n;

    _Static_assert(STATS_RAW < STATS_MARKS, "all fit");

    if ( s->in_cells )
        return true;
    cells = arena_zalloc(&pool->arena, sizeof(*cells), STATS_LINE);
    if ( !cells )
    {
        pool->failed = true;
        s->used = 0;
        return false;
    }
    n = stats_unpack(s, values);
    give_back(pool, s->raw, s->size);
    s->size = 0;
    s->cells = cells;
    s->in_cells = true;
    for ( s->used = 0; s->used < n; s->used++ )
        cells->marks[s->used] = stats_cell(values[s->used]);
    return true;
}

/* Of a series that has no cells. */
static void keep(struct stats *s, struct stats_pool *pool, uint64_t value)
{
    unsigned int words = value > UINT32_MAX ? LARGE_WORDS : 1;

    if ( s->used + words >= STATS_RAW )
    {
        if ( need_cells(s, pool) )
            add_cell(s, pool, stats_cell(value));
        return;
    }
    if ( !need_raw(s, pool, words) )
        return;
    s->raw[s->used++] = words > 1 ? 0 : (uint32_t)value;
    if ( words == 1 )
        return;
    s->raw[s->used++] = (uint32_t)value;
    s->raw[s->used++] = (uint32_t)(value >> 32);
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
    keep(s, pool, value);
}

/* --- merging -------------------------------------------------------------- */

static void merge_octave(struct stats_octave *to, struct stats_pool *pool,
                         const struct stats_octave *from)
{
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        set_count(to, pool, cell, (uint64_t)cells_count(to, cell) +
                                  cells_count(from, cell));
}

static void merge_cells(struct stats *to, struct stats_pool *pool,
                        const struct stats *from)
{
    const struct stats_cells *c = from->cells;

    if ( !need_cells(to, pool) )
        return;
    for ( unsigned int i = 0; i < c->nr; i++ )
    {
        struct stats_octave *o = c->octaves[i]
                                 ? octave_of(to->cells, pool, c->first + i)
                                 : NULL;

        if ( o )
            merge_octave(o, pool, c->octaves[i]);
    }
    for ( unsigned int i = 0; i < from->used; i++ )
        add_cell(to, pool, c->marks[i]);
}

static void merge_raw(struct stats *to, struct stats_pool *pool,
                      const struct stats *from)
{
    uint64_t values[STATS_RAW];
    size_t n = stats_unpack(from, values);

    for ( size_t i = 0; i < n; i++ )
        if ( to->in_cells )
            add_cell(to, pool, stats_cell(values[i]));
        else
            keep(to, pool, values[i]);
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
    if ( from->in_cells )
        merge_cells(to, pool, from);
    else
        merge_raw(to, pool, from);
}
