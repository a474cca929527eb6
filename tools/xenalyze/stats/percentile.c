/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of a series.  Its samples become runs in rising order, of raw
 * values or of cells; then one walk finds the place.
 *
 * A cell's value is its mean if its sum is known, else its middle; it is held
 * to the cell, since sums of hostile numbers wrap, and to the least and the
 * greatest value, which are exact.  Where there are cells, raw values are put
 * into them as well, so that the answer depends on the values alone.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/stats/cells.h"

/* A table of all cells, which a series need not have all of. */
struct walk
{
    const struct stats *s;
    uint64_t raw[STATS_RAW];
    size_t nr_raw;
    size_t next_raw;
    unsigned int octave, cell;
};

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void walk_start(struct walk *w, const struct stats *s)
{
    memset(w, 0, sizeof(*w));
    w->s = s;
    w->nr_raw = stats_unpack(s, w->raw);
    qsort(w->raw, w->nr_raw, sizeof(w->raw[0]), compare);
}

static uint64_t held(uint64_t value, uint64_t low, uint64_t high)
{
    if ( value < low )
        return low;
    return value > high ? high : value;
}

/* The raw values that are not above `high`. */
static void take_raw(struct walk *w, uint64_t high, struct samples_run *run)
{
    for ( ; w->next_raw < w->nr_raw && w->raw[w->next_raw] <= high;
          w->next_raw++ )
    {
        run->count++;
        run->sum += w->raw[w->next_raw];
    }
}

static void cell_run(struct walk *w, struct samples_run *run)
{
    const struct stats_octave *o = w->s->cells->octaves[w->octave];
    uint64_t low = cells_low(w->octave, w->cell);
    uint64_t high = cells_high(w->octave, w->cell);
    uint64_t middle = low + (high - low) / 2;

    run->count = o ? o->counts[w->cell] : 0;
    run->sum = o && o->sums ? o->sums[w->cell] : middle * run->count;
    take_raw(w, high, run);
    if ( !run->count )
        return;
    run->value = held(w->s->weighted ? run->sum / run->count : middle,
                      low > w->s->min ? low : w->s->min,
                      high < w->s->max ? high : w->s->max);
}

/* The octave is empty: nothing in its cells, and no raw value below its end. */
static bool octave_empty(const struct walk *w)
{
    return !w->s->cells->octaves[w->octave] &&
           (w->next_raw == w->nr_raw ||
            w->raw[w->next_raw] > cells_high(w->octave, CELLS - 1));
}

static bool next_cells(struct walk *w, struct samples_run *run)
{
    run->count = 0;
    while ( w->octave < OCTAVES && !run->count )
    {
        if ( w->cell == 0 && octave_empty(w) )
        {
            w->octave++;
            continue;
        }
        cell_run(w, run);
        if ( ++w->cell == CELLS )
        {
            w->cell = 0;
            w->octave++;
        }
    }
    return run->count;
}

static bool next_run(struct walk *w, struct samples_run *run)
{
    if ( w->s->cells )
        return next_cells(w, run);
    if ( w->next_raw == w->nr_raw )
        return false;
    run->value = run->sum = w->raw[w->next_raw++];
    run->count = 1;
    return true;
}

static uint64_t part(uint64_t whole, unsigned int p)
{
    return (uint64_t)((unsigned __int128)whole * p / 100);
}

/*
 * The values at several places of one walk.  `place` counts samples, or what
 * they add up to; p 100 is the greatest.  Cells without sums make a weighted
 * walk fall short of or beyond the sum by a little: the last run ends it.
 */
static void find(const struct stats *s, bool weighted, const unsigned int *p,
                 uint64_t *values, size_t n)
{
    struct samples_run run;
    struct walk w;
    uint64_t passed = 0;
    size_t i = 0;

    for ( size_t k = 0; k < n; k++ )
        values[k] = s->max;
    walk_start(&w, s);
    while ( i < n && next_run(&w, &run) )
    {
        passed += weighted ? run.sum : run.count;
        for ( ; i < n && passed > part(weighted ? s->sum : s->count, p[i]);
              i++ )
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
