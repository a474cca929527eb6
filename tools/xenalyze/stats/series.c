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

/* All of them, as pointers.  NULL, as below: no memory, and the pool knows. */
static struct stats_octave **octaves_of(struct stats_cells *c,
                                        struct stats_pool *pool)
{
    if ( !c->octaves )
        c->octaves = arena_array(&pool->arena, OCTAVES, sizeof(*c->octaves),
                                 8);
    pool->failed |= !c->octaves;
    return c->octaves;
}

static struct stats_octave *make_octave(struct stats_octave **at,
                                        struct stats_pool *pool)
{
    *at = arena_zalloc(&pool->arena, sizeof(**at), LINE);
    pool->failed |= !*at;
    return *at;
}

/* Every exit comes by here. */
void stats_settle(struct stats *s, struct stats_pool *pool)
{
    struct stats_cells *c = s->cells;
    const uint16_t *end = c->marks + s->used;
    struct stats_octave **octaves = octaves_of(c, pool);

    s->used = 0;
    for ( const uint16_t *mark = c->marks; octaves && mark < end; mark++ )
    {
        unsigned int cell = *mark;
        struct stats_octave *o = octaves[cell / CELLS];

        if ( !o && !(o = make_octave(&octaves[cell / CELLS], pool)) )
            continue;
        cells_count(&o->counts[cell % CELLS]);
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

/*
 * All values in raw become marks, of which there is room for more.  False, and
 * the pool knows, without memory: then values are no more than counted.
 */
static bool need_cells(struct stats *s, struct stats_pool *pool)
{
    uint64_t values[STATS_RAW];
    size_t n;

    _Static_assert(STATS_RAW < STATS_MARKS, "all fit");

    if ( s->cells )
        return true;
    s->cells = arena_zalloc(&pool->arena, sizeof(*s->cells), LINE);
    if ( !s->cells )
    {
        pool->failed = true;
        s->used = 0;
        return false;
    }
    n = stats_unpack(s, values);
    for ( s->used = 0; s->used < n; s->used++ )
        s->cells->marks[s->used] = stats_cell(values[s->used]);
    return true;
}

/* Of a series that has no cells. */
static void keep(struct stats *s, struct stats_pool *pool, uint64_t value)
{
    if ( s->used + (value > UINT32_MAX ? LARGE_WORDS : 1) >= STATS_RAW )
    {
        if ( need_cells(s, pool) )
            add_cell(s, pool, stats_cell(value));
        return;
    }
    s->raw[s->used++] = value > UINT32_MAX ? 0 : (uint32_t)value;
    if ( value <= UINT32_MAX )
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

static void merge_octave(struct stats_octave **to, struct stats_pool *pool,
                         const struct stats_octave *from)
{
    struct stats_octave *o = *to ? *to : make_octave(to, pool);

    for ( unsigned int cell = 0; o && cell < CELLS; cell++ )
    {
        uint32_t *count = &o->counts[cell], by = from->counts[cell];

        *count = UINT32_MAX - *count < by ? UINT32_MAX : *count + by;
    }
}

static void merge_cells(struct stats *to, struct stats_pool *pool,
                        const struct stats *from)
{
    const struct stats_cells *c = from->cells;
    struct stats_octave **octaves;

    if ( !need_cells(to, pool) )
        return;
    octaves = c->octaves ? octaves_of(to->cells, pool) : NULL;
    for ( unsigned int i = 0; octaves && i < OCTAVES; i++ )
        if ( c->octaves[i] )
            merge_octave(&octaves[i], pool, c->octaves[i]);
    for ( unsigned int i = 0; i < from->used; i++ )
        add_cell(to, pool, c->marks[i]);
}

static void merge_raw(struct stats *to, struct stats_pool *pool,
                      const struct stats *from)
{
    uint64_t values[STATS_RAW];
    size_t n = stats_unpack(from, values);

    for ( size_t i = 0; i < n; i++ )
        if ( to->cells )
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
    if ( from->cells )
        merge_cells(to, pool, from);
    else
        merge_raw(to, pool, from);
}
