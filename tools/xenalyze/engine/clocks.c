/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks of pcpus that disagree.
 *
 * When two pcpus change the state of the same vcpu (pcpu A wakes it, pcpu B
 * runs it), their records have an order that does not depend on time: the old
 * state of each record is the new state of the previous one.  If the time
 * stamps contradict, the clocks differ.
 *
 * So some PROBES are read before the trace, at equal distances in it.  Without
 * a contradiction nothing is corrected.  Else the wake-ups of each probe limit
 * the offsets of the clocks (clock-probe.c):
 *
 *     offset of after >= offset of before - shortest time from wake-up to run
 *
 * Limits in both directions, directly or through other pcpus, leave a band of
 * offsets for each pcpu, relative to a reference.  The band is as wide as two
 * wake-ups are long, so its centre is right within a microsecond or so.  The
 * centres of all probes make a line: the offset and the drift of the clock.
 *
 * A correction brings further wake-ups close to their runs, so all is repeated
 * until no limit is broken.  If clocks differ by many periods of the vcpus,
 * each run has to be compared with more wake-ups: further attempts do this.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/engine/clock-probe.h"

#define MAX_PROBES 12u
#define PROBE_RECORDS 8192u     /* to detect contradictions */
#define MEASURE_RECORDS 262144u
#define PEAK_NS 5000u           /* width of the shortest times of wake-ups */
#define LATENCY_NS 1000u        /* typical wake-up */
#define MAX_ROUNDS 4u           /* per attempt */
#define MAX_LIMITS 8192u        /* per probe */
#define MAX_DROPS 64u
#define FEW_CONTRADICTIONS (1.0 / 256) /* a further attempt is not worthwhile */
#define MAX_OFFSET 0x1p62        /* more cycles are damage */

/* Wake-ups that are compared with a run on either side, by attempt. */
static const unsigned int neighbours[] = { 8, 64, 512 };

#define ATTEMPTS (sizeof(neighbours) / sizeof(neighbours[0]))

/* The correction of a clock, relative to the reference's. */
struct clock_line
{
    double offset;              /* cycles, at the first probe */
    double drift;               /* cycles per cycle */
};

/* Possible offsets of a pcpu in a probe. */
struct clock_band
{
    int64_t low, high;          /* INT64_MIN, INT64_MAX: not limited */
};

struct clock_solver
{
    struct analysis *a;
    struct clock_probe probe;
    unsigned int nr_pcpus, nr_probes;
    uint32_t records;           /* per probe */
    uint64_t times[MAX_PROBES];

    uint32_t contradictions;    /* in the last round */
    size_t events;
    bool broken;                /* some limit was */

    struct clock_limit *limits; /* for the current probe */
    size_t nr_limits;
    unsigned int reference;     /* pcpu; nr_pcpus: not yet chosen */
    struct clock_band *bands;   /* by pcpu, of the current probe */
    double *centres;            /* by pcpu, of each probe and of all probes
                                   together; NAN: unknown */
    struct clock_line *lines;   /* by pcpu */
    struct clock_line *best;    /* result of the best attempt */
};

/* --- bands ---------------------------------------------------------------- */

static bool raise_low(struct clock_band *bands, const struct clock_limit *l)
{
    int64_t low = bands[l->before].low;

    if ( low == INT64_MIN || bands[l->after].low >= low - l->time )
        return false;
    bands[l->after].low = low - l->time;
    return true;
}

static bool reduce_high(struct clock_band *bands, const struct clock_limit *l)
{
    int64_t high = bands[l->after].high;

    if ( high == INT64_MAX || bands[l->before].high <= high + l->time )
        return false;
    bands[l->before].high = high + l->time;
    return true;
}

/* Bellman-Ford iteration.  False: the limits contradict each other. */
static bool find_bands(struct clock_solver *s)
{
    bool changed = true;

    assert(s->reference < s->nr_pcpus);
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
        s->bands[i] = (struct clock_band){ INT64_MIN, INT64_MAX };
    s->bands[s->reference] = (struct clock_band){ 0, 0 };
    for ( unsigned int n = 0; changed && n <= s->nr_pcpus; n++ )
    {
        changed = false;
        for ( size_t i = 0; i < s->nr_limits; i++ )
        {
            changed |= raise_low(s->bands, &s->limits[i]);
            changed |= reduce_high(s->bands, &s->limits[i]);
        }
    }
    return !changed && !s->bands[s->reference].low &&
           !s->bands[s->reference].high;
}

static void drop_weakest(struct clock_solver *s)
{
    size_t weakest = 0;

    assert(s->nr_limits);
    for ( size_t i = 1; i < s->nr_limits; i++ )
        if ( s->limits[i].support < s->limits[weakest].support )
            weakest = i;
    s->limits[weakest] = s->limits[--s->nr_limits];
}

/*
 * The most likely offset: the centre of a narrow band.  In a wide band, or one
 * with a single end, wake-ups are slow in one direction at least; then the
 * smallest offset is chosen with which wake-ups take `latency`.
 */
static double choose_centre(const struct clock_band *b, int64_t latency)
{
    bool has_low = b->low != INT64_MIN, has_high = b->high != INT64_MAX;

    assert(latency > 0);
    if ( !has_low && !has_high )
        return NAN;
    if ( has_low && has_high && b->high - b->low <= 8 * latency )
        return ((double)b->low + (double)b->high) / 2;
    if ( has_low && b->low > 0 )
        return (double)b->low + (double)latency;
    if ( has_high && b->high < 0 )
        return (double)b->high - (double)latency;
    return 0;
}

/* --- probes --------------------------------------------------------------- */

/* The pcpu with the most limits. */
static void choose_reference(struct clock_solver *s)
{
    uint64_t best = 0;

    for ( unsigned int pcpu = 0; pcpu < s->nr_pcpus; pcpu++ )
    {
        uint64_t support = 0;

        for ( size_t i = 0; i < s->nr_limits; i++ )
            if ( s->limits[i].before == pcpu || s->limits[i].after == pcpu )
                support += 1;
        if ( support > best )
        {
            best = support;
            s->reference = pcpu;
        }
    }
    assert(!s->nr_limits || s->reference < s->nr_pcpus);
}

/* The centres of the bands, by pcpu, from the limits. */
static void find_centres(struct clock_solver *s, double *centres)
{
    int64_t latency = xt_clock_cycles(&s->a->clock, LATENCY_NS);
    bool solved;

    for ( size_t i = 0; i < s->nr_limits; i++ )
        s->broken |= s->limits[i].time < 0;
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
        centres[i] = NAN;
    if ( s->reference == s->nr_pcpus )
        choose_reference(s);
    if ( s->reference == s->nr_pcpus )
        return;
    solved = find_bands(s);
    for ( unsigned int i = 0; !solved && s->nr_limits && i < MAX_DROPS; i++ )
    {
        drop_weakest(s);
        solved = find_bands(s);
    }
    for ( unsigned int i = 0; solved && i < s->nr_pcpus; i++ )
        centres[i] = choose_centre(&s->bands[i], latency);
    assert(!solved || !centres[s->reference]);
}

static double *borrow_centres(const struct clock_solver *s, unsigned int n)
{
    assert(n <= MAX_PROBES);
    return s->centres + (size_t)n * s->nr_pcpus;
}

static int measure_probe(struct clock_solver *s, unsigned int n)
{
    int rc = clock_probe_find_limits(&s->probe,
                                     xt_clock_cycles(&s->a->clock, PEAK_NS),
                                     s->limits, MAX_LIMITS, &s->nr_limits);

    assert(n < MAX_PROBES);
    if ( !rc )
        find_centres(s, borrow_centres(s, n));
    return rc;
}

/* All probes together: a pcpu may be in too few pairs of each of them. */
static void measure_pool(struct clock_solver *s)
{
    uint64_t peak = xt_clock_cycles(&s->a->clock, PEAK_NS);

    assert(peak);
    s->nr_limits = clock_probe_pool_limits(&s->probe, peak, s->limits,
                                           MAX_LIMITS);
    find_centres(s, borrow_centres(s, MAX_PROBES));
}

static int read_probe(struct clock_solver *s, unsigned int n, struct err *e)
{
    uint64_t until = n + 1 < s->nr_probes ? s->times[n + 1] : UINT64_MAX;
    int rc;

    assert(n < s->nr_probes);
    rc = clock_probe_read(&s->probe, s->a->trace, s->times[n], until,
                          s->records, e);
    s->contradictions += s->probe.contradictions;
    s->events += s->probe.nr;
    return rc;
}

/*
 * Count the contradictions, and measure the clocks if wanted; else every other
 * probe is enough.
 */
static int read_probes(struct clock_solver *s, bool measure, struct err *e)
{
    int rc = xt_trace_rewind(s->a->trace, e);

    s->contradictions = s->events = 0;
    s->broken = false;
    for ( unsigned int n = !measure; !rc && n < s->nr_probes; n += 2 - measure )
    {
        rc = read_probe(s, n, e);
        if ( !rc && measure )
            rc = measure_probe(s, n);
    }
    if ( !rc && measure )
        measure_pool(s);
    return rc;
}

/* --- lines ---------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double find_median(double *values, unsigned int nr)
{
    assert(nr);
    qsort(values, nr, sizeof(*values), compare_doubles);
    return values[nr / 2];
}

/* The median, or 0 if more than a quarter of the values have the other sign. */
static double find_trend(double *values, unsigned int nr)
{
    double median = find_median(values, nr);
    unsigned int against = 0;

    assert(nr);
    for ( unsigned int i = 0; i < nr; i++ )
        against += values[i] * median <= 0;
    return against <= nr / 4 ? median : 0;
}

/* The median of the slopes between all probes (Theil and Sen), or 0. */
static double fit_drift(const struct clock_solver *s, unsigned int pcpu)
{
    double slopes[MAX_PROBES * MAX_PROBES];
    unsigned int nr = 0;

    assert(pcpu < s->nr_pcpus);
    for ( unsigned int i = 0; i < s->nr_probes; i++ )
        for ( unsigned int k = i + 1; k < s->nr_probes; k++ )
        {
            double from = borrow_centres(s, i)[pcpu];
            double to = borrow_centres(s, k)[pcpu];

            if ( !isnan(from) && !isnan(to) )
                slopes[nr++] = (to - from) /
                               (double)(s->times[k] - s->times[i]);
        }
    return nr ? find_trend(slopes, nr) : 0;
}

static double fit_offset(const struct clock_solver *s, unsigned int pcpu,
                         double drift)
{
    const double pool = borrow_centres(s, MAX_PROBES)[pcpu];
    double offsets[MAX_PROBES];
    unsigned int nr = 0;

    assert(pcpu < s->nr_pcpus);
    /* Without drift, all pairs together give the best answer. */
    if ( drift == 0 && !isnan(pool) )
        return pool;
    for ( unsigned int i = 0; i < s->nr_probes; i++ )
    {
        double centre = borrow_centres(s, i)[pcpu];

        if ( !isnan(centre) )
            offsets[nr++] = centre -
                            drift * (double)(s->times[i] - s->times[0]);
    }
    return nr ? find_median(offsets, nr) : 0;
}

/* Add what the probes have measured.  A small drift is an error of the fit. */
static void improve_lines(struct clock_solver *s)
{
    double length = (double)(s->times[s->nr_probes - 1] - s->times[0]);
    double least = (double)xt_clock_cycles(&s->a->clock, LATENCY_NS) / 2;

    assert(s->nr_probes);
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
    {
        double drift = fit_drift(s, i);

        if ( drift * length < least && -drift * length < least )
            drift = 0;
        s->lines[i].offset += fit_offset(s, i, drift);
        s->lines[i].drift += drift;
    }
}

/* Offsets and drifts from 0 up, so that the trace begins with a right clock. */
static int set_lines(struct clock_solver *s, const struct clock_line *lines,
                     struct err *e)
{
    struct clock_line least = lines[0];
    int rc = xt_trace_rewind(s->a->trace, e);

    for ( unsigned int i = 1; i < s->nr_pcpus; i++ )
    {
        if ( lines[i].offset < least.offset )
            least.offset = lines[i].offset;
        if ( lines[i].drift < least.drift )
            least.drift = lines[i].drift;
    }
    for ( unsigned int i = 0; !rc && i < s->nr_pcpus; i++ )
    {
        double offset = lines[i].offset - least.offset + 0.5;
        double ppb = (lines[i].drift - least.drift) * 1e9 + 0.5;

        assert(offset > 0 && ppb > 0);
        rc = xt_trace_set_offset(s->a->trace, i,
                                 offset < MAX_OFFSET ? (int64_t)offset : 0, e);
        rc = rc ? rc : xt_trace_set_drift(s->a->trace, i, s->times[0],
                                          ppb < XT_DRIFT_MAX ? (uint64_t)ppb
                                                             : XT_DRIFT_MAX,
                                          e);
    }
    return rc;
}

/* --- attempts ------------------------------------------------------------- */

static int attempt_lines(struct clock_solver *s, unsigned int attempt,
                         struct err *e)
{
    int rc = 0;

    assert(attempt < ATTEMPTS);
    memset(s->lines, 0, s->nr_pcpus * sizeof(*s->lines));
    s->reference = s->nr_pcpus;
    for ( unsigned int round = 0; !rc && round < MAX_ROUNDS; round++ )
    {
        s->probe.neighbours = neighbours[round ? 0 : attempt];
        rc = set_lines(s, s->lines, e);
        rc = rc ? rc : read_probes(s, true, e);
        if ( !s->broken )
            return rc;
        if ( !rc )
            improve_lines(s);
    }
    rc = rc ? rc : set_lines(s, s->lines, e);
    return rc ? rc : read_probes(s, false, e);
}

/* Share of the changes. */
static double get_contradictions(const struct clock_solver *s)
{
    assert(s->contradictions <= s->events);
    return s->events ? (double)s->contradictions / (double)s->events : 0;
}

/* Choose the lines with the fewest contradictions; none if none helps. */
static int solve_clocks(struct clock_solver *s, struct err *e)
{
    double fewest = get_contradictions(s);
    int rc = 0;

    s->records = MEASURE_RECORDS;
    for ( unsigned int i = 0; !rc && i < ATTEMPTS; i++ )
    {
        rc = attempt_lines(s, i, e);
        if ( !rc && get_contradictions(s) < fewest )
        {
            fewest = get_contradictions(s);
            memcpy(s->best, s->lines, s->nr_pcpus * sizeof(*s->best));
        }
        if ( fewest < FEW_CONTRADICTIONS )
            break;
    }
    return rc ? rc : set_lines(s, s->best, e);
}

static int choose_times(struct clock_solver *s, struct err *e)
{
    uint64_t first, last;
    int rc = xt_trace_span(s->a->trace, &first, &last, e);

    /* A damaged trace may have no length. */
    if ( rc || first >= last || last - first < MAX_PROBES )
        return rc;
    for ( unsigned int i = 0; i < MAX_PROBES; i++ )
        s->times[i] = first + (last - first) / MAX_PROBES * i;
    s->nr_probes = MAX_PROBES;
    assert(s->times[0] == first);
    return 0;
}

static int allocate_solver(struct clock_solver *s)
{
    const size_t nr = s->nr_pcpus;

    assert(nr);
    s->limits = fault_calloc(MAX_LIMITS, sizeof(*s->limits));
    s->bands = fault_calloc(nr, sizeof(*s->bands));
    s->centres = fault_calloc(nr, (MAX_PROBES + 1) * sizeof(*s->centres));
    s->lines = fault_calloc(nr, sizeof(*s->lines));
    s->best = fault_calloc(nr, sizeof(*s->best));
    return s->limits && s->bands && s->centres && s->lines && s->best
           ? 0 : -ENOMEM;
}

static void free_solver(struct clock_solver *s)
{
    clock_probe_fini(&s->probe);
    free(s->limits);
    free(s->bands);
    free(s->centres);
    free(s->lines);
    free(s->best);
}

static int align_clocks(struct clock_solver *s, struct err *e)
{
    int rc = clock_probe_init(&s->probe);

    assert(s->nr_pcpus > 1);
    s->records = PROBE_RECORDS;
    rc = rc ? rc : choose_times(s, e);
    rc = rc ? rc : read_probes(s, false, e);
    if ( !rc && s->contradictions )
    {
        rc = allocate_solver(s);
        rc = rc ? rc : solve_clocks(s, e);
    }
    free_solver(s);
    return rc ? rc : xt_trace_rewind(s->a->trace, e);
}

int analyze_clocks(struct analysis *a, struct err *e)
{
    struct clock_solver s = { .a = a };
    struct err unmapped = ERR_INIT;
    int rc = xt_trace_cpus(a->trace, &s.nr_pcpus, &unmapped);

    assert(!a->segment && !a->nr_pcpus);
    if ( rc || s.nr_pcpus < 2 )
        return rc == -ESPIPE ? 0 : rc;
    return align_clocks(&s, e);
}
