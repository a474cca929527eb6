/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of a series.  Its samples become runs in rising order, of raw
 * values or of cells; then one walk finds the place.
 *
 * Where there are cells, all that the series has - octaves and marks - first
 * goes into one table of cells, so that the answer depends on the values alone.
 * A cell's value, and what each value in it weighs, is its middle, held to the
 * least and the greatest value, which are exact.
 *
 * The middle is off by at most 1/256, so the share that a place has of the
 * whole weight is off by at most half of that: all too light below it and all
 * too heavy above, half of the weight each, is the worst.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/stats/cells.h"

/* Only octaves whose bit is set are there; the rest of a table is garbage. */
struct walk
{
    const struct stats *s;
    uint64_t raw[STATS_RAW];
    size_t nr_raw;
    size_t next_raw;
    uint64_t octaves;
    unsigned int octave, cell;  /* the next one */
    uint64_t counts[OCTAVES][CELLS];
};

_Static_assert(OCTAVES <= 64, "a bit each");

/* --- the table ------------------------------------------------------------ */

static void need_octave(struct walk *w, unsigned int i)
{
    if ( w->octaves >> i & 1 )
        return;
    w->octaves |= UINT64_C(1) << i;
    memset(w->counts[i], 0, sizeof(w->counts[i]));
}

static void take_octave(struct walk *w, unsigned int i,
                        const struct stats_octave *o)
{
    need_octave(w, i);
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        w->counts[i][cell] += o->counts[cell];
}

static void take_mark(struct walk *w, uint16_t mark)
{
    need_octave(w, mark / CELLS);
    w->counts[mark / CELLS][mark % CELLS]++;
}

static void take_cells(struct walk *w, const struct stats *s)
{
    const struct stats_cells *c = s->cells;

    for ( unsigned int i = 0; c->octaves && i < OCTAVES; i++ )
        if ( c->octaves[i] )
            take_octave(w, i, c->octaves[i]);
    for ( unsigned int i = 0; i < s->used; i++ )
        take_mark(w, c->marks[i]);
}

/* --- the walk ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void walk_start(struct walk *w, const struct stats *s)
{
    w->s = s;
    w->next_raw = 0;
    w->octaves = 0;
    w->octave = w->cell = 0;
    w->nr_raw = 0;
    if ( s->cells )
    {
        take_cells(w, s);
        return;
    }
    w->nr_raw = stats_unpack(s, w->raw);
    qsort(w->raw, w->nr_raw, sizeof(w->raw[0]), compare);
}

static uint64_t held(uint64_t value, uint64_t low, uint64_t high)
{
    if ( value < low )
        return low;
    return value > high ? high : value;
}

/* The value that a cell stands for. */
static uint64_t middle(const struct stats *s, unsigned int octave,
                       unsigned int cell)
{
    uint64_t low = cells_low(octave, cell);
    uint64_t high = cells_high(octave, cell);

    return held(low + (high - low) / 2, s->min, s->max);
}

/* Most cells are empty, so one must not cost much. */
static bool next_cells(struct walk *w, struct samples_run *run)
{
    for ( ; w->octave < OCTAVES; w->octave++, w->cell = 0 )
    {
        if ( !(w->octaves >> w->octave & 1) )
            continue;
        while ( w->cell < CELLS && !w->counts[w->octave][w->cell] )
            w->cell++;
        if ( w->cell == CELLS )
            continue;
        run->count = w->counts[w->octave][w->cell];
        run->value = middle(w->s, w->octave, w->cell++);
        return true;
    }
    return false;
}

static bool next_run(struct walk *w, struct samples_run *run)
{
    if ( w->s->cells )
        return next_cells(w, run);
    if ( w->next_raw == w->nr_raw )
        return false;
    run->value = w->raw[w->next_raw++];
    run->count = 1;
    return true;
}

/* --- places --------------------------------------------------------------- */

static uint64_t part(uint64_t whole, unsigned int p)
{
    return (uint64_t)((unsigned __int128)whole * p / 100);
}

static uint64_t weight(const struct samples_run *run, bool weighted)
{
    return weighted ? run->count * run->value : run->count;
}

/* What all runs weigh; that is not the sum of the values, where cells are. */
static uint64_t weigh(struct walk *w, bool weighted)
{
    struct samples_run run;
    uint64_t sum = 0;

    if ( !weighted )
        return w->s->count;
    while ( next_run(w, &run) )
        sum += weight(&run, true);
    w->next_raw = w->octave = w->cell = 0;
    return sum;
}

/* The values at several places of one walk; p 100 is the greatest. */
static void find(const struct stats *s, bool weighted, const unsigned int *p,
                 uint64_t *values, size_t n)
{
    struct samples_run run;
    struct walk w;
    uint64_t passed = 0, whole;
    size_t i = 0;

    for ( size_t k = 0; k < n; k++ )
        values[k] = s->max;
    walk_start(&w, s);
    whole = weigh(&w, weighted);
    while ( i < n && next_run(&w, &run) )
    {
        passed += weight(&run, weighted);
        for ( ; i < n && passed > part(whole, p[i]); i++ )
            values[i] = run.value;
    }
}

uint64_t stats_percentile(const struct stats *s, unsigned int p)
{
    uint64_t value;

    assert(p <= 100);
    find(s, false, &p, &value, 1);
    return value;
}

uint64_t stats_weighted(const struct stats *s, unsigned int p)
{
    uint64_t value;

    assert(p <= 100);
    find(s, true, &p, &value, 1);
    return value;
}

static const unsigned int usual[] = { 5, 50, 95 };

static void find_usual(const struct stats *s, bool weighted,
                       struct stats_percentiles *p)
{
    uint64_t values[3];

    find(s, weighted, usual, values, 3);
    p->p5 = values[0];
    p->p50 = values[1];
    p->p95 = values[2];
}

void stats_percentiles(const struct stats *s, struct stats_percentiles *p)
{
    find_usual(s, false, p);
}

void stats_weighted_percentiles(const struct stats *s,
                                struct stats_percentiles *p)
{
    find_usual(s, true, p);
}

size_t stats_bars(const struct stats *s, struct stats_bar bars[64])
{
    struct samples_run run;
    struct walk w;
    size_t n = 0;

    walk_start(&w, s);
    while ( next_run(&w, &run) )
    {
        uint64_t low = 1ull << (63 - __builtin_clzll(run.value));

        if ( n == 0 || bars[n - 1].low != low )
            bars[n++] = (struct stats_bar){ low, low + (low - 1), 0 };
        bars[n - 1].count += run.count;
    }
    return n;
}

void stats_spread(const struct stats *s, const uint64_t *limits,
                  uint64_t *counts, size_t nr)
{
    struct samples_run run;
    struct walk w;
    size_t i = 0;

    memset(counts, 0, (nr + 1) * sizeof(*counts));
    walk_start(&w, s);
    while ( next_run(&w, &run) )
    {
        while ( i < nr && run.value >= limits[i] )
            i++;
        counts[i] += run.count;
    }
}
