/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a series grows: a buffer of values, then cells.
 *
 * A series has cells if and only if its values would not fit the buffer, in
 * whatever order they came and however they were split among threads: a merge
 * puts the other's raw values into the own buffer, which overflows exactly if
 * both together are too many.  That is what makes results independent of the
 * number of threads.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>

#include "xenalyze/stats/cells.h"

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

static struct stats_octave *new_octave(struct stats_pool *pool, bool weighted)
{
    struct stats_octave *o = arena_new(&pool->arena, struct stats_octave);

    if ( !o || !weighted )
        return o;
    o->sums = arena_array(&pool->arena, CELLS, sizeof(*o->sums), 8);
    return o->sums ? o : NULL;
}

/* NULL, and the pool knows, without memory. */
static struct stats_octave *make_octave(struct stats *s,
                                        struct stats_pool *pool,
                                        unsigned int i)
{
    if ( !s->cells )
        s->cells = arena_new(&pool->arena, struct stats_cells);
    if ( s->cells && !s->cells->octaves[i] )
        s->cells->octaves[i] = new_octave(pool, s->weighted);
    if ( s->cells && s->cells->octaves[i] )
        return s->cells->octaves[i];
    pool->failed = true;
    return NULL;
}

static inline struct stats_octave *octave_of(struct stats *s,
                                             struct stats_pool *pool,
                                             unsigned int i)
{
    if ( s->cells && s->cells->octaves[i] )
        return s->cells->octaves[i];
    return make_octave(s, pool, i);
}

static inline void count_up(uint32_t *count, uint32_t by)
{
    *count = UINT32_MAX - *count < by ? UINT32_MAX : *count + by;
}

static inline void to_cell(struct stats *s, struct stats_pool *pool, uint64_t value)
{
    unsigned int i = cells_octave(value), cell = cells_index(value, i);
    struct stats_octave *o = octave_of(s, pool, i);

    if ( !o )
        return;
    count_up(&o->counts[cell], 1);
    if ( o->sums )
        o->sums[cell] += value;
}

size_t stats_unpack(const struct stats *s, uint64_t values[STATS_RAW])
{
    size_t n = 0;

    for ( unsigned int i = 0; i < s->used; n++ )
    {
        values[n] = s->raw[i++];
        if ( values[n] )
            continue;
        values[n] = (uint64_t)s->raw[i + 1] << 32 | s->raw[i];
        i += LARGE_WORDS - 1;
    }
    return n;
}

void stats_flush(struct stats *s, struct stats_pool *pool)
{
    for ( unsigned int i = 0; i < s->used; i++ )
    {
        uint64_t value = s->raw[i];

        if ( !value )
        {
            value = (uint64_t)s->raw[i + 2] << 32 | s->raw[i + 1];
            i += LARGE_WORDS - 1;
        }
        to_cell(s, pool, value);
    }
    s->used = 0;
}

void stats_keep_large(struct stats *s, struct stats_pool *pool, uint64_t value)
{
    if ( s->used + LARGE_WORDS > STATS_RAW )
        stats_flush(s, pool);
    s->raw[s->used++] = 0;
    s->raw[s->used++] = (uint32_t)value;
    s->raw[s->used++] = (uint32_t)(value >> 32);
}

void stats_note_max(struct stats *s, uint64_t value, uint64_t at)
{
    if ( value > s->max || at < s->max_at )
        s->max_at = at;
    s->max = value;
}

static void merge_octave(struct stats *to, struct stats_pool *pool,
                         unsigned int i, const struct stats_octave *from)
{
    struct stats_octave *o = octave_of(to, pool, i);

    if ( !o )
        return;
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
    {
        count_up(&o->counts[cell], from->counts[cell]);
        if ( o->sums && from->sums )
            o->sums[cell] += from->sums[cell];
    }
}

static void merge_samples(struct stats *to, struct stats_pool *pool,
                          const struct stats *from)
{
    uint64_t values[STATS_RAW];
    size_t n = stats_unpack(from, values);

    for ( unsigned int i = 0; from->cells && i < OCTAVES; i++ )
        if ( from->cells->octaves[i] )
            merge_octave(to, pool, i, from->cells->octaves[i]);
    for ( size_t i = 0; i < n; i++ )
    {
        if ( values[i] > UINT32_MAX )
        {
            stats_keep_large(to, pool, values[i]);
            continue;
        }
        if ( to->used == STATS_RAW )
            stats_flush(to, pool);
        to->raw[to->used++] = (uint32_t)values[i];
    }
}

void stats_merge(struct stats *to, struct stats_pool *pool,
                 const struct stats *from)
{
    if ( from->events == 0 )
        return;
    if ( to->events == 0 )
        to->weighted = from->weighted;
    assert(to->weighted == from->weighted);

    if ( from->count && (!to->count || from->min < to->min) )
        to->min = from->min;
    if ( from->count && from->max >= to->max )
        stats_note_max(to, from->max, from->max_at);
    to->events += from->events;
    to->count += from->count;
    to->sum += from->sum;
    merge_samples(to, pool, from);
}
