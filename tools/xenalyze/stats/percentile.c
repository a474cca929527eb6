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

/*
 * State of a walk, which visits one octave at a time: so marks, which are
 * unordered, are first sorted by octave.
 */
struct walk
{
    const struct stats *s;
    uint64_t raw[STATS_RAW];
    size_t nr_raw, next_raw;
    unsigned int first, end;    /* octaves of the minimum and the maximum */
    uint16_t marks[STATS_MARKS];
    uint16_t ends[OCTAVES];     /* index after each octave's last mark */
    unsigned int octave, cell;  /* next cell to visit */
    uint32_t counts[CELLS];     /* of the current octave */
};

/* --- octaves -------------------------------------------------------------- */

static void sort_marks(struct walk *w, const struct stats *s)
{
    const uint16_t *marks = s->cells->marks;
    unsigned int end = 0, nr;

    memset(w->ends, 0, sizeof(w->ends));
    for ( unsigned int i = 0; i < s->used; i++ )
        w->ends[marks[i] / CELLS]++;
    for ( unsigned int o = w->first; o < w->end; o++ )
    {
        nr = w->ends[o];
        w->ends[o] = end;
        end += nr;
    }
    /* No mark is outside of the octaves of minimum and maximum. */
    assert(end == s->used);
    for ( unsigned int i = 0; i < s->used; i++ )
        w->marks[w->ends[marks[i] / CELLS]++] = marks[i];
}

static unsigned int first_mark(const struct walk *w, unsigned int o)
{
    return o > w->first ? w->ends[o - 1] : 0;
}

static bool is_empty(const struct walk *w, unsigned int o)
{
    return !cells_octave(w->s->cells, o) && first_mark(w, o) == w->ends[o];
}

static inline void add_plane(uint32_t *restrict counts,
                             const uint8_t *restrict from, unsigned int shift)
{
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        counts[cell] += (uint32_t)from[cell] << shift;
}

/* Begin at the first cell of an octave. */
static void enter_octave(struct walk *w, unsigned int o)
{
    const struct stats_octave *from = cells_octave(w->s->cells, o);

    assert(o < OCTAVES);
    w->octave = o;
    w->cell = 0;
    memset(w->counts, 0, sizeof(w->counts));
    for ( unsigned int shift = 0; from; from = from->high, shift += 8 )
        add_plane(w->counts, from->counts, shift);
    for ( unsigned int i = first_mark(w, o); i < w->ends[o]; i++ )
        w->counts[w->marks[i] % CELLS] +=
            w->counts[w->marks[i] % CELLS] != UINT32_MAX;
}

/* Enter the next octave with values.  False: none is left. */
static bool next_octave(struct walk *w, unsigned int o)
{
    while ( o < w->end && is_empty(w, o) )
        o++;
    if ( o < w->end )
        enter_octave(w, o);
    return o < w->end;
}

static uint64_t clamp_value(uint64_t value, uint64_t low, uint64_t high)
{
    if ( value < low )
        return low;
    return value > high ? high : value;
}

/* The representative value of a cell. */
static uint64_t cell_middle(const struct stats *s, unsigned int octave,
                            unsigned int cell)
{
    uint64_t low = cells_low(octave, cell);
    uint64_t high = cells_high(octave, cell);

    return clamp_value(low + (high - low) / 2, s->min, s->max);
}

/* Sum of all counts, in four 16-bit lanes of a word. */
static inline uint64_t sum_of_plane(const uint8_t counts[CELLS])
{
    const uint64_t every_other = 0x00ff00ff00ff00ff;
    uint64_t sums = 0, word;

    _Static_assert(CELLS * UINT8_MAX <= UINT16_MAX, "16 bits hold the sum");
    for ( unsigned int cell = 0; cell < CELLS; cell += sizeof(word) )
    {
        memcpy(&word, counts + cell, sizeof(word));
        sums += (word & every_other) + (word >> 8 & every_other);
    }
    return sums * 0x0001000100010001 >> 48;
}

/* Number of values in an octave. */
static uint64_t count_octave(const struct walk *w, unsigned int o)
{
    const struct stats_octave *from = cells_octave(w->s->cells, o);
    uint64_t sum = w->ends[o] - first_mark(w, o);

    for ( unsigned int shift = 0; from; from = from->high, shift += 8 )
        sum += sum_of_plane(from->counts) << shift;
    return sum;
}

/* Sum of the values in an octave. */
static uint64_t weigh_octave(struct walk *w, unsigned int o)
{
    uint64_t sum = 0;

    enter_octave(w, o);
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        if ( w->counts[cell] )
            sum += w->counts[cell] * cell_middle(w->s, o, cell);
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
        w->first = stats_cell(s->min) / CELLS;
        w->end = stats_cell(s->max) / CELLS + 1;
        assert(w->first < w->end && w->end <= OCTAVES);
        w->octave = w->first - 1;
        w->cell = CELLS;
        sort_marks(w, s);
        return;
    }
    w->nr_raw = stats_unpack(s, w->raw);
    sort_values(w->raw, w->nr_raw);
}

static bool next_cells(struct walk *w, struct samples_run *run)
{
    do
        while ( w->cell < CELLS )
        {
            unsigned int cell = w->cell++;

            if ( !w->counts[cell] )
                continue;
            run->count = w->counts[cell];
            run->value = cell_middle(w->s, w->octave, cell);
            return true;
        }
    while ( next_octave(w, w->octave + 1) );
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

static void weigh_octaves(struct ranks *at, struct walk *w,
                          uint64_t weights[OCTAVES])
{
    for ( unsigned int o = w->first; o < w->end; o++ )
    {
        weights[o] = is_empty(w, o) ? 0
                     : at->weighted ? weigh_octave(w, o) : count_octave(w, o);
        at->whole += weights[o];
    }
}

static void find_in_octave(struct ranks *at, struct walk *w, unsigned int o)
{
    enter_octave(w, o);
    for ( unsigned int cell = 0; cell < CELLS; cell++ )
        if ( !at->weighted && is_behind(at, w->counts[cell]) )
            at->passed += w->counts[cell];
        else if ( w->counts[cell] )
            pass_values(at, cell_middle(w->s, o, cell), w->counts[cell]);
}

/* Visit only octaves that contain a percentile. */
static void find_cells(struct ranks *at, struct walk *w)
{
    uint64_t weights[OCTAVES];

    weigh_octaves(at, w, weights);
    set_next_rank(at);
    for ( unsigned int o = w->first; o < w->end && at->found < at->n; o++ )
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

static const unsigned int default_percentiles[] = { 5, 50, 95 };

static void find_default_percentiles(const struct stats *s, bool weighted,
                                     struct stats_percentiles *p)
{
    uint64_t values[3];

    find_percentiles(s, weighted, default_percentiles, values, 3);
    p->p5 = values[0];
    p->p50 = values[1];
    p->p95 = values[2];
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
