/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage of a series: a buffer of values, then marks of cells, then octaves.
 *
 * A series has cells if and only if its values would fill the buffer,
 * regardless of their order and of their distribution among threads: merging
 * two buffers fills one exactly if both together have too many values.  So
 * results do not depend on the number of threads.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <string.h>

#include "common/compiler.h"
#include "xenalyze/stats/cells.h"

#define LARGE_WORDS 3u          /* a 0, which is never a sample; two halves */

void stats_pool_init(struct stats_pool *pool)
{
    *pool = (struct stats_pool){ .failed = false };
    arena_init(&pool->arena, 1u << 16);
}

void stats_pool_fini(struct stats_pool *pool)
{
    arena_fini(&pool->arena);
}

void stats_pool_adopt(struct stats_pool *pool, struct stats_pool *from)
{
    arena_adopt(&pool->arena, &from->arena);
    memset(from->spare, 0, sizeof(from->spare));
}

/* --- cells ---------------------------------------------------------------- */

#define USUAL_OCTAVES 8u        /* of the values of a typical series */

/* Grow the array of octaves to include this octave. */
static bool reserve_octave(struct stats_cells *c, struct stats_pool *pool,
                           unsigned int octave)
{
    unsigned int first = octave < USUAL_OCTAVES / 2
                         ? 0 : octave - USUAL_OCTAVES / 2;
    unsigned int end = octave > OCTAVES - USUAL_OCTAVES / 2 ? OCTAVES
                                                   : octave + USUAL_OCTAVES / 2;
    struct stats_octave **octaves;

    assert(octave < OCTAVES);
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

/* NULL and pool->failed: no memory. */
COLD
static struct stats_octave *make_octave(struct stats_cells *c,
                                        struct stats_pool *pool,
                                        unsigned int octave)
{
    struct stats_octave *o = reserve_octave(c, pool, octave)
                             ? arena_new(&pool->arena, struct stats_octave)
                             : NULL;

    if ( o )
        c->octaves[octave - c->first] = o;
    pool->failed |= !o;
    return o;
}

static inline struct stats_octave *find_octave(struct stats_cells *c,
                                               struct stats_pool *pool,
                                               unsigned int octave)
{
    struct stats_octave *o = cells_octave(c, octave);

    return o ? o : make_octave(c, pool, octave);
}

/* Counts saturate at UINT32_MAX. */
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

/* The lowest 8 bits of a count have overflowed. */
COLD
static void carry_count(struct stats_octave *o, struct stats_pool *pool,
                        unsigned int cell)
{
    set_count(o, pool, cell, (uint64_t)cells_count(o, cell) + UINT8_MAX + 1);
}

/* The counts take two cache lines or three. */
static inline void prefetch_octave(const struct stats_octave *o)
{
    for ( unsigned int cell = 0; o && cell < CELLS; cell += STATS_LINE )
        __builtin_prefetch(&o->counts[cell], 1);
}

/* Hot path of all exits: as few tests per mark as possible. */
void stats_flush_marks(struct stats *s, struct stats_pool *pool)
{
    const uint16_t *mark = s->cells->marks, *end = mark + s->used;
    struct stats_octave *octaves[OCTAVES] = { NULL };
    struct stats_cells *c = s->cells;

    debug_assert(s->in_cells && s->used <= STATS_MARKS);
    s->used = 0;
    for ( unsigned int i = 0; i < c->nr; i++ )
    {
        octaves[c->first + i] = c->octaves[i];
        prefetch_octave(c->octaves[i]);
    }
    for ( ; mark < end; mark++ )
    {
        size_t cell = *mark;    /* for the common case */
        struct stats_octave *o = octaves[cell / CELLS];

        /* Cold paths load the mark again, to save a register. */
        if ( !o )
            o = octaves[*mark / CELLS] = make_octave(c, pool, *mark / CELLS);
        if ( o && !++o->counts[cell % CELLS] )
            carry_count(o, pool, *mark % CELLS);
    }
}

static void add_cell(struct stats *s, struct stats_pool *pool, uint16_t cell)
{
    debug_assert(s->in_cells && s->used < STATS_MARKS);
    debug_assert(cell < OCTAVES * CELLS);
    s->cells->marks[s->used++] = cell;
    if ( s->used == STATS_MARKS )
        stats_flush_marks(s, pool);
}

/* --- values --------------------------------------------------------------- */

static inline uint64_t load_large(const uint32_t *at)
{
    return (uint64_t)at[2] << 32 | at[1];
}

size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW])
{
    size_t n = 0;

    for ( unsigned int i = 0; i < s->used; n++ )
    {
        assert(n < STATS_RAW);
        values[n] = s->raw[i] ? s->raw[i] : load_large(&s->raw[i]);
        i += s->raw[i] ? 1 : LARGE_WORDS;
    }
    return n;
}

static uint16_t buffer_words(unsigned int size)
{
    static const uint16_t words[STATS_SIZES + 1] = { 0, 4, 8, 16, 32,
                                                     STATS_RAW };

    return words[size];
}

static void return_buffer(struct stats_pool *pool, uint32_t *raw,
                          unsigned int size)
{
    assert(size <= STATS_SIZES && !raw == !size);
    if ( !size )
        return;
    memcpy(raw, &pool->spare[size - 1], sizeof(pool->spare[0]));
    pool->spare[size - 1] = raw;
}

static uint32_t *take_buffer(struct stats_pool *pool, unsigned int size)
{
    void *raw = pool->spare[size - 1];

    assert(size && size <= STATS_SIZES);
    if ( !raw )
        return arena_alloc(&pool->arena,
                           buffer_words(size) * sizeof(uint32_t), 8);
    memcpy(&pool->spare[size - 1], raw, sizeof(pool->spare[0]));
    return raw;
}

/* Make room in raw for so many more words.  False: no memory. */
static bool reserve_raw(struct stats *s, struct stats_pool *pool,
                        unsigned int words)
{
    uint32_t *larger;

    if ( s->used + words <= buffer_words(s->size) )
        return true;
    assert(s->size < STATS_SIZES);
    larger = take_buffer(pool, s->size + 1);
    if ( !larger )
    {
        pool->failed = true;
        return false;
    }
    if ( s->used )
        memcpy(larger, s->raw, s->used * sizeof(*larger));
    return_buffer(pool, s->raw, s->size);
    s->raw = larger;
    s->size++;
    return true;
}

/*
 * Convert all raw values into marks; there is room for further marks.  False
 * and pool->failed: no memory; values are only counted from now on.
 */
static bool convert_to_cells(struct stats *s, struct stats_pool *pool)
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
    return_buffer(pool, s->raw, s->size);
    assert(n < STATS_MARKS);
    s->size = 0;
    s->cells = cells;
    s->in_cells = true;
    for ( s->used = 0; s->used < n; s->used++ )
        cells->marks[s->used] = stats_cell(values[s->used]);
    return true;
}

/* Add a value to a series without cells. */
static void store_value(struct stats *s, struct stats_pool *pool,
                        uint64_t value)
{
    unsigned int words = value > UINT32_MAX ? LARGE_WORDS : 1;

    assert(!s->in_cells && value);
    if ( s->used + words >= STATS_RAW )
    {
        if ( convert_to_cells(s, pool) )
            add_cell(s, pool, stats_cell(value));
        return;
    }
    if ( !reserve_raw(s, pool, words) )
        return;
    s->raw[s->used++] = words > 1 ? 0 : (uint32_t)value;
    if ( words == 1 )
        return;
    s->raw[s->used++] = (uint32_t)value;
    s->raw[s->used++] = (uint32_t)(value >> 32);
}

void stats_add_slow(struct stats *s, struct stats_pool *pool, uint64_t value,
                    uint64_t at)
{
    if ( value == 0 )
    {
        s->zeros++;
        return;
    }
    stats_note(s, value, at);
    store_value(s, pool, value);
}

/* --- merging -------------------------------------------------------------- */

#define PLANES 4u               /* octaves of 8 bits in a count of 32 */

/* Add all counts, 8 bits of each at a time, with the carries between. */
static void merge_octave(struct stats_octave *to, struct stats_pool *pool,
                         const struct stats_octave *from)
{
    static const uint8_t nothing[CELLS];
    uint8_t carries[CELLS] = { 0 };
    struct stats_octave *lowest = to;

    for ( unsigned int plane = 1; ; plane++ )
    {
        const uint8_t *counts = from ? from->counts : nothing;
        uint8_t any = 0;

        for ( unsigned int cell = 0; cell < CELLS; cell++ )
        {
            uint16_t sum = to->counts[cell] + counts[cell] + carries[cell];

            to->counts[cell] = (uint8_t)sum;
            carries[cell] = sum >> 8;
            any |= carries[cell];
        }
        from = from ? from->high : NULL;
        if ( !from && !any )
            return;
        if ( plane == PLANES )
            break;
        if ( !to->high )
            to->high = arena_new(&pool->arena, struct stats_octave);
        pool->failed |= !to->high;
        if ( !to->high )
            return;
        to = to->high;
    }
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        if ( carries[cell] )
            set_count(lowest, pool, cell, UINT32_MAX);
}

static void merge_cells(struct stats *to, struct stats_pool *pool,
                        const struct stats *from)
{
    const struct stats_cells *c = from->cells;

    if ( !convert_to_cells(to, pool) )
        return;
    for ( unsigned int i = 0; i < c->nr; i++ )
    {
        struct stats_octave *o = c->octaves[i]
                                 ? find_octave(to->cells, pool, c->first + i)
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
            store_value(to, pool, values[i]);
}

void stats_merge(struct stats *to, struct stats_pool *pool,
                 const struct stats *from)
{
    assert(to != from);
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
