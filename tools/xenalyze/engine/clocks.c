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
 * a contradiction nothing is corrected.  Else a long probe at the begin of the
 * trace tells the offsets (clock-align.c), which is all if the clocks have the
 * same speed.  Then all probes are measured again, and their offsets make a
 * line: the offset and the drift of the clock.  Corrected clocks bring changes
 * together that belong together, so the next measurement is better.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/engine/clock-align.h"

#define MAX_PROBES 12u
#define PROBE_RECORDS 8192u     /* to detect contradictions */
#define MEASURE_RECORDS 262144u
#define LATENCY_NS 1000u        /* typical wake-up */
#define MAX_ROUNDS 6u
#define MANY_FIT 256            /* one change of so many may contradict */
#define FEW_FIT 16              /* one pair of so many may contradict, or ... */
#define LITTLE_HELP 0.875       /* ... less than so much of the old share */
#define MAX_OFFSET 0x1p62        /* more cycles are damage */

/* The correction of a clock, relative to the reference's. */
struct clock_line
{
    double offset;              /* cycles, at the first probe */
    double drift;               /* cycles per cycle */
};

struct clock_solver
{
    struct analysis *a;
    struct clock_probe probe;
    unsigned int nr_pcpus, nr_probes;
    uint32_t records;           /* per probe */
    uint64_t times[MAX_PROBES];

    struct clock_order order;   /* of all probes of a round */
    struct clock_order aligned; /* likewise, each with offsets of its own */
    size_t events;
    struct clock_order best_order;      /* with the best lines */

    unsigned int reference;     /* pcpu */
    double *centres;            /* by pcpu, of each probe and of the long one;
                                   NAN: unknown */
    struct clock_line *lines;   /* by pcpu */
    struct clock_line *tried;   /* those of this round */
    struct clock_line *best;    /* those with the fewest contradictions */
};

/* --- probes --------------------------------------------------------------- */

/* The pcpu with the most changes. */
static int choose_reference(struct clock_solver *s)
{
    uint32_t *changes = fault_calloc(s->nr_pcpus, sizeof(*changes));

    assert(s->nr_pcpus);
    if ( !changes )
        return -ENOMEM;
    for ( size_t i = 0; i < s->probe.nr; i++ )
        changes[s->probe.events[i].pcpu]++;
    s->reference = 0;
    for ( unsigned int i = 1; i < s->nr_pcpus; i++ )
        if ( changes[i] > changes[s->reference] )
            s->reference = i;
    free(changes);
    return 0;
}

static double *borrow_centres(const struct clock_solver *s, unsigned int n)
{
    assert(n <= MAX_PROBES);
    return s->centres + (size_t)n * s->nr_pcpus;
}

/* Measure what was read. */
static int measure_probe(struct clock_solver *s, unsigned int n,
                         enum clock_search search)
{
    const struct clock_align_options o = {
        .nr_pcpus = s->nr_pcpus, .reference = s->reference, .search = search,
        .latency = xt_clock_cycles(&s->a->clock, LATENCY_NS),
    };

    return clock_align(&s->probe, &o, borrow_centres(s, n));
}

static void add_order(struct clock_order *sum, const struct clock_order *o)
{
    sum->contradictions += o->contradictions;
    sum->pairs += o->pairs;
}

static int read_probe(struct clock_solver *s, unsigned int n, struct err *e)
{
    uint64_t until = n + 1 < s->nr_probes ? s->times[n + 1] : UINT64_MAX;
    int rc;

    assert(n < s->nr_probes);
    rc = clock_probe_read(&s->probe, s->a->trace, s->times[n], until,
                          s->records, e);
    add_order(&s->order, &s->probe.order);
    s->events += s->probe.nr;
    return rc;
}

/* Read every step-th probe; NULL: only count the contradictions. */
static int read_probes(struct clock_solver *s, unsigned int step,
                       const enum clock_search *search, struct err *e)
{
    int rc = xt_trace_rewind(s->a->trace, e);

    s->order = s->aligned = (struct clock_order){ .pairs = 0 };
    s->events = 0;
    for ( unsigned int n = step - 1; !rc && n < s->nr_probes; n += step )
    {
        rc = read_probe(s, n, e);
        if ( rc || !search )
            continue;
        rc = measure_probe(s, n, *search);
        add_order(&s->aligned, &s->probe.aligned);
    }
    return rc;
}

static int read_long_probe(struct clock_solver *s, struct err *e)
{
    int rc = xt_trace_rewind(s->a->trace, e);

    return rc ? rc : clock_probe_read(&s->probe, s->a->trace, s->times[0],
                                      UINT64_MAX, s->records, e);
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

/*
 * Without drift, the long probe gives the best answer, unless it is stuck where
 * several clocks would have to move together.
 */
static double fit_offset(const struct clock_solver *s, unsigned int pcpu,
                         double drift, bool by_long_probe)
{
    const double whole = borrow_centres(s, MAX_PROBES)[pcpu];
    double offsets[MAX_PROBES];
    unsigned int nr = 0;

    assert(pcpu < s->nr_pcpus);
    if ( drift == 0 && by_long_probe && !isnan(whole) )
        return whole;
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
static void improve_lines(struct clock_solver *s, bool by_long_probe)
{
    double length = (double)(s->times[s->nr_probes - 1] - s->times[0]);
    double least = (double)xt_clock_cycles(&s->a->clock, LATENCY_NS) / 2;

    assert(s->nr_probes);
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
    {
        double drift = fit_drift(s, i);

        if ( drift * length < least && -drift * length < least )
            drift = 0;
        s->lines[i].offset += fit_offset(s, i, drift, by_long_probe);
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

/* --- rounds --------------------------------------------------------------- */

/*
 * Do corrections with the order `after` explain the contradictions before?
 * Else records are missing: without the records of some pcpus, as after the
 * torn end of a trace, any clocks contradict, some wrong ones a little less.
 * Clocks that differ by more than the trace is long contradict nothing: no
 * change of a pcpu is then between changes of another pcpu.
 */
static bool explains(const struct clock_order *before,
                     const struct clock_order *after)
{
    return after->contradictions <= after->pairs / FEW_FIT ||
           (double)after->contradictions * before->pairs <
               LITTLE_HELP * before->contradictions * after->pairs;
}

/* Read with the present lines, and improve them. */
static int improve_by_probes(struct clock_solver *s, unsigned int round,
                             struct err *e)
{
    enum clock_search search = round ? CLOCK_SEARCH_LAST : CLOCK_SEARCH_NEAR;
    int rc = set_lines(s, s->lines, e);

    rc = rc ? rc : read_probes(s, 1, &search, e);
    if ( rc || !s->order.contradictions )
        return rc;
    rc = read_long_probe(s, e);
    rc = rc ? rc : measure_probe(s, MAX_PROBES, CLOCK_SEARCH_LAST);
    if ( !rc )
        improve_lines(s, round % 2);
    return rc;
}

/*
 * Improve the lines until two rounds did not help, and keep the best.  The
 * first round has the lines of the long probe; if neither these nor offsets for
 * each single probe help, no lines do.
 */
static int improve_in_rounds(struct clock_solver *s, struct err *e)
{
    unsigned int vain = 0;
    int rc = 0;

    for ( unsigned int i = 0; !rc && vain < 2 && i < MAX_ROUNDS &&
                              s->best_order.contradictions; i++ )
    {
        memcpy(s->tried, s->lines, s->nr_pcpus * sizeof(*s->lines));
        rc = improve_by_probes(s, i, e);
        if ( !rc && s->order.contradictions < s->best_order.contradictions )
        {
            vain = 0;
            s->best_order = s->order;
            memcpy(s->best, s->tried, s->nr_pcpus * sizeof(*s->best));
        }
        else if ( i )
            vain++;
        else if ( !explains(&s->order, &s->aligned) )
            break;
    }
    return rc;
}

/*
 * Begin with offsets without drift, by the long probe; with none if nothing
 * there contradicts, as distant clocks would.
 */
static int find_lines(struct clock_solver *s, enum clock_search search,
                      struct err *e)
{
    const double *offsets = borrow_centres(s, MAX_PROBES);
    bool in_vain = search == CLOCK_SEARCH_FAR;
    int rc;

    memset(s->lines, 0, s->nr_pcpus * sizeof(*s->lines));
    rc = set_lines(s, s->lines, e);
    rc = rc ? rc : read_long_probe(s, e);
    rc = rc ? rc : choose_reference(s);
    if ( !rc && s->probe.order.contradictions )
    {
        rc = measure_probe(s, MAX_PROBES, search);
        for ( unsigned int i = 0; !rc && i < s->nr_pcpus; i++ )
            s->lines[i].offset = isnan(offsets[i]) ? 0 : offsets[i];
        in_vain = in_vain && !explains(&s->probe.order, &s->probe.aligned);
    }
    return rc || in_vain ? rc : improve_in_rounds(s, e);
}

/*
 * Choose the lines with the fewest contradictions; none if none helps.  Most
 * clocks differ by little, which takes fewer changes to find out.
 */
static int solve_clocks(struct clock_solver *s, struct err *e)
{
    struct clock_order before;
    int rc;

    s->records = MEASURE_RECORDS;
    rc = read_probes(s, 1, NULL, e);
    before = s->best_order = s->order;
    rc = rc ? rc : find_lines(s, CLOCK_SEARCH_NEAR, e);
    if ( !rc && s->best_order.contradictions > s->events / MANY_FIT )
        rc = find_lines(s, CLOCK_SEARCH_FAR, e);
    if ( !explains(&before, &s->best_order) )
        memset(s->best, 0, s->nr_pcpus * sizeof(*s->best));
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
    s->centres = fault_calloc(nr, (MAX_PROBES + 1) * sizeof(*s->centres));
    s->lines = fault_calloc(nr, sizeof(*s->lines));
    s->tried = fault_calloc(nr, sizeof(*s->tried));
    s->best = fault_calloc(nr, sizeof(*s->best));
    return s->centres && s->lines && s->tried && s->best ? 0 : -ENOMEM;
}

static void free_solver(struct clock_solver *s)
{
    clock_probe_fini(&s->probe);
    free(s->centres);
    free(s->lines);
    free(s->tried);
    free(s->best);
}

static int align_clocks(struct clock_solver *s, struct err *e)
{
    int rc = clock_probe_init(&s->probe);

    assert(s->nr_pcpus > 1);
    s->records = PROBE_RECORDS;
    rc = rc ? rc : choose_times(s, e);
    rc = rc ? rc : read_probes(s, 2, NULL, e);
    if ( !rc && s->order.contradictions )
    {
        rc = allocate_solver(s);
        rc = rc ? rc : solve_clocks(s, e);
    }
    free_solver(s);
    return rc ? rc : xt_trace_rewind(s->a->trace, e);
}

bool analyze_has_corrections(const struct xt_trace *trace, unsigned int nr)
{
    const uint64_t late = UINT64_C(1) << 62;

    assert(nr <= XT_MAX_CPUS);
    for ( unsigned int i = 0; i < nr; i++ )
        if ( xt_trace_correct(trace, i, late) != late )
            return true;
    return false;
}

int analyze_reset_clocks(struct xt_trace *trace, struct err *e)
{
    struct err unmapped = ERR_INIT;
    unsigned int nr = 0;
    int rc = xt_trace_cpus(trace, &nr, &unmapped);

    if ( rc || !analyze_has_corrections(trace, nr) )
        return rc == -ENOMEM ? err_sys(e, rc, "cannot read %s",
                                       xt_trace_name(trace)) : 0;
    rc = xt_trace_rewind(trace, e);
    for ( unsigned int i = 0; !rc && i < nr; i++ )
    {
        rc = xt_trace_set_offset(trace, i, 0, e);
        rc = rc ? rc : xt_trace_set_drift(trace, i, 0, 0, e);
    }
    return rc;
}

int analyze_clocks(struct analysis *a, struct err *e)
{
    struct clock_solver s = { .a = a };
    struct err unmapped = ERR_INIT;
    int rc = xt_trace_cpus(a->trace, &s.nr_pcpus, &unmapped);

    assert(!a->segment && !a->nr_pcpus);
    if ( rc || s.nr_pcpus < 2 )
        return rc == -ESPIPE ? 0 : rc;
    rc = analyze_reset_clocks(a->trace, e);
    return rc || a->options->clocks_agree ? rc : align_clocks(&s, e);
}
