/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With right clocks, each change of a vcpu begins with the state with which the
 * one before ended, on whatever pcpus they were.  This is done in three steps.
 *
 * Growth.  A vcpu that pcpu A wakes runs on pcpu B a short time later, and that
 * time is about the same for most wake-ups.  So the times between the wake-ups
 * of A and the runs on B have a peak at the difference of the two clocks:
 *
 *     number |        _
 *            |       | |_
 *            |  _   _|   |_____  _
 *            +-----------|------------ time from wake-up to run
 *                   ^    0
 *                   the clock of A is ahead by so much
 *
 * Each run is compared with many wake-ups before and after, since clocks may
 * differ by more than a vcpu's period.  Where vcpus run periodically, there are
 * peaks that are wrong by some periods.  So several are tried: pcpus are added
 * one after the other to those that are known, each with the offset with which
 * its changes fit best between theirs.
 *
 * Repetition.  Each pcpu is tried again between all others.
 *
 * Bounds.  Two changes of a vcpu that follow each other, on two pcpus, limit
 * the difference of the two clocks.  Each pcpu gets the offset that breaks the
 * fewest of these bounds: the middle of those, since wake-ups take about the
 * same time in both directions.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "xenalyze/engine/clock-align-private.h"

#define MAX_SAMPLES 262144u     /* times from wake-ups to runs, of a pcpu */
#define NEIGHBOURS 128u         /* compared with a change, on each side */
#define NEAR_NEIGHBOURS 8u      /* if the offset is about right */
#define MAX_PEAKS 32u
#define NEAR_PEAKS 8u
#define MIN_PEAKS 4u
#define MANY_PEAKS 4096u        /* of all pcpus together */
#define MIN_SUPPORT 3u          /* samples in a peak */
#define MAX_REPETITIONS 8u
#define MANY_FIT 256            /* one change of so many may not fit */

/* --- growth and repetition ------------------------------------------------ */

static size_t count_changes_of(const struct aligner *a, unsigned int pcpu)
{
    assert(pcpu < a->options->nr_pcpus);
    return a->begins[pcpu + 1] - a->begins[pcpu];
}

/*
 * A vcpu that a pcpu makes runnable and then runs, without any other record of
 * the vcpu in between: the two records tell nothing about other clocks.
 */
static void mark_local_pairs(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    struct clock_event *e = a->events;

    for ( size_t i = 1; i < a->begins[nr]; i++ )
        if ( clock_is_run(&e[i]) && clock_is_ready(&e[i - 1]) &&
             e[i].vcpu == e[i - 1].vcpu && e[i].pcpu == e[i - 1].pcpu )
            e[i].is_local = e[i - 1].is_local = true;
}

/* May the change belong to one on another pcpu? */
static bool has_pair(const struct clock_event *e)
{
    return !e->is_local && (clock_is_ready(e) || clock_is_run(e));
}

/* May the two belong together? */
static bool is_pair(const struct clock_event *x, const struct clock_event *y)
{
    return has_pair(x) && has_pair(y) && !clock_is_far(x, y) &&
           clock_is_ready(x) == clock_is_run(y);
}

/* A run has to follow the wake-up. */
static struct clock_end get_sample(const struct clock_event *x,
                                   const struct clock_event *y)
{
    debug_assert(is_pair(x, y));
    return (struct clock_end){
        .at = (int64_t)(x->time - y->time), .is_upper = clock_is_ready(y),
    };
}

/* Samples of a change with known ones on a side of `at`; `step` is 1 or -1. */
static void add_samples(struct aligner *a, const struct clock_event *y,
                        size_t at, int step, unsigned int neighbours)
{
    for ( size_t i = at; neighbours && i < a->nr_known &&
                         a->known[i].vcpu == y->vcpu; i += step )
        if ( a->known[i].pcpu != y->pcpu && is_pair(&a->known[i], y) &&
             a->nr_samples < MAX_SAMPLES )
        {
            a->samples[a->nr_samples++] = get_sample(&a->known[i], y);
            neighbours--;
        }
}

/* The limits by pairs of a change of the pcpu and a known one. */
static void find_samples(struct aligner *a, unsigned int pcpu, int64_t near,
                         unsigned int neighbours)
{
    size_t begin = a->begins[pcpu], nr = count_changes_of(a, pcpu), at = 0;
    size_t stride = 1 + nr * neighbours / MAX_SAMPLES;

    a->nr_samples = 0;
    for ( size_t i = begin; i < begin + nr; i += stride )
    {
        const struct clock_event *y = &a->events[i];

        if ( !has_pair(y) )
            continue;
        at = clock_skip_to_vcpu(a, at, y->vcpu);
        while ( at < a->nr_known && clock_is_earlier(&a->known[at], y, near) )
            at++;
        add_samples(a, y, at, 1, neighbours);
        if ( at )
            add_samples(a, y, at - 1, -1, neighbours);
    }
    clock_sort_ends(a->samples, a->nr_samples);
}

/* Where most samples are within `width`, apart from the peaks found so far. */
struct peak
{
    size_t begin, nr;           /* samples */
};

static bool find_next_peak(const struct aligner *a, int64_t width,
                           const struct peak *found, unsigned int nr_found,
                           struct peak *peak)
{
    size_t end = 0;

    *peak = (struct peak){ 0, MIN_SUPPORT - 1 };
    for ( size_t i = 0; i < a->nr_samples; i++ )
    {
        int64_t from = a->samples[i].at;
        unsigned int k = 0;

        while ( end < a->nr_samples && a->samples[end].at - from <= width )
            end++;
        if ( end - i <= peak->nr )
            continue;
        while ( k < nr_found &&
                (from - a->samples[found[k].begin].at > width ||
                 a->samples[found[k].begin].at - from > width) )
            k++;
        if ( k == nr_found )
            *peak = (struct peak){ i, end - i };
    }
    return peak->nr >= MIN_SUPPORT;
}

/* The offset that keeps the most limits of the peak. */
static int64_t place_peak(const struct aligner *a, const struct peak *peak)
{
    const struct clock_end *ends = &a->samples[peak->begin];
    struct clock_range r = clock_find_range(ends, peak->nr);

    if ( !r.has_low )
        return r.high - a->options->latency;
    return r.has_high ? r.low + (r.high - r.low) / 2
                      : r.low + a->options->latency;
}

/* The best of the peaks and of this offset. */
static int64_t choose_offset(struct aligner *a, unsigned int pcpu, int64_t best,
                             unsigned int neighbours, unsigned int nr_peaks)
{
    /* Wake-ups in both directions, on either side of the offset. */
    int64_t width = 2 * CLOCK_PEAK_LATENCIES * a->options->latency;
    int64_t most = clock_rate_offset(a, pcpu, best);
    unsigned int room = MANY_PEAKS / a->options->nr_pcpus;
    struct peak peaks[MAX_PEAKS];

    room = room < MIN_PEAKS ? MIN_PEAKS : room > nr_peaks ? nr_peaks : room;
    find_samples(a, pcpu, best, neighbours);
    for ( unsigned int i = 0;
          i < room && find_next_peak(a, width, peaks, i, &peaks[i]); i++ )
    {
        int64_t offset = place_peak(a, &peaks[i]);
        int64_t rate = clock_rate_offset(a, pcpu, offset);

        if ( rate > most )
        {
            most = rate;
            best = offset;
        }
    }
    return best;
}

/* The wake-ups and runs of a vcpu, from *at up to `end`, by turns. */
static void count_changes(const struct aligner *a, size_t *at, size_t end,
                          uint64_t *ready, uint64_t *runs)
{
    const uint32_t vcpu = a->events[*at].vcpu;

    *ready = *runs = 0;
    for ( ; *at < end && a->events[*at].vcpu == vcpu; ++*at )
        if ( !a->events[*at].is_local )
        {
            *ready += clock_is_ready(&a->events[*at]);
            *runs += clock_is_run(&a->events[*at]);
        }
}

/* At most so many wake-ups of one pcpu and runs on the other are pairs. */
static uint64_t count_shared(const struct aligner *a, unsigned int pcpu,
                             unsigned int other)
{
    size_t x = a->begins[pcpu], x_end = a->begins[pcpu + 1];
    size_t y = a->begins[other], y_end = a->begins[other + 1];
    uint64_t shared = 0, ready[2], runs[2];

    while ( x < x_end && y < y_end )
    {
        uint32_t x_vcpu = a->events[x].vcpu, y_vcpu = a->events[y].vcpu;

        if ( x_vcpu <= y_vcpu )
            count_changes(a, &x, x_end, &ready[0], &runs[0]);
        if ( y_vcpu <= x_vcpu )
            count_changes(a, &y, y_end, &ready[1], &runs[1]);
        if ( x_vcpu != y_vcpu )
            continue;
        shared += ready[0] < runs[1] ? ready[0] : runs[1];
        shared += ready[1] < runs[0] ? ready[1] : runs[0];
    }
    return shared;
}

/* The unknown pcpu with the most pairs; none: the number of pcpus. */
static unsigned int choose_pcpu(const struct aligner *a)
{
    unsigned int pcpu = a->options->nr_pcpus;
    uint64_t most = 0;

    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
        if ( !a->is_known[i] && a->shared[i] > most )
        {
            most = a->shared[i];
            pcpu = i;
        }
    return pcpu;
}

static void grow(struct aligner *a)
{
    unsigned int pcpu = a->options->reference;
    int64_t offset = 0;

    while ( pcpu < a->options->nr_pcpus )
    {
        clock_add_pcpu(a, pcpu, offset);
        for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
            if ( !a->is_known[i] )
                a->shared[i] += count_shared(a, pcpu, i);
        pcpu = choose_pcpu(a);
        if ( pcpu < a->options->nr_pcpus )
            offset = choose_offset(a, pcpu, 0, NEIGHBOURS, MAX_PEAKS);
    }
}

/* Try other offsets for each pcpu between all others.  False: none better. */
static bool repeat(struct aligner *a, unsigned int neighbours,
                   unsigned int peaks)
{
    bool better = false;

    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
    {
        int64_t offset = a->offsets[i], other;

        if ( !a->is_known[i] )
            continue;
        other = choose_offset(a, i, offset, neighbours, peaks);
        if ( other == offset )
            continue;
        clock_remove_pcpu(a, i);
        clock_add_pcpu(a, i, other);
        better = true;
    }
    return better;
}

/* --- all steps ------------------------------------------------------------ */

/* The order of events that are sorted by vcpu and time. */
static struct clock_order get_order(const struct clock_event *e, size_t nr)
{
    struct clock_order o = { .pairs = 0 };

    for ( size_t i = 1; i < nr; i++ )
        if ( e[i].vcpu == e[i - 1].vcpu )
        {
            o.contradictions += e[i].old != e[i - 1].new;
            o.pairs += e[i].pcpu != e[i - 1].pcpu;
        }
    return o;
}

static uint32_t count_contradictions(const struct aligner *a)
{
    return get_order(a->known, a->nr_known).contradictions;
}

static void search(struct aligner *a, unsigned int neighbours,
                   unsigned int peaks)
{
    bool better = true;

    for ( unsigned int i = 0; better && i < MAX_REPETITIONS; i++ )
        better = repeat(a, neighbours, peaks);
    clock_keep_bounds(a);
}

static void align(struct aligner *a, struct clock_probe *p)
{
    clock_probe_sort(p);
    p->order = get_order(p->events, p->nr);
    clock_group_events(a, p);
    mark_local_pairs(a);
    if ( a->options->search == CLOCK_SEARCH_FAR )
    {
        grow(a);
        if ( count_contradictions(a) < p->order.contradictions )
            search(a, NEIGHBOURS, MAX_PEAKS);
        return;
    }
    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
        if ( count_changes_of(a, i) )
            clock_add_pcpu(a, i, 0);
    if ( a->options->search == CLOCK_SEARCH_LAST )
        clock_keep_bounds(a);
    if ( a->options->search == CLOCK_SEARCH_NEAR ||
         count_contradictions(a) > a->nr_known / MANY_FIT )
        search(a, NEAR_NEIGHBOURS, NEAR_PEAKS);
}

static int allocate_aligner(struct aligner *a, size_t nr_events)
{
    size_t nr = nr_events ? nr_events : 1, pcpus = a->options->nr_pcpus;

    a->offsets = fault_calloc(pcpus, sizeof(*a->offsets));
    a->is_known = fault_calloc(pcpus, sizeof(*a->is_known));
    a->begins = fault_calloc(pcpus + 1, sizeof(*a->begins));
    a->shared = fault_calloc(pcpus, sizeof(*a->shared));
    a->bounds_begin = fault_calloc(pcpus + 1, sizeof(*a->bounds_begin));
    a->moves = fault_calloc(pcpus, sizeof(*a->moves));

    /* Written before they are read; their zeroes would take long. */
    a->events = fault_malloc(nr * sizeof(*a->events));
    a->known = fault_malloc(nr * sizeof(*a->known));
    a->merged = fault_malloc(nr * sizeof(*a->merged));
    a->samples = fault_malloc(MAX_SAMPLES * sizeof(*a->samples));
    a->bounds = fault_malloc(2 * nr * sizeof(*a->bounds));
    a->ends = fault_malloc(2 * nr * sizeof(*a->ends));
    return a->offsets && a->is_known && a->events && a->begins && a->known &&
           a->merged && a->shared && a->samples && a->bounds &&
           a->bounds_begin && a->ends && a->moves ? 0 : -ENOMEM;
}

static void free_aligner(struct aligner *a)
{
    free(a->offsets);
    free(a->is_known);
    free(a->events);
    free(a->begins);
    free(a->known);
    free(a->merged);
    free(a->shared);
    free(a->samples);
    free(a->bounds);
    free(a->bounds_begin);
    free(a->ends);
    free(a->moves);
}

int clock_align(struct clock_probe *p, const struct clock_align_options *o,
                double *offsets)
{
    struct aligner a = { .options = o };
    int rc = allocate_aligner(&a, p->nr);

    assert(o->reference < o->nr_pcpus && o->latency > 0);
    if ( !rc )
    {
        align(&a, p);
        p->aligned = get_order(a.known, a.nr_known);
    }
    for ( unsigned int i = 0; !rc && i < o->nr_pcpus; i++ )
        offsets[i] = a.is_known[i] && a.is_known[o->reference]
                     ? (double)(a.offsets[i] - a.offsets[o->reference]) : NAN;
    free_aligner(&a);
    return rc;
}
