/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sink of a profile.  The time of a state is divided at the borders of
 * intervals; an event is added to the interval of its first record, with its
 * whole length.
 */
#include "xenalyze/compare/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define HYPERCALLS 256u         /* larger numbers share the last */

int profile_new(struct profile **p, const struct profile_options *options)
{
    struct profile *new = *p = fault_calloc(1, sizeof(*new));
    uint64_t length = options->until - options->from;

    assert(options->from <= options->until);
    if ( !new )
        return -ENOMEM;
    new->options = *options;
    for ( unsigned int i = 0; i <= FIGURE_INTERVALS; i++ )
        new->bounds[i] = options->from +
            (uint64_t)((unsigned __int128)length * i / FIGURE_INTERVALS);
    figures_init(&new->figures);
    stats_pool_init(&new->pool);
    io_trips_init(&new->trips);
    return 0;
}

void profile_free(struct profile *p)
{
    if ( !p )
        return;
    figures_fini(&p->figures);
    stats_pool_fini(&p->pool);
    io_trips_fini(&p->trips);
    free(p);
}

/* --- sums ----------------------------------------------------------------- */

/* The index of the interval of a timestamp; FIGURE_INTERVALS: none. */
static unsigned int find_interval(const struct profile *p, uint64_t time)
{
    uint64_t whole = profile_whole(p), at = time - p->bounds[0];
    unsigned int i;

    if ( p->is_later || time < p->bounds[0] || at > whole || !whole )
        return FIGURE_INTERVALS;
    i = (unsigned __int128)at * FIGURE_INTERVALS / whole;
    if ( i == FIGURE_INTERVALS )
        return i - 1;
    /* The bounds are rounded down. */
    return i + (i + 1 < FIGURE_INTERVALS && time >= p->bounds[i + 1]);
}

static void add_sum(struct profile *p, uint64_t key, unsigned int interval,
                    uint64_t value)
{
    struct figure *f = figures_get(&p->figures, key);

    assert(interval < FIGURE_INTERVALS);
    if ( f )
        f->sums[interval] += value;
}

static uint64_t get_overlap(const struct profile *p, unsigned int i,
                            uint64_t from, uint64_t to)
{
    uint64_t begin = from > p->bounds[i] ? from : p->bounds[i];
    uint64_t end = to < p->bounds[i + 1] ? to : p->bounds[i + 1];

    return begin < end ? end - begin : 0;
}

/* Divide a span of time by interval. */
static void add_span(struct profile *p, uint64_t key, uint64_t from,
                     uint64_t to)
{
    unsigned int i = find_interval(p, from > p->bounds[0] ? from
                                                          : p->bounds[0]);
    struct figure *f = i < FIGURE_INTERVALS ? figures_get(&p->figures, key)
                                            : NULL;

    for ( ; f && i < FIGURE_INTERVALS && p->bounds[i] < to; i++ )
        f->sums[i] += get_overlap(p, i, from, to);
}

/* True unless the callback of the options leaves out the vcpu. */
static bool profile_wants_vcpu(const struct profile *p, const struct vcpu *v)
{
    return v && v->domain->id < XT_DOMAIN_IDLE &&
           (!p->options.wants_vcpu ||
            p->options.wants_vcpu(p->options.filter, v->domain->id, v->id));
}

static void add_event(struct profile *p, const struct vcpu *v,
                      enum figure_kind kind, uint32_t detail, uint64_t time,
                      uint64_t value)
{
    unsigned int i = find_interval(p, time);
    uint16_t domain = v->domain->id;

    if ( i == FIGURE_INTERVALS )
        return;
    add_sum(p, figure_key(domain, FIGURE_WHOLE, kind, detail), i, value);
    if ( p->options.per_vcpu )
        add_sum(p, figure_key(domain, FIGURE_VCPU(v->id), kind, detail), i,
                value);
}

/* Add the length of an event to the series of its interval, and of all. */
static void add_to_series(struct profile *p, uint64_t key, unsigned int i,
                          uint64_t cycles, uint64_t time)
{
    stats_map_add(&p->series, &p->pool,
                  figure_series_key(key, i / FIGURE_MERGED), cycles, time);
    stats_map_add(&p->series, &p->pool,
                  figure_series_key(key, SHIFT_SAMPLES), cycles, time);
}

/* Count an event, and keep its length for percentiles. */
static void add_duration(struct profile *p, const struct vcpu *v,
                         enum figure_kind kind, uint64_t time, uint64_t cycles)
{
    unsigned int i = find_interval(p, time);
    uint16_t domain = v->domain->id;

    add_event(p, v, kind, 0, time, 1);
    if ( i == FIGURE_INTERVALS )
        return;
    add_to_series(p, figure_key(domain, FIGURE_WHOLE, kind, 0), i, cycles,
                  time);
    if ( p->options.per_vcpu )
        add_to_series(p, figure_key(domain, FIGURE_VCPU(v->id), kind, 0), i,
                      cycles, time);
}

/* --- facts about vcpus ---------------------------------------------------- */

static void profile_add_runstate(void *state, const struct fact_runstate *f)
{
    static const uint8_t kinds[STATES] = {
        [STATE_RUNNING] = FIGURE_RUNNING, [STATE_RUNNABLE] = FIGURE_WAITING,
        [STATE_BLOCKED] = FIGURE_BLOCKED, [STATE_OFFLINE] = FIGURE_PAUSED,
        [STATE_QUEUED] = FIGURE_PAUSED, [STATE_LOST] = FIGURE_UNKNOWN,
        [STATE_INIT] = FIGURE_UNKNOWN, [STATE_NO_DATA] = FIGURE_UNKNOWN,
    };
    struct profile *p = state;
    uint16_t domain = f->vcpu->domain->id;

    assert(f->state < STATES);
    if ( !profile_wants_vcpu(p, f->vcpu) )
        return;
    add_span(p, figure_key(domain, FIGURE_WHOLE, kinds[f->state], 0), f->from,
             f->to);
    if ( p->options.per_vcpu )
        add_span(p, figure_key(domain, FIGURE_VCPU(f->vcpu->id),
                               kinds[f->state], 0), f->from, f->to);
}

static void profile_add_wait(void *state, const struct fact_wait *f)
{
    struct profile *p = state;

    if ( f->why == WHY_WAKE && profile_wants_vcpu(p, f->vcpu) )
        add_duration(p, f->vcpu, FIGURE_WAKEUPS, f->from, f->to - f->from);
}

static void profile_add_trip(void *state, const struct io_trip *trip,
                             const struct io_parts *parts)
{
    struct profile *p = state;

    (void)parts;
    if ( profile_wants_vcpu(p, trip->guest) )
        add_duration(p, trip->guest, FIGURE_TRIPS, trip->times[0],
                     io_trip_length(trip->times));
}

static void profile_add_exit(void *state, const struct fact_exit *f)
{
    struct profile *p = state;

    if ( !profile_wants_vcpu(p, f->vcpu) )
        return;
    add_event(p, f->vcpu, FIGURE_EXITS, f->cause, f->start, 1);
    add_event(p, f->vcpu, FIGURE_EXIT_TIME, f->cause, f->start, f->cycles);
}

/* Subtract time off the pcpu from the exit; unsigned overflow is intended. */
static void profile_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct profile *p = state;

    assert(f->cycles <= f->exit->cycles);
    if ( profile_wants_vcpu(p, f->exit->vcpu) )
        add_event(p, f->exit->vcpu, FIGURE_EXIT_TIME, f->exit->cause,
                  f->exit->start, -f->cycles);
}

static void add_hypercall(struct profile *p, const struct vcpu *v,
                          uint64_t time, uint64_t number)
{
    if ( profile_wants_vcpu(p, v) )
        add_event(p, v, FIGURE_HYPERCALLS,
                  number < HYPERCALLS ? number : HYPERCALLS - 1, time, 1);
}

static void profile_add_pv(void *state, const struct fact_pv *f)
{
    if ( f->kind == PV_HYPERCALL || f->kind == PV_HYPERCALL_V2 ||
         f->kind == PV_HYPERCALL_SUBCALL )
        add_hypercall(state, f->vcpu, f->time, f->number);
}

static void profile_add_handle(void *state, const struct fact_handle *f)
{
    if ( f->kind == HANDLE_HYPERCALL )
        add_hypercall(state, f->vcpu, f->time, f->at);
}

/* --- facts about pcpus ---------------------------------------------------- */

static void profile_add_pcpu(void *state, const struct fact_pcpu *f)
{
    struct profile *p = state;
    enum figure_kind kind = f->state == PCPU_RUNNING ? FIGURE_RUNNING
                                                     : FIGURE_BLOCKED;

    if ( f->state >= PCPU_LOST )
        return;
    add_span(p, figure_key(FIGURE_HOST, FIGURE_WHOLE, kind, 0), f->since,
             f->to);
    if ( p->options.per_pcpu )
        add_span(p, figure_key(FIGURE_HOST, FIGURE_VCPU(f->pcpu), kind, 0),
                 f->since, f->to);
}

static void add_interrupt(struct profile *p, uint32_t pcpu, unsigned int i,
                          const struct fact_irq *f)
{
    add_sum(p, figure_key(FIGURE_HOST, pcpu, FIGURE_INTERRUPTS, 0), i, 1);
    if ( f->has_cycles )
        add_sum(p, figure_key(FIGURE_HOST, pcpu, FIGURE_INTERRUPT_TIME, 0), i,
                f->cycles);
}

static void profile_add_irq(void *state, const struct fact_irq *f)
{
    struct profile *p = state;
    unsigned int i = find_interval(p, f->time);

    if ( f->kind != IRQ_HANDLED || i == FIGURE_INTERVALS )
        return;
    add_interrupt(p, FIGURE_WHOLE, i, f);
    if ( p->options.per_pcpu )
        add_interrupt(p, FIGURE_VCPU(f->pcpu), i, f);
}

static void profile_add_loss(void *state, const struct fact_loss *f)
{
    struct profile *p = state;
    uint64_t key = figure_key(FIGURE_HOST, FIGURE_WHOLE, FIGURE_LOST_RECORDS,
                              0);
    uint64_t length = f->to - f->from;
    unsigned int at = find_interval(p, f->from);

    assert(f->from <= f->to);
    p->losses += !p->is_later;
    p->lost_records += p->is_later ? 0 : f->records;
    add_span(p, figure_key(FIGURE_HOST, FIGURE_WHOLE, FIGURE_LOST_TIME, 0),
             f->from, f->to);
    if ( !length && at < FIGURE_INTERVALS )
        add_sum(p, key, at, f->records);
    for ( unsigned int i = 0; length && !p->is_later && i < FIGURE_INTERVALS;
          i++ )
    {
        uint64_t part = get_overlap(p, i, f->from, f->to);

        if ( part )
            add_sum(p, key, i, fact_loss_share(f, part));
    }
}

static void profile_add_volume(void *state, const struct fact_volume *f)
{
    struct profile *p = state;

    if ( p->is_later )
        return;
    p->records += f->records;
    p->seen |= f->seen;
}

/* --- a segment ------------------------------------------------------------ */

static void profile_begin(void *state, const struct fact_begin *f)
{
    struct profile *p = state;

    p->is_later = p->segments++;
    if ( !p->is_later )
        p->clock = *f->clock;
}

/* A pcpu is unknown while no record shows a vcpu or the idle vcpu. */
static void add_unknown(struct profile *p, uint32_t pcpu, unsigned int nr)
{
    const struct figure *run, *idle;

    for ( unsigned int i = 0; i < FIGURE_INTERVALS; i++ )
    {
        uint64_t all = profile_length(p, i) * nr, known;

        run = figures_find(&p->figures, figure_key(FIGURE_HOST, pcpu,
                                                   FIGURE_RUNNING, 0));
        idle = figures_find(&p->figures, figure_key(FIGURE_HOST, pcpu,
                                                    FIGURE_BLOCKED, 0));
        known = (run ? run->sums[i] : 0) + (idle ? idle->sums[i] : 0);
        if ( known < all )
            add_sum(p, figure_key(FIGURE_HOST, pcpu, FIGURE_UNKNOWN, 0), i,
                    all - known);
    }
}

static void count_pcpus(struct profile *p, const struct fact_end *f)
{
    const struct profile_options *o = &p->options;

    /* Only the first segment counts. */
    assert(!p->nr_pcpus);
    for ( unsigned int i = 0; i < f->nr_pcpus; i++ )
    {
        if ( !f->has_records[i] ||
             (o->wants_pcpu && !o->wants_pcpu(o->filter, i)) )
            continue;
        p->nr_pcpus++;
        if ( o->per_pcpu )
            add_unknown(p, FIGURE_VCPU(i), 1);
    }
    add_unknown(p, FIGURE_WHOLE, p->nr_pcpus);
}

static int profile_end(void *state, const struct fact_end *f, struct err *e)
{
    struct profile *p = state;

    (void)e;
    p->damaged = xt_damage_gaps(f->damage);
    if ( p->is_later )
        return 0;
    p->too_many = f->anomalies[ANOMALY_TOO_MANY];
    p->disorder = f->disorder;
    count_pcpus(p, f);
    return p->figures.failed || p->pool.failed ? -ENOMEM : 0;
}

/* The sink of round trips runs in one thread, so this sink needs no shards. */
void profile_get_sinks(struct profile *p, struct sink sinks[PROFILE_SINKS])
{
    static const struct sink_ops ops = {
        .name = "profile", .ordered = true,
        .begin = profile_begin, .end = profile_end,
        .runstate = profile_add_runstate, .wait = profile_add_wait,
        .loss = profile_add_loss, .exit = profile_add_exit,
        .exit_block = profile_add_exit_block, .handle = profile_add_handle,
        .pv = profile_add_pv, .irq = profile_add_irq,
        .pcpu = profile_add_pcpu, .volume = profile_add_volume,
    };

    assert(!p->trips.on_trip);
    sinks[0] = (struct sink){ &ops, p };
    sinks[1] = io_trips_sink(&p->trips);
    p->trips.on_trip = profile_add_trip;
    p->trips.on_trip_arg = p;
}
