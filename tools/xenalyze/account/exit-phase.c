/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases of a vcpu's VM exits, by a two-sided CUSUM over the rates of the
 * windows:
 *
 *      rate  |                  # ###
 *            |                 #######       # #
 *            | ## #####  #    #########   #########
 *            |######### #################_#########
 *            +----------------+-------+------------
 *              phase 1           2        3
 *
 * Deviations from the mean of the phase, less a drift, add up in both
 * directions.  A sum beyond the limit is a change.  It began where the sum left
 * 0, or later: where the rates are nearer to the new one than to the mean.  The
 * unit is the scatter: the median step from one window to the next, which a
 * change of the mean hardly affects; but at least the scatter of random events,
 * and a quarter of the mean, since loads are not steady.
 */
#include "xenalyze/account/storm-private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define DRIFT 0.5               /* in units of scatter */
#define LIMIT 5.0
#define MIN_WINDOWS 3u          /* length of a phase */
#define LEAST_SCATTER 0.25      /* share of the mean rate of the phase */
#define STEP_TO_SCATTER 1.05    /* factor, by the normal distribution */

/* Windows of a vcpu with a rate. */
struct phase_search
{
    struct exit_storms *s;
    const struct storm_vcpu *vcpu;
    uint64_t width, last;       /* a window; the segment's end */
    uint32_t nr_windows;
    uint32_t nr;                /* with a rate: */
    uint16_t windows[STORM_WINDOWS];    /* numbers */
    double rates[STORM_WINDOWS];        /* exits per cycle of running */
    double scatter;
};

static bool is_exit(const struct storm_series *x)
{
    return storm_get_kind(x->key) != STORM_INJECTION;
}

/* All exits of the vcpu, and its time, by window. */
static void fill_windows(const struct phase_search *o)
{
    struct storm_window *w = o->s->search;
    const struct storm_series *x = &o->vcpu->running;

    memset(w, 0, STORM_WINDOWS * sizeof(*w));
    for ( uint16_t i = 0; i < x->nr; i++ )
    {
        w[x->cells[i].window].running = x->cells[i].cycles;
        w[x->cells[i].window].is_unknown = x->cells[i].count;
    }
    for ( x = o->vcpu->all; x; x = x->next )
        for ( uint16_t i = 0; is_exit(x) && i < x->nr; i++ )
        {
            w[x->cells[i].window].count += x->cells[i].count;
            w[x->cells[i].window].cycles += x->cells[i].cycles;
        }
}

static void find_rates(struct phase_search *o)
{
    assert(o->nr_windows <= STORM_WINDOWS);
    o->nr = 0;
    for ( uint32_t i = 0; i < o->nr_windows; i++ )
    {
        const struct storm_window *w = &o->s->search[i];

        if ( w->is_unknown || w->running < o->width / 20 || !w->running )
            continue;
        o->windows[o->nr] = i;
        o->rates[o->nr++] = (double)w->count / (double)w->running;
    }
}

static int compare_steps(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* By Newton: no other function here needs the library of mathematics. */
static double find_square_root(double x)
{
    double root = x > 1 ? x : 1;

    for ( unsigned int i = 0; i < 100; i++ )
        root = (root + x / root) / 2;
    return root;
}

static double greater_of(double a, double b)
{
    return a > b ? a : b;
}

/* Scatter of the rates; 0: there are no exits. */
static double find_scatter(const struct phase_search *o)
{
    double steps[STORM_WINDOWS], count = 0, running = 0, scatter, mean;

    assert(o->nr >= STORM_TYPICAL);
    for ( uint32_t i = 0; i < o->nr; i++ )
    {
        count += (double)o->s->search[o->windows[i]].count;
        running += (double)o->s->search[o->windows[i]].running;
        steps[i] = i ? o->rates[i] - o->rates[i - 1] : 0;
        if ( steps[i] < 0 )
            steps[i] = -steps[i];
    }
    qsort(steps + 1, o->nr - 1, sizeof(steps[0]), compare_steps);
    scatter = STEP_TO_SCATTER * steps[1 + (o->nr - 1) / 2];
    mean = count / running;
    return greater_of(scatter, mean > 0
                      ? find_square_root(mean * o->nr / running) : 0);
}

/* --- one phase ------------------------------------------------------------ */

/* The exit reason with the most exits from window `begin` to `end`. */
static void find_top_reason(const struct phase_search *o, uint32_t begin,
                            uint32_t end, struct exit_phase *phase)
{
    uint64_t counts[EXIT_CAUSES] = { 0 };

    for ( const struct storm_series *x = o->vcpu->all; x; x = x->next )
        for ( uint16_t i = 0; is_exit(x) && i < x->nr; i++ )
            if ( x->cells[i].window >= begin && x->cells[i].window < end )
                counts[storm_get_cause(x->key)] += x->cells[i].count;
    for ( unsigned int i = 0; i < EXIT_CAUSES; i++ )
        if ( counts[i] > phase->top_exits )
        {
            phase->top_exits = counts[i];
            phase->top = i;
        }
}

/* The phase has the rates from `begin` to `end`, without `end`. */
static void add_phase(const struct phase_search *o, uint32_t begin,
                      uint32_t end)
{
    struct exit_storms *s = o->s;
    uint32_t first = begin ? o->windows[begin] : 0;
    uint32_t last = end < o->nr ? o->windows[end] : o->nr_windows;
    struct exit_phase phase = {
        .domain = o->vcpu->domain, .vcpu = o->vcpu->id,
        .from = s->first + first * o->width,
        .to = end < o->nr ? s->first + last * o->width : o->last,
    };

    assert(first < last && phase.from < phase.to);
    s->all_phases++;
    if ( s->nr_phases == PHASES_MAX )
        return;
    for ( uint32_t i = first; i < last; i++ )
    {
        phase.exits += s->search[i].count;
        phase.cycles += s->search[i].cycles;
        phase.running += s->search[i].running;
    }
    find_top_reason(o, first, last, &phase);
    s->failed |= !storm_find_place(o->vcpu->all, phase.top, first, last - 1,
                                   &phase.place);
    s->phases[s->nr_phases++] = phase;
}

/* --- change points -------------------------------------------------------- */

struct cusum
{
    double sum;
    uint32_t from;              /* where the sum left 0 */
};

/* The sum of deviations in one direction; true: beyond the limit. */
static bool add_deviation(struct cusum *c, double deviation, uint32_t i)
{
    if ( c->sum <= 0 )
        *c = (struct cusum){ 0, i };
    c->sum += deviation - DRIFT;
    return c->sum > LIMIT;
}

static double find_mean(const struct phase_search *o, uint32_t begin,
                        uint32_t end)
{
    double sum = 0;

    assert(begin < end);
    for ( uint32_t i = begin; i < end; i++ )
        sum += o->rates[i];
    return sum / (end - begin);
}

/*
 * The begin of a change that is noticed at `i`, at `from` or later: rates
 * behind it are beyond the middle of the old mean and the new rate.
 */
static uint32_t find_change_begin(const struct phase_search *o, uint32_t from,
                           uint32_t i, double mean)
{
    double middle = (mean + o->rates[i]) / 2, sum = 0, most = 0;
    double sign = o->rates[i] < mean ? -1 : 1;
    uint32_t begin = i;

    assert(from <= i);
    for ( uint32_t k = i + 1; k-- > from; )
    {
        sum += sign * (o->rates[k] - middle);
        if ( sum >= most )
        {
            most = sum;
            begin = k;
        }
    }
    return begin;
}

/* The next change behind `begin`; o->nr: there is none. */
static uint32_t find_change(const struct phase_search *o, uint32_t begin)
{
    struct cusum up = { 0, 0 }, down = { 0, 0 };
    uint32_t base = begin;      /* first window of the mean */

    for ( uint32_t i = begin + 1; i < o->nr; i++ )
    {
        double mean = find_mean(o, base, i);
        double x = (o->rates[i] - mean) /
                   greater_of(o->scatter, LEAST_SCATTER * mean);
        bool rises = add_deviation(&up, x, i);
        uint32_t at;

        if ( !add_deviation(&down, -x, i) && !rises )
            continue;
        at = find_change_begin(o, rises ? up.from : down.from, i, mean);
        if ( at >= begin + MIN_WINDOWS && o->nr - at >= MIN_WINDOWS )
            return at;
        /* The windows so far are the transition to this phase. */
        base = i;
        up = down = (struct cusum){ 0, 0 };
    }
    return o->nr;
}

static void search_phases(struct phase_search *o)
{
    uint32_t begin = 0, end;

    fill_windows(o);
    find_rates(o);
    if ( o->nr < STORM_TYPICAL )
        return;
    o->scatter = find_scatter(o);
    if ( o->scatter <= 0 )
        return;
    end = find_change(o, 0);
    /* A vcpu without a change has no phases. */
    while ( end < o->nr || begin )
    {
        add_phase(o, begin, end);
        if ( end == o->nr )
            return;
        begin = end;
        end = find_change(o, begin);
    }
}

static int compare_storm_vcpus(const void *a, const void *b)
{
    const struct storm_vcpu *x = *(const struct storm_vcpu *const *)a;
    const struct storm_vcpu *y = *(const struct storm_vcpu *const *)b;

    return x->domain != y->domain ? (int)x->domain - (int)y->domain
                                  : (int)x->id - (int)y->id;
}

/* Their indices depend on threads, so vcpus are searched in another order. */
static uint32_t sort_storm_vcpus(struct exit_storms *s,
                                 const struct storm_vcpu **vcpus)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < s->nr_vcpus; i++ )
        if ( s->vcpus[i] )
            vcpus[nr++] = s->vcpus[i];
    qsort(vcpus, nr, sizeof(vcpus[0]), compare_storm_vcpus);
    return nr;
}

void exit_phases_search(struct exit_storms *s, uint64_t width,
                        uint32_t nr_windows, uint64_t last)
{
    struct phase_search o = { .s = s, .width = width, .last = last,
                              .nr_windows = nr_windows };
    const struct storm_vcpu **vcpus;
    uint32_t nr;

    if ( !s->nr_vcpus )
        return;
    if ( !s->phases )
        s->phases = fault_calloc(PHASES_MAX, sizeof(*s->phases));
    vcpus = arena_array(&s->arena, s->nr_vcpus, sizeof(*vcpus),
                        _Alignof(struct storm_vcpu *));
    s->failed |= !s->phases || !vcpus;
    if ( s->failed )
        return;
    nr = sort_storm_vcpus(s, vcpus);
    for ( uint32_t i = 0; i < nr; i++ )
    {
        o.vcpu = vcpus[i];
        search_phases(&o);
    }
}
