/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of a series: one walk over the samples in rising order, raw
 * values or cells.
 *
 * For a series with cells the walk combines octaves and marks, so that the
 * result depends on the values alone.  Every value of a cell counts as the
 * cell's middle, clamped to the series' minimum and maximum, which are exact.
 *
 * The middle is off by at most 1/256, so a position in the total weight is off
 * by at most half of that; the worst case has half of the weight below the
 * position, all too light, and half above, all too heavy.
 */
#include "xenalyze/stats/stats.h"

#include <assert.h>
#include <string.h>

#include "xenalyze/stats/cells.h"

/* State of a walk. */
struct walk
{
    const struct stats *s;
    uint64_t raw[STATS_RAW];
    size_t nr_raw, next_raw;
    uint64_t octaves;           /* a bit for each octave with values */
    unsigned int octave, cell;  /* next cell to visit */
    uint32_t counts[OCTAVES][CELLS];    /* valid in octaves with values */
};

_Static_assert(OCTAVES <= 64, "a word has a bit for each octave");

/* --- octaves -------------------------------------------------------------- */

static uint64_t find_octaves(const struct stats *s)
{
    const struct stats_cells *c = s->cells;
    uint64_t octaves = 0;

    for ( unsigned int i = 0; i < c->nr; i++ )
        octaves |= (uint64_t)(c->octaves[i] != NULL) << (c->first + i);
    for ( unsigned int i = 0; i < s->used; i++ )
        octaves |= UINT64_C(1) << c->marks[i] / CELLS;
    return octaves;
}

static inline void add_plane(uint32_t *restrict counts,
                             const uint8_t *restrict from, unsigned int shift)
{
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        counts[cell] += (uint32_t)from[cell] << shift;
}

/* The first octave with values from `o` on; OCTAVES: there is none. */
static inline unsigned int next_octave(const struct walk *w, unsigned int o)
{
    uint64_t left = o < OCTAVES ? w->octaves >> o << o : 0;

    return left ? (unsigned int)__builtin_ctzll(left) : OCTAVES;
}

static void count_cells(struct walk *w)
{
    const struct stats *s = w->s;
    uint32_t *counts = w->counts[0];

    w->octaves = find_octaves(s);
    /* No value is outside of the octaves of minimum and maximum. */
    assert(next_octave(w, 0) >= stats_cell(s->min) / CELLS &&
           next_octave(w, stats_cell(s->max) / CELLS + 1) == OCTAVES);
    for ( unsigned int o = 0; (o = next_octave(w, o)) < OCTAVES; o++ )
    {
        const struct stats_octave *from = cells_octave(s->cells, o);

        memset(w->counts[o], 0, sizeof(w->counts[o]));
        for ( unsigned int shift = 0; from; from = from->high, shift += 8 )
            add_plane(w->counts[o], from->counts, shift);
    }
    for ( unsigned int i = 0; i < s->used; i++ )
    {
        uint32_t *count = &counts[s->cells->marks[i]];

        *count += *count != UINT32_MAX;
    }
}

static uint64_t clamp_value(uint64_t value, uint64_t low, uint64_t high)
{
    if ( value < low )
        return low;
    return value > high ? high : value;
}

static uint64_t unclamped_middle(unsigned int octave, unsigned int cell)
{
    uint64_t low = cells_low(octave, cell);
    uint64_t high = cells_high(octave, cell);

    return low + (high - low) / 2;
}

/* The representative value of a cell. */
static uint64_t cell_middle(const struct stats *s, unsigned int octave,
                            unsigned int cell)
{
    return clamp_value(unclamped_middle(octave, cell), s->min, s->max);
}

/* Number of values in an octave. */
static uint64_t count_octave(const struct walk *w, unsigned int o)
{
    uint64_t sum = 0;

    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        sum += w->counts[o][cell];
    return sum;
}

/*
 * The weight by which a cell's values are clamped, modulo 2^64: all but the
 * cells of the minimum and the maximum have their middle.
 */
static uint64_t clamped_weight(const struct walk *w, unsigned int octave,
                               uint64_t value)
{
    unsigned int at = stats_cell(value), cell = at % CELLS;

    return at / CELLS == octave
           ? w->counts[octave][cell] *
             (cell_middle(w->s, octave, cell) -
              unclamped_middle(octave, cell)) : 0;
}

/* Sum of the values in an octave: the middles of its cells are a series. */
static uint64_t weigh_octave(const struct walk *w, unsigned int o)
{
    const uint64_t width = 1ull << cells_shift(o);
    const struct stats *s = w->s;
    uint64_t count = 0, steps = 0, sum;

    for ( unsigned int cell = 0; cell < CELLS; cell++ )
    {
        count += w->counts[o][cell];
        steps += (uint64_t)w->counts[o][cell] * cell;
    }
    sum = count * unclamped_middle(o, 0) + steps * width;
    sum += clamped_weight(w, o, s->min);
    if ( stats_cell(s->max) != stats_cell(s->min) )
        sum += clamped_weight(w, o, s->max);
    return sum;
}

/* --- the walk ------------------------------------------------------------- */

/* Insertion sort: fastest for at most STATS_RAW values, usually a few. */
static void sort_values(uint64_t *values, size_t nr)
{
    for ( size_t i = 1; i < nr; i++ )
    {
        uint64_t value = values[i];
        size_t to = i;

        for ( ; to && values[to - 1] > value; to-- )
            values[to] = values[to - 1];
        values[to] = value;
    }
}

static void walk_start(struct walk *w, const struct stats *s)
{
    w->s = s;
    w->next_raw = w->nr_raw = 0;
    if ( s->in_cells )
    {
        count_cells(w);
        w->octave = next_octave(w, 0);
        w->cell = 0;
        return;
    }
    w->nr_raw = stats_unpack(s, w->raw);
    sort_values(w->raw, w->nr_raw);
}

static bool next_cells(struct walk *w, struct samples_run *run)
{
    for ( ; w->octave < OCTAVES; w->octave = next_octave(w, w->octave + 1),
                                 w->cell = 0 )
        while ( w->cell < CELLS )
        {
            unsigned int cell = w->cell++;

            if ( !w->counts[w->octave][cell] )
                continue;
            run->count = w->counts[w->octave][cell];
            run->value = cell_middle(w->s, w->octave, cell);
            return true;
        }
    return false;
}

static bool next_run(struct walk *w, struct samples_run *run)
{
    if ( w->s->in_cells )
        return next_cells(w, run);
    if ( w->next_raw == w->nr_raw )
        return false;
    run->value = w->raw[w->next_raw++];
    run->count = 1;
    return true;
}

/* --- ranks ---------------------------------------------------------------- */

/* The wanted percentiles, in rising order, and the state of the search. */
struct ranks
{
    const unsigned int *p;      /* n percentages */
    uint64_t *values;
    size_t n, found;
    bool weighted;
    uint64_t whole, passed;
    uint64_t next;              /* weight before the next percentile */
};

static void set_next_rank(struct ranks *at)
{
    at->next = at->found == at->n ? UINT64_MAX
               : (uint64_t)((unsigned __int128)at->whole *
                            at->p[at->found] / 100);
}

/* Is the next percentile after so much more weight? */
static inline bool is_behind(const struct ranks *at, uint64_t weight)
{
    return at->passed + weight <= at->next;
}

static inline void pass_values(struct ranks *at, uint64_t value, uint64_t count)
{
    uint64_t weight = at->weighted ? count * value : count;

    debug_assert(at->found <= at->n && count);
    for ( ; !is_behind(at, weight); set_next_rank(at) )
        at->values[at->found++] = value;
    at->passed += weight;
}

static void find_raw(struct ranks *at, const struct walk *w)
{
    for ( size_t i = 0; i < w->nr_raw; i++ )
        at->whole += at->weighted ? w->raw[i] : 1;
    set_next_rank(at);
    for ( size_t i = 0; i < w->nr_raw; i++ )
        pass_values(at, w->raw[i], 1);
}

static void weigh_octaves(struct ranks *at, const struct walk *w,
                          uint64_t weights[OCTAVES])
{
    for ( unsigned int o = 0; (o = next_octave(w, o)) < OCTAVES; o++ )
    {
        weights[o] = at->weighted ? weigh_octave(w, o) : count_octave(w, o);
        at->whole += weights[o];
    }
}

static void find_in_octave(struct ranks *at, const struct walk *w,
                           unsigned int o)
{
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
    {
        uint32_t count = w->counts[o][cell];

        if ( !at->weighted && is_behind(at, count) )
            at->passed += count;
        else if ( count )
            pass_values(at, cell_middle(w->s, o, cell), count);
    }
}

/* Visit only octaves that contain a percentile. */
static void find_cells(struct ranks *at, const struct walk *w)
{
    uint64_t weights[OCTAVES];

    weigh_octaves(at, w, weights);
    set_next_rank(at);
    for ( unsigned int o = 0;
          at->found < at->n && (o = next_octave(w, o)) < OCTAVES; o++ )
        if ( is_behind(at, weights[o]) )
            at->passed += weights[o];
        else
            find_in_octave(at, w, o);
}

/* Percentile 100 is the maximum. */
static void find_percentiles(const struct stats *s, bool weighted,
                             const unsigned int *p,
                             uint64_t *values, size_t n)
{
    struct ranks at = { .p = p, .values = values, .n = n,
                        .weighted = weighted };
    struct walk w;

    for ( size_t k = 1; k < n; k++ )
        assert(p[k - 1] < p[k]);
    for ( size_t k = 0; k < n; k++ )
        values[k] = s->max;
    walk_start(&w, s);
    if ( s->in_cells )
        find_cells(&at, &w);
    else
        find_raw(&at, &w);
}

uint64_t stats_percentile(const struct stats *s, unsigned int p)
{
    uint64_t value;

    assert(p <= 100);
    find_percentiles(s, false, &p, &value, 1);
    return value;
}

uint64_t stats_weighted(const struct stats *s, unsigned int p)
{
    uint64_t value;

    assert(p <= 100);
    find_percentiles(s, true, &p, &value, 1);
    return value;
}

static const unsigned int default_percentiles[] = { 5, 50, 95, 99 };

static void find_default_percentiles(const struct stats *s, bool weighted,
                                     struct stats_percentiles *p)
{
    uint64_t values[4];

    find_percentiles(s, weighted, default_percentiles, values, 4);
    *p = (struct stats_percentiles){ values[0], values[1], values[2],
                                     values[3] };
}

void stats_percentiles(const struct stats *s, struct stats_percentiles *p)
{
    find_default_percentiles(s, false, p);
}

void stats_weighted_percentiles(const struct stats *s,
                                struct stats_percentiles *p)
{
    find_default_percentiles(s, true, p);
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

        assert(low <= run.value && (!n || bars[n - 1].low <= low));
        if ( n == 0 || bars[n - 1].low != low )
            bars[n++] = (struct stats_bar){ low, low + (low - 1), 0 };
        assert(n <= 64);
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

    for ( size_t k = 1; k < nr; k++ )
        assert(limits[k - 1] <= limits[k]);
    memset(counts, 0, (nr + 1) * sizeof(*counts));
    walk_start(&w, s);
    while ( next_run(&w, &run) )
    {
        while ( i < nr && run.value >= limits[i] )
            i++;
        counts[i] += run.count;
    }
}
