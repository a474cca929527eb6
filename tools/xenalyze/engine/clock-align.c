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
#include "xenalyze/engine/clock-align.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

#define MAX_SAMPLES 262144u     /* times from wake-ups to runs, of a pcpu */
#define NEIGHBOURS 128u         /* compared with a change, on each side */
#define NEAR_NEIGHBOURS 8u      /* if the offset is about right */
#define MAX_PEAKS 32u
#define NEAR_PEAKS 8u
#define MIN_PEAKS 4u
#define MANY_PEAKS 4096u        /* of all pcpus together */
#define MIN_SUPPORT 3u          /* samples in a peak */
#define MAX_REPETITIONS 8u
#define MAX_TIME (INT64_C(1) << 46)     /* cycles; more is damage */
#define PEAK_LATENCIES 5        /* width of the shortest times of wake-ups */
#define MAX_AHEAD 3u            /* changes of a vcpu that are out of order */
#define MAX_LINKINGS 4u
#define MAX_SWEEPS 8u           /* per linking */
#define NARROW 8                /* latencies: both ends of a range are tight */
#define MANY_FIT 256            /* one change of so many may not fit */

/* A limit of the offset of a pcpu, by the offset of another. */
struct clock_bound
{
    unsigned int other;
    bool is_upper;
    int64_t at;                 /* relative to the other's offset */
};

/* A limit of an offset. */
struct clock_end
{
    int64_t at;
    bool is_upper;
};

struct aligner
{
    const struct clock_align_options *options;
    int64_t *offsets;           /* by pcpu */
    bool *is_known;             /* by pcpu: the offset is */

    struct clock_event *events; /* by pcpu, then by vcpu and time */
    size_t *begins;             /* by pcpu, and the end of the last one */
    struct clock_event *known;  /* of known pcpus, by vcpu and corrected time */
    struct clock_event *merged; /* room for the next `known` */
    size_t nr_known;

    uint64_t *shared;           /* by pcpu: changes that known ones may cause */
    struct clock_end *samples;  /* limits of the offset of one pcpu, of which
                                   only some are true */
    size_t nr_samples;

    struct clock_bound *bounds; /* by pcpu */
    size_t *bounds_begin;       /* by pcpu, and the end of the last one */
    struct clock_end *ends;     /* of one pcpu */
    int64_t *moves;             /* by pcpu, since the bounds were found */
};

/* --- events of pcpus ------------------------------------------------------ */

/* Make the begins of groups from the sizes, which are in begins[1] and on. */
static void sum_sizes(size_t *begins, unsigned int nr)
{
    for ( unsigned int i = 1; i <= nr; i++ )
        begins[i] += begins[i - 1];
}

/* The groups are filled, and each begin has become the end. */
static void restore_begins(size_t *begins, unsigned int nr)
{
    memmove(begins + 1, begins, nr * sizeof(*begins));
    begins[0] = 0;
}

/* Copy the events, which are sorted by vcpu and time, pcpu by pcpu. */
static void group_events(struct aligner *a, const struct clock_probe *p)
{
    const unsigned int nr = a->options->nr_pcpus;

    for ( size_t i = 0; i < p->nr; i++ )
        a->begins[p->events[i].pcpu + 1]++;
    sum_sizes(a->begins, nr);
    assert(a->begins[nr] == p->nr);
    for ( size_t i = 0; i < p->nr; i++ )
        a->events[a->begins[p->events[i].pcpu]++] = p->events[i];
    restore_begins(a->begins, nr);
}

static size_t count_changes_of(const struct aligner *a, unsigned int pcpu)
{
    assert(pcpu < a->options->nr_pcpus);
    return a->begins[pcpu + 1] - a->begins[pcpu];
}

static bool is_far(const struct clock_event *x, const struct clock_event *y)
{
    int64_t time = (int64_t)(x->time - y->time);

    return time > MAX_TIME || time < -MAX_TIME;
}

/* With the offset for y's clock, by vcpu first. */
static bool is_earlier(const struct clock_event *x, const struct clock_event *y,
                       int64_t offset)
{
    if ( x->vcpu != y->vcpu )
        return x->vcpu < y->vcpu;
    return (int64_t)(x->time - y->time) <= offset;
}

/* Woken, or taken off a pcpu. */
static bool is_ready(const struct clock_event *e)
{
    return e->new == STATE_RUNNABLE;
}

static bool is_run(const struct clock_event *e)
{
    return e->new == STATE_RUNNING && e->old == STATE_RUNNABLE;
}

/* A run right after the wake-up. */
static bool is_fast(const struct aligner *a, const struct clock_event *wake,
                    const struct clock_event *run, int64_t offset)
{
    /* Damaged times may be anywhere. */
    int64_t time = (int64_t)(run->time - wake->time + (uint64_t)offset);

    return is_ready(wake) && is_run(run) &&
           time <= PEAK_LATENCIES * a->options->latency;
}

/* The first known event from `at` on of the vcpu, or of one behind it. */
static size_t skip_to_vcpu(const struct aligner *a, size_t at, uint32_t vcpu)
{
    size_t step = 1, from = at, to;

    while ( from + step < a->nr_known && a->known[from + step].vcpu < vcpu )
        step *= 2;
    to = from + step < a->nr_known ? from + step : a->nr_known;
    while ( from < to )
    {
        size_t middle = from + (to - from) / 2;

        if ( a->known[middle].vcpu < vcpu )
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Skip known events of the pcpu.  False: the vcpu has no more. */
static bool skip_pcpu(const struct aligner *a, size_t *at, uint32_t vcpu,
                      unsigned int pcpu)
{
    while ( *at < a->nr_known && a->known[*at].vcpu == vcpu &&
            a->known[*at].pcpu == pcpu )
        ++*at;
    return *at < a->nr_known && a->known[*at].vcpu == vcpu;
}

/* How well the events of a vcpu fit: those from y to y_end, and the known. */
static int64_t rate_vcpu(const struct aligner *a, size_t x,
                         const struct clock_event *y,
                         const struct clock_event *y_end, int64_t offset)
{
    const struct clock_event *last = NULL, *next;
    const uint32_t vcpu = y->vcpu;
    const unsigned int pcpu = y->pcpu;
    bool last_known = false, is_known, has_known;
    int64_t rate = 0;

    while ( (has_known = skip_pcpu(a, &x, vcpu, pcpu)) || y < y_end )
    {
        is_known = y == y_end ||
                   (has_known && is_earlier(&a->known[x], y, offset));
        next = is_known ? &a->known[x++] : y++;
        if ( last && last_known != is_known )
            rate += last->new != next->old ? -1 : 1 +
                    is_fast(a, last, next, is_known ? -offset : offset);
        last = next;
        last_known = is_known;
    }
    return rate;
}

/*
 * How well the events of a pcpu fit between those of others: the number of
 * neighbours with the same state between them, less the number of others.  Fast
 * wake-ups count twice: if changes are all displaced by a period of the vcpu,
 * they fit, too, but wake-ups are slow.
 */
static int64_t rate_offset(const struct aligner *a, unsigned int pcpu,
                           int64_t offset)
{
    const struct clock_event *e = a->events;
    size_t x = 0, next;
    int64_t rate = 0;

    for ( size_t y = a->begins[pcpu]; y < a->begins[pcpu + 1]; y = next )
    {
        next = y + 1;
        while ( next < a->begins[pcpu + 1] && e[next].vcpu == e[y].vcpu )
            next++;
        x = skip_to_vcpu(a, x, e[y].vcpu);
        rate += rate_vcpu(a, x, &e[y], &e[next], offset);
    }
    return rate;
}

/* Merge the pcpu's events with the known ones. */
static void add_pcpu(struct aligner *a, unsigned int pcpu, int64_t offset)
{
    const struct clock_event *x = a->known, *x_end = x + a->nr_known;
    const struct clock_event *y = a->events + a->begins[pcpu];
    const struct clock_event *y_end = a->events + a->begins[pcpu + 1];
    struct clock_event *to = a->merged;

    assert(!a->is_known[pcpu]);
    while ( x < x_end || y < y_end )
        if ( y == y_end || (x < x_end && is_earlier(x, y, offset)) )
            *to++ = *x++;
        else
        {
            *to = *y++;
            to->time += offset;
            to++;
        }
    a->nr_known = to - a->merged;
    a->merged = a->known;
    a->known = to - a->nr_known;
    a->offsets[pcpu] = offset;
    a->is_known[pcpu] = true;
}

static void remove_pcpu(struct aligner *a, unsigned int pcpu)
{
    size_t nr = 0;

    assert(a->is_known[pcpu]);
    for ( size_t i = 0; i < a->nr_known; i++ )
        if ( a->known[i].pcpu != pcpu )
            a->known[nr++] = a->known[i];
    a->nr_known = nr;
    a->is_known[pcpu] = false;
}

/* --- ranges of an offset -------------------------------------------------- */

static int compare_ends(const void *x, const void *y)
{
    const struct clock_end *a = x, *b = y;

    if ( a->at != b->at )
        return a->at < b->at ? -1 : 1;
    return a->is_upper - b->is_upper;
}

struct clock_range
{
    bool has_low, has_high;
    int64_t low, high;
};

static int64_t distance_to_zero(const struct clock_range *r)
{
    if ( r->has_low && r->low > 0 )
        return r->low;
    return r->has_high && r->high < 0 ? -r->high : 0;
}

/* The range that breaks the fewest sorted limits, the nearest to 0 of those. */
static struct clock_range find_range(const struct clock_end *ends, size_t nr)
{
    struct clock_range best = { .has_low = false };
    int64_t kept = 0, most = -1;

    for ( size_t i = 0; i < nr; i++ )
        kept += ends[i].is_upper;
    for ( size_t i = 0; i <= nr; i++ )
    {
        struct clock_range r = { .has_low = i, .has_high = i < nr };

        if ( r.has_low )
            r.low = ends[i - 1].at;
        if ( r.has_high )
            r.high = ends[i].at;
        if ( kept > most ||
             (kept == most && distance_to_zero(&r) < distance_to_zero(&best)) )
        {
            most = kept;
            best = r;
        }
        if ( i < nr )
            kept += ends[i].is_upper ? -1 : 1;
    }
    return best;
}

/* The most likely move within the range. */
static int64_t choose_within(const struct clock_range *r, int64_t latency)
{
    if ( r->has_low && r->has_high && r->high - r->low <= NARROW * latency )
        return r->low + (r->high - r->low) / 2;
    /* Wake-ups are slow in a direction at least: the smallest move. */
    if ( r->has_low && r->low + latency > 0 )
        return r->low + latency;
    return r->has_high && r->high - latency < 0 ? r->high - latency : 0;
}

/* --- growth and repetition ------------------------------------------------ */

/*
 * A vcpu that a pcpu makes runnable and then runs, without any other record of
 * the vcpu in between: the two records tell nothing about other clocks.
 */
static void mark_local_pairs(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    struct clock_event *e = a->events;

    for ( size_t i = 1; i < a->begins[nr]; i++ )
        if ( is_run(&e[i]) && is_ready(&e[i - 1]) &&
             e[i].vcpu == e[i - 1].vcpu && e[i].pcpu == e[i - 1].pcpu )
            e[i].is_local = e[i - 1].is_local = true;
}

/* May the two belong together? */
static bool is_pair(const struct clock_event *x, const struct clock_event *y)
{
    return !x->is_local && !y->is_local && !is_far(x, y) &&
           ((is_ready(x) && is_run(y)) || (is_run(x) && is_ready(y)));
}

/* A run has to follow the wake-up. */
static struct clock_end get_sample(const struct clock_event *x,
                                   const struct clock_event *y)
{
    debug_assert(is_pair(x, y));
    return (struct clock_end){ (int64_t)(x->time - y->time), is_ready(y) };
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

        at = skip_to_vcpu(a, at, y->vcpu);
        while ( at < a->nr_known && is_earlier(&a->known[at], y, near) )
            at++;
        add_samples(a, y, at, 1, neighbours);
        if ( at )
            add_samples(a, y, at - 1, -1, neighbours);
    }
    if ( a->nr_samples )
        qsort(a->samples, a->nr_samples, sizeof(*a->samples), compare_ends);
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
    struct clock_range r = find_range(ends, peak->nr);

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
    int64_t width = 2 * PEAK_LATENCIES * a->options->latency;
    int64_t most = rate_offset(a, pcpu, best);
    unsigned int room = MANY_PEAKS / a->options->nr_pcpus;
    struct peak peaks[MAX_PEAKS];

    room = room < MIN_PEAKS ? MIN_PEAKS : room > nr_peaks ? nr_peaks : room;
    find_samples(a, pcpu, best, neighbours);
    for ( unsigned int i = 0;
          i < room && find_next_peak(a, width, peaks, i, &peaks[i]); i++ )
    {
        int64_t offset = place_peak(a, &peaks[i]);
        int64_t rate = rate_offset(a, pcpu, offset);

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
            *ready += is_ready(&a->events[*at]);
            *runs += is_run(&a->events[*at]);
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
        add_pcpu(a, pcpu, offset);
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
        remove_pcpu(a, i);
        add_pcpu(a, i, other);
        better = true;
    }
    return better;
}

/* --- bounds --------------------------------------------------------------- */

/*
 * The change before known[i] of the vcpu: its neighbour, if that ended with its
 * state, or one of the next few with a late clock.  NULL: not there.
 */
static const struct clock_event *find_previous(const struct aligner *a,
                                               size_t i)
{
    const struct clock_event *e = &a->known[i];

    if ( i && e[-1].vcpu == e->vcpu && e[-1].new == e->old )
        return is_far(&e[-1], e) ? NULL : &e[-1];
    for ( size_t k = 1; k <= MAX_AHEAD && i + k < a->nr_known &&
                        e[k].vcpu == e->vcpu; k++ )
        if ( e[k].new == e->old &&
             (i + k + 1 == a->nr_known || e[k + 1].vcpu != e->vcpu ||
              e[k + 1].old != e[k].new) )
            return is_far(&e[k], e) ? NULL : &e[k];
    return NULL;
}

/* Bounds from all changes with another pcpu's before them. */
static void find_bounds(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    size_t *begins = a->bounds_begin;

    memset(begins, 0, (nr + 1) * sizeof(*begins));
    for ( size_t i = 0; i < a->nr_known; i++ )
    {
        const struct clock_event *before = find_previous(a, i);

        if ( before && before->pcpu != a->known[i].pcpu )
        {
            begins[before->pcpu + 1]++;
            begins[a->known[i].pcpu + 1]++;
        }
    }
    sum_sizes(begins, nr);
    for ( size_t i = 0; i < a->nr_known; i++ )
    {
        const struct clock_event *e = &a->known[i];
        const struct clock_event *before = find_previous(a, i);
        int64_t time;

        if ( !before || before->pcpu == e->pcpu )
            continue;
        time = (int64_t)(e->time - before->time);
        a->bounds[begins[before->pcpu]++] =
            (struct clock_bound){ e->pcpu, true, time };
        a->bounds[begins[e->pcpu]++] =
            (struct clock_bound){ before->pcpu, false, -time };
    }
    restore_begins(begins, nr);
}

/* Move the pcpu to where its bounds are, relative to the others. */
static bool move_pcpu(struct aligner *a, unsigned int pcpu)
{
    size_t begin = a->bounds_begin[pcpu];
    size_t nr = a->bounds_begin[pcpu + 1] - begin;
    struct clock_range range;
    int64_t move;

    for ( size_t i = 0; i < nr; i++ )
    {
        const struct clock_bound *b = &a->bounds[begin + i];

        a->ends[i] = (struct clock_end){
            b->at + a->moves[b->other] - a->moves[pcpu], b->is_upper,
        };
    }
    if ( nr )
        qsort(a->ends, nr, sizeof(*a->ends), compare_ends);
    range = find_range(a->ends, nr);
    move = choose_within(&range, a->options->latency);
    a->moves[pcpu] += move;
    return move > a->options->latency / 8 || -move > a->options->latency / 8;
}

static void apply_moves(struct aligner *a)
{
    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
        if ( a->is_known[i] && a->moves[i] )
        {
            remove_pcpu(a, i);
            add_pcpu(a, i, a->offsets[i] + a->moves[i]);
        }
}

static void keep_bounds(struct aligner *a)
{
    const unsigned int nr = a->options->nr_pcpus;
    bool moved = true;

    for ( unsigned int n = 0; moved && n < MAX_LINKINGS; n++ )
    {
        bool again = true;

        moved = false;
        find_bounds(a);
        memset(a->moves, 0, nr * sizeof(*a->moves));
        for ( unsigned int k = 0; again && k < MAX_SWEEPS; k++ )
        {
            again = false;
            for ( unsigned int i = 0; i < nr; i++ )
                again |= a->is_known[i] && move_pcpu(a, i);
            moved |= again;
        }
        apply_moves(a);
    }
}

/* Do more changes than a few not fit to the one before? */
static bool is_disordered(const struct aligner *a)
{
    size_t odd = 0;

    for ( size_t i = 1; i < a->nr_known; i++ )
        odd += a->known[i].vcpu == a->known[i - 1].vcpu &&
               a->known[i].old != a->known[i - 1].new;
    return odd > a->nr_known / MANY_FIT;
}

/* --- all steps ------------------------------------------------------------ */

static void search(struct aligner *a, unsigned int neighbours,
                   unsigned int peaks)
{
    bool better = true;

    for ( unsigned int i = 0; better && i < MAX_REPETITIONS; i++ )
        better = repeat(a, neighbours, peaks);
    keep_bounds(a);
}

static void align(struct aligner *a, struct clock_probe *p)
{
    clock_probe_sort(p);
    group_events(a, p);
    mark_local_pairs(a);
    if ( a->options->search == CLOCK_SEARCH_FAR )
    {
        grow(a);
        search(a, NEIGHBOURS, MAX_PEAKS);
        return;
    }
    for ( unsigned int i = 0; i < a->options->nr_pcpus; i++ )
        if ( count_changes_of(a, i) )
            add_pcpu(a, i, 0);
    if ( a->options->search == CLOCK_SEARCH_LAST )
        keep_bounds(a);
    if ( a->options->search == CLOCK_SEARCH_NEAR || is_disordered(a) )
        search(a, NEAR_NEIGHBOURS, NEAR_PEAKS);
}

static int allocate_aligner(struct aligner *a, size_t nr_events)
{
    size_t nr = nr_events ? nr_events : 1, pcpus = a->options->nr_pcpus;

    a->offsets = fault_calloc(pcpus, sizeof(*a->offsets));
    a->is_known = fault_calloc(pcpus, sizeof(*a->is_known));
    a->events = fault_calloc(nr, sizeof(*a->events));
    a->begins = fault_calloc(pcpus + 1, sizeof(*a->begins));
    a->known = fault_calloc(nr, sizeof(*a->known));
    a->merged = fault_calloc(nr, sizeof(*a->merged));
    a->shared = fault_calloc(pcpus, sizeof(*a->shared));
    a->samples = fault_calloc(MAX_SAMPLES, sizeof(*a->samples));
    a->bounds = fault_calloc(2 * nr, sizeof(*a->bounds));
    a->bounds_begin = fault_calloc(pcpus + 1, sizeof(*a->bounds_begin));
    a->ends = fault_calloc(2 * nr, sizeof(*a->ends));
    a->moves = fault_calloc(pcpus, sizeof(*a->moves));
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
        align(&a, p);
    for ( unsigned int i = 0; !rc && i < o->nr_pcpus; i++ )
        offsets[i] = a.is_known[i] && a.is_known[o->reference]
                     ? (double)(a.offsets[i] - a.offsets[o->reference]) : NAN;
    free_aligner(&a);
    return rc;
}
