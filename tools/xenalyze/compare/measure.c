/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values per second from the hash table of sums.  Each value is known up to
 * bounds: a vcpu may have spent lost time in any state, and each lost record
 * may have been a record of any event.
 */
#include "xenalyze/compare/measure.h"

#include <assert.h>
#include <math.h>

#define NS 1e9

/* The states of a vcpu; a pcpu has the first, third and last state. */
static const enum figure_kind states[] = {
    FIGURE_RUNNING, FIGURE_WAITING, FIGURE_BLOCKED, FIGURE_PAUSED,
    FIGURE_UNKNOWN,
};

#define NR_STATES (sizeof(states) / sizeof(states[0]))

#define SHARE_OF(name_, label_, kind_, weight_)                             \
    { .name = name_, .label = label_, .unit = MEASURE_SHARE,                \
      .needs = MEASURE_SCHED, .kind = kind_, .time = kind_,                 \
      .weight = weight_ }

#define QUANTILES(name_, label_, kind_, needs_)                             \
    { .name = name_ "_p50", .label = label_ ", p50", .needs = needs_,       \
      .unit = MEASURE_QUANTILE, .kind = kind_, .time = kind_, .place = 50,  \
      .weight = 1 },                                                        \
    { .name = name_ "_p99", .label = label_ ", p99", .needs = needs_,       \
      .unit = MEASURE_QUANTILE, .kind = kind_, .time = kind_, .place = 99,  \
      .weight = 0.01 },                                                     \
    { .name = name_ "_max", .label = label_ ", max", .needs = needs_,       \
      .unit = MEASURE_QUANTILE, .kind = kind_, .time = kind_, .place = 100 }

static const struct measure measures[] = {
    SHARE_OF("running", "running", FIGURE_RUNNING, 1),
    SHARE_OF("waiting", "waiting for a pcpu", FIGURE_WAITING, 1),
    SHARE_OF("blocked", "blocked", FIGURE_BLOCKED, 0),
    SHARE_OF("paused", "paused", FIGURE_PAUSED, 0),
    { .name = "wakeups", .label = "wake-ups", .unit = MEASURE_RATE,
      .needs = MEASURE_SCHED, .kind = FIGURE_WAKEUPS, .time = FIGURE_WAKEUPS },
    QUANTILES("wake_to_run", "wake-up to running", FIGURE_WAKEUPS,
              MEASURE_SCHED),
    { .name = "io_trips", .label = "I/O round trips", .unit = MEASURE_RATE,
      .needs = MEASURE_HYPERCALLS, .kind = FIGURE_TRIPS,
      .time = FIGURE_TRIPS },
    QUANTILES("io_trip", "I/O round trip", FIGURE_TRIPS, MEASURE_HYPERCALLS),
    { .name = "exits", .label = "exits", .unit = MEASURE_RATE,
      .needs = MEASURE_EXITS, .kind = FIGURE_EXITS,
      .time = FIGURE_EXIT_TIME },
    { .name = "exit_time", .label = "in Xen", .unit = MEASURE_MEAN,
      .needs = MEASURE_EXITS, .kind = FIGURE_EXITS,
      .time = FIGURE_EXIT_TIME, .weight = 1 },
    { .name = "hypercalls", .label = "calls", .unit = MEASURE_RATE,
      .needs = MEASURE_HYPERCALLS, .kind = FIGURE_HYPERCALLS,
      .time = FIGURE_KINDS },
    { .name = "busy", .label = "busy", .unit = MEASURE_SHARE,
      .needs = MEASURE_SCHED, .kind = FIGURE_RUNNING, .time = FIGURE_RUNNING,
      .is_host = true },
    { .name = "interrupts", .label = "interrupts", .unit = MEASURE_RATE,
      .needs = MEASURE_INTERRUPTS, .kind = FIGURE_INTERRUPTS,
      .time = FIGURE_INTERRUPT_TIME, .is_host = true },
    { .name = "interrupt_time", .label = "time in handler",
      .unit = MEASURE_MEAN, .needs = MEASURE_INTERRUPTS,
      .kind = FIGURE_INTERRUPTS, .time = FIGURE_INTERRUPT_TIME,
      .is_host = true, .weight = 1 },
};

const struct measure *measure_table(size_t *nr)
{
    *nr = sizeof(measures) / sizeof(measures[0]);
    return measures;
}

/* --- sums ----------------------------------------------------------------- */

/* Consecutive intervals of a profile. */
struct measure_span { unsigned int first, end; };

static const struct measure_span whole = { 0, FIGURE_INTERVALS };

static double get_sum(const struct profile *p, uint64_t key,
                      struct measure_span at)
{
    const struct figure *f = figures_find(&p->figures, key);
    uint64_t sum = 0;

    assert(at.first < at.end && at.end <= FIGURE_INTERVALS);
    for ( unsigned int i = at.first; f && i < at.end; i++ )
        sum += f->sums[i];
    return (double)sum;
}

static double get_length(const struct profile *p, struct measure_span at)
{
    return (double)(p->bounds[at.end] - p->bounds[at.first]);
}

static double get_lost(const struct profile *p, enum figure_kind kind,
                       struct measure_span at)
{
    assert(kind == FIGURE_LOST_RECORDS || kind == FIGURE_LOST_TIME);
    return get_sum(p, figure_key(FIGURE_HOST, FIGURE_WHOLE, kind, 0), at);
}

static double hz_of(const struct profile *p)
{
    return (double)xt_clock_hz(&p->clock);
}

static const struct stats *find_series(const struct profile *p, uint64_t key,
                                       struct measure_span at)
{
    bool is_whole = at.end - at.first == FIGURE_INTERVALS;

    return stats_map_find(&p->series, figure_series_key(
        key, is_whole ? SHIFT_SAMPLES : at.first / FIGURE_MERGED));
}

/* The factor for estimates: as many events in lost time as in other time. */
static double scale_lost(const struct profile *p, struct measure_span at)
{
    double all = get_length(p, at) * p->nr_pcpus;
    double lost = get_lost(p, FIGURE_LOST_TIME, at);

    return lost > 0 && lost < all ? all / (all - lost) : 1;
}

/* --- one interval --------------------------------------------------------- */

typedef bool get_sample_fn(const struct measure *m, const struct profile *p,
                           uint64_t key, struct measure_span at,
                           struct shift_sample *s);

static bool get_share(const struct measure *m, const struct profile *p,
                      uint64_t key, struct measure_span at,
                      struct shift_sample *s)
{
    double length = get_length(p, at), sum = get_sum(p, key, at), known = 0;
    double unknown = get_sum(p, figure_with_kind(key, FIGURE_UNKNOWN), at);

    (void)m;
    for ( size_t k = 0; k + 1 < NR_STATES; k++ )
        known += get_sum(p, figure_with_kind(key, states[k]), at);
    if ( !(length > 0) )
        return false;
    s->low = sum / length;
    s->high = (sum + unknown) / length;
    s->estimate = known > 0 ? sum / known * (known + unknown) / length
                            : s->low;
    return true;
}

static bool get_rate(const struct measure *m, const struct profile *p,
                     uint64_t key, struct measure_span at,
                     struct shift_sample *s)
{
    double seconds = get_length(p, at) / hz_of(p), sum = get_sum(p, key, at);

    (void)m;
    if ( !(seconds > 0) )
        return false;
    s->low = sum / seconds;
    s->high = (sum + get_lost(p, FIGURE_LOST_RECORDS, at)) / seconds;
    s->estimate = s->low * scale_lost(p, at);
    return true;
}

static bool get_mean(const struct measure *m, const struct profile *p,
                     uint64_t key, struct measure_span at,
                     struct shift_sample *s)
{
    double nr = get_sum(p, key, at);
    double cycles = get_sum(p, figure_with_kind(key, m->time), at);
    double ns = NS / hz_of(p);

    /* The sum of lengths is a figure of its own. */
    assert(m->time < FIGURE_KINDS && m->time != m->kind);
    if ( !(nr > 0) )
        return false;
    s->low = cycles / (nr + get_lost(p, FIGURE_LOST_RECORDS, at)) * ns;
    s->high = (cycles + get_lost(p, FIGURE_LOST_TIME, at)) / nr * ns;
    s->estimate = cycles / nr * ns;
    return true;
}

/* A percentile in ns; INFINITY for a rank behind the last event. */
static double get_percentile(const struct profile *p, const struct stats *s,
                             double place)
{
    assert(s->count);
    if ( place > 100 )
        return INFINITY;
    if ( place == 100 )
        return (double)s->max / hz_of(p) * NS;
    return (double)stats_percentile(s, place > 0 ? (unsigned int)place : 0) /
           hz_of(p) * NS;
}

/*
 * The share of lost events is the share of lost records.  Lost events may have
 * been shorter than all other events, or longer.
 */
static bool get_quantile(const struct measure *m, const struct profile *p,
                         uint64_t key, struct measure_span at,
                         struct shift_sample *s)
{
    const struct stats *series = find_series(p, key, at);
    double lost = get_lost(p, FIGURE_LOST_RECORDS, at);
    double all = (double)p->records * get_length(p, at) / get_length(p, whole);
    double more = all > 0 ? lost / all : 0, place = m->place;

    if ( !series || !series->count )
        return false;
    s->estimate = get_percentile(p, series, place);
    s->low = place < 100
             ? get_percentile(p, series, floor(place * (1 + more) - 100 * more))
             : s->estimate;
    s->high = more > 0 ? get_percentile(p, series,
                                        ceil(place * (1 + more)) +
                                        (place == 100))
                       : s->estimate;
    return true;
}

static get_sample_fn *const get_sample[MEASURE_UNITS] = {
    [MEASURE_SHARE] = get_share, [MEASURE_RATE] = get_rate,
    [MEASURE_MEAN] = get_mean, [MEASURE_QUANTILE] = get_quantile,
};

/* --- the whole span ------------------------------------------------------- */

static double get_mean_length(const struct measure *m, const struct profile *p,
                              uint64_t key)
{
    const struct stats *series = find_series(p, key, whole);
    struct shift_sample s;

    if ( m->time == FIGURE_KINDS || m->unit == MEASURE_SHARE )
        return 0;
    if ( m->time == m->kind )
        return series ? (double)stats_mean(series) / hz_of(p) * NS : 0;
    return get_mean(m, p, key, whole, &s) ? s.estimate : 0;
}

/* A sample for each `merged` intervals. */
static void measure_samples(const struct measure *m, const struct profile *p,
                            uint64_t key, unsigned int merged,
                            struct shift_samples *out)
{
    struct shift_sample s;

    out->nr = 0;
    for ( unsigned int i = 0; i < FIGURE_INTERVALS; i += merged )
        if ( get_sample[m->unit](m, p, key,
                                 (struct measure_span){ i, i + merged }, &s) )
            out->all[out->nr++] = s;
}

void measure_profile(const struct measure *m, const struct profile *p,
                     uint64_t key, struct measured *out)
{
    struct shift_sample s;

    assert(m->unit < MEASURE_UNITS && figure_kind(key) == m->kind);
    out->has_value = get_sample[m->unit](m, p, key, whole, &s);
    out->value = out->has_value ? s.estimate : 0;
    out->rate = get_rate(m, p, key, whole, &s) ? s.estimate : 0;
    out->length = get_mean_length(m, p, key);
    measure_samples(m, p, key, FIGURE_MERGED, &out->samples);
    out->parts.nr = 0;
    if ( m->unit == MEASURE_SHARE )
        measure_samples(m, p, key, 1, &out->parts);
}

/*
 * Additional events cost their old length, and longer events their additional
 * length, at the new rate of events.  Both costs add up to the change of rate
 * times length.
 */
double measure_cost(const struct measure *m, const struct measured *a,
                    const struct measured *b)
{
    double change = b->value - a->value;

    if ( m->unit == MEASURE_SHARE )
        return m->weight * change * NS;
    if ( m->unit == MEASURE_RATE )
        return change * (a->length > 0 ? a->length : b->length);
    return m->weight * change * b->rate;
}

double measure_busy(const struct profile *p)
{
    uint64_t key = figure_key(FIGURE_HOST, FIGURE_WHOLE, FIGURE_RUNNING, 0);
    struct shift_sample s;

    return p->nr_pcpus && get_share(NULL, p, key, whole, &s)
           ? s.estimate / p->nr_pcpus : 0;
}

uint64_t measure_lost_time(const struct profile *p)
{
    return (uint64_t)get_lost(p, FIGURE_LOST_TIME, whole);
}

bool measure_is_recorded(const struct profile *p, enum measure_class class)
{
    static const uint32_t kinds[MEASURE_CLASSES] = {
        [MEASURE_SCHED] = 1u << VOLUME_SCHED,
        [MEASURE_EXITS] = 1u << VOLUME_HVM_ENTRY | 1u << VOLUME_HVM_EXIT,
        [MEASURE_HYPERCALLS] = 1u << VOLUME_PV | 1u << VOLUME_HVM_HANDLER,
        [MEASURE_INTERRUPTS] = 1u << VOLUME_HW,
    };

    assert(class < MEASURE_CLASSES);
    return p->seen & kinds[class];
}
