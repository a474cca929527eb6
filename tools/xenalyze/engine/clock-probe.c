/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes: short parts of a trace, read for their runstates only, and the limits
 * that they set to the clocks of pcpus.
 *
 * A vcpu that pcpu A wakes runs on pcpu B a short time later.  The time between
 * the two stamps is the latency of the wake-up plus the difference of the two
 * clocks.  Most wake-ups of an idle pcpu take about the same time, so the times
 * between the wake-ups of A and the next runs on B have a peak, which begins at
 * the shortest latency:
 *
 *     number |        _
 *            |       | |_
 *            |  _   _|   |_____  _
 *            +-----------|------------ time from wake-up to run
 *                   ^    0
 *                   the clock of A is ahead by so much, at least
 *
 * If clocks differ by more than a vcpu's period, the next run is not the run
 * that belongs to the wake-up.  So each run is compared with several wake-ups
 * before and after; pairs that do not belong together make no peak, or one that
 * is further from 0.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/engine/clock-probe.h"

#define MIN_SUPPORT 3u          /* pairs in a peak */
#define MAX_PAIRS (1u << 20)

/* --- reading -------------------------------------------------------------- */

#define KNOWN_BITS 9u

/* The last known state of some vcpus: a direct-mapped cache. */
struct known_state
{
    uint32_t vcpu;
    uint8_t state;
    bool valid;
};

int clock_probe_init(struct clock_probe *p)
{
    *p = (struct clock_probe){ .nr = 0 };
    p->events = fault_malloc(CLOCK_EVENTS * sizeof(*p->events));
    return p->events ? 0 : -ENOMEM;
}

void clock_probe_fini(struct clock_probe *p)
{
    free(p->events);
    free(p->pairs);
    *p = (struct clock_probe){ .nr = 0 };
}

static void add_change(struct clock_probe *p, struct known_state *known,
                      const struct xt_record *r, const struct xt_item *item)
{
    struct clock_event *event = &p->events[p->nr];
    uint32_t vcpu = xt_record_word(r, 0);
    struct known_state *k = &known[vcpu * UINT32_C(0x9e3779b1) >>
                                   (32 - KNOWN_BITS)];

    debug_assert(p->nr < CLOCK_EVENTS);
    if ( !r->words || xt_vcpu_key_is_idle(vcpu) )
        return;
    *event = (struct clock_event){
        .time = item->time, .vcpu = vcpu, .pcpu = xt_item_cpu(item),
        .old = xt_id_sched_runstate_change_from(r->event),
        .new = xt_id_sched_runstate_change_to(r->event),
    };
    p->contradictions += k->valid && k->vcpu == vcpu && k->state != event->old;
    *k = (struct known_state){ vcpu, event->new, true };
    p->nr++;
}

int clock_probe_read(struct clock_probe *p, struct xt_trace *trace,
                     uint64_t from, uint64_t until, uint32_t records,
                     struct err *e)
{
    struct known_state known[1u << KNOWN_BITS] = { { .vcpu = 0 } };
    struct xt_record r;
    struct xt_batch b;
    int rc = xt_trace_seek(trace, from, e);

    assert(from < until);
    p->nr = p->contradictions = 0;
    while ( !rc && records )
    {
        rc = xt_trace_next_batch(trace, &b, e);
        if ( rc <= 0 || b.segment )
            return rc < 0 ? rc : 0;
        rc = 0;
        for ( size_t i = 0; i < b.nr && records && p->nr < CLOCK_EVENTS; i++ )
        {
            if ( b.items[i].time >= until )
                return 0;
            records--;
            xt_batch_record(&b, &b.items[i], &r);
            /* Changes may be missing, so later records prove no order. */
            if ( r.event == TRC_LOST_RECORDS )
                memset(known, 0, sizeof(known));
            else if ( xt_is_sched_runstate_change(r.event) )
                add_change(p, known, &r, &b.items[i]);
        }
        if ( p->nr == CLOCK_EVENTS )
            break;
    }
    return rc;
}

/* --- pairs ---------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const struct clock_event *x = a, *y = b;

    if ( x->vcpu != y->vcpu )
        return x->vcpu < y->vcpu ? -1 : 1;
    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    return (x->pcpu > y->pcpu) - (x->pcpu < y->pcpu);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct clock_pair *x = a, *y = b;

    if ( x->pcpus != y->pcpus )
        return x->pcpus < y->pcpus ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
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

/*
 * A vcpu that a pcpu makes runnable and then runs, without any other record of
 * the vcpu in between: the two records belong together, and have the same
 * clock.
 */
static void mark_local_pairs(struct clock_probe *p)
{
    struct clock_event *e = p->events;

    assert(p->nr <= CLOCK_EVENTS);
    for ( size_t i = 1; i < p->nr; i++ )
        if ( is_run(&e[i]) && is_ready(&e[i - 1]) &&
             e[i].vcpu == e[i - 1].vcpu && e[i].pcpu == e[i - 1].pcpu )
            e[i].is_local = e[i - 1].is_local = true;
}

static int add_pair(struct clock_probe *p, const struct clock_event *wake,
                    const struct clock_event *run)
{
    struct clock_pair *pairs = p->pairs;
    size_t room;

    debug_assert(wake->vcpu == run->vcpu);
    if ( wake->pcpu == run->pcpu )
        return 0;
    if ( p->nr_pairs == p->room )
    {
        room = p->room ? 2 * p->room : 4096;
        pairs = fault_realloc(pairs, room * sizeof(*pairs));
        if ( !pairs )
            return -ENOMEM;
        p->pairs = pairs;
        p->room = room;
    }
    pairs[p->nr_pairs++] = (struct clock_pair){
        .pcpus = (uint32_t)wake->pcpu << 16 | run->pcpu,
        .time = (int64_t)(run->time - wake->time),
    };
    return 0;
}

/* Pairs of a run and the wake-ups on one side; `step` is 1 or -1. */
static int add_side(struct clock_probe *p, size_t run, int step)
{
    const struct clock_event *e = p->events;
    unsigned int left = p->neighbours;
    int rc = 0;

    debug_assert(run < p->nr && (step == 1 || step == -1));
    for ( size_t i = run + step; !rc && left && i < p->nr &&
                                 e[i].vcpu == e[run].vcpu; i += step )
        if ( is_ready(&e[i]) && !e[i].is_local )
        {
            rc = add_pair(p, &e[i], &e[run]);
            left--;
        }
    return rc;
}

static int collect_pairs(struct clock_probe *p)
{
    size_t stride = 1 + 2 * p->nr * p->neighbours / 3 / MAX_PAIRS, runs = 0;
    int rc = 0;

    assert(p->nr <= CLOCK_EVENTS && p->neighbours);
    qsort(p->events, p->nr, sizeof(*p->events), compare_events);
    mark_local_pairs(p);
    for ( size_t i = 0; !rc && i < p->nr; i++ )
        if ( is_run(&p->events[i]) && !p->events[i].is_local &&
             runs++ % stride == 0 )
        {
            rc = add_side(p, i, -1);
            rc = rc ? rc : add_side(p, i, 1);
        }
    return rc;
}

/* --- limits --------------------------------------------------------------- */

/* Number of pairs from `i` on within the width of a peak. */
static size_t count_peak(const struct clock_pair *pairs, size_t nr, size_t i,
                         int64_t width, size_t *end)
{
    assert(i < nr && width > 0);
    if ( *end < i )
        *end = i;
    while ( *end < nr && pairs[*end].time - pairs[i].time <= width )
        ++*end;
    return *end - i;
}

static uint64_t distance(int64_t time)
{
    return time < 0 ? -(uint64_t)time : (uint64_t)time;
}

/* Pairs in a window, if all pairs were spread evenly. */
static size_t count_background(const struct clock_pair *pairs, size_t nr,
                               int64_t width)
{
    uint64_t range = pairs[nr - 1].time - pairs[0].time + 1;

    assert(nr && width > 0);
    return (double)nr * (double)width / (double)range;
}

/* The peak of the pairs of two pcpus that is nearest to 0. */
static bool find_peak(const struct clock_pair *pairs, size_t nr, int64_t width,
                      struct clock_limit *limit)
{
    size_t best = 0, near = nr, end = 0, n, count = 0;

    assert(nr);
    for ( size_t i = 0; i < nr; i++ )
    {
        n = count_peak(pairs, nr, i, width, &end);
        best = n > best ? n : best;
    }
    if ( best < MIN_SUPPORT + 3 * count_background(pairs, nr, width) )
        return false;
    end = 0;
    for ( size_t i = 0; i < nr; i++ )
        if ( count_peak(pairs, nr, i, width, &end) * 5 >= best * 3 &&
             (near == nr ||
              distance(pairs[i].time) < distance(pairs[near].time)) )
            near = i;
    /* The peak begins where most pairs follow. */
    best = near;
    end = 0;
    for ( size_t i = 0; i < nr; i++ )
        if ( distance(pairs[i].time - pairs[near].time) <= (uint64_t)width )
        {
            n = count_peak(pairs, nr, i, width, &end);
            if ( n >= count )
            {
                count = n;
                best = i;
            }
        }
    limit->before = pairs[0].pcpus >> 16;
    limit->after = pairs[0].pcpus & 0xffff;
    limit->time = pairs[best].time;
    limit->support = count;
    return true;
}

/* The limits of the pairs, which get sorted. */
static size_t find_peaks(struct clock_pair *pairs, size_t nr_pairs,
                         int64_t width, struct clock_limit *limits,
                         size_t room)
{
    size_t nr = 0, next;

    assert(room);
    if ( nr_pairs )
        qsort(pairs, nr_pairs, sizeof(*pairs), compare_pairs);
    for ( size_t i = 0; i < nr_pairs && nr < room; i = next )
    {
        next = i;
        while ( next < nr_pairs && pairs[next].pcpus == pairs[i].pcpus )
            next++;
        nr += find_peak(&pairs[i], next - i, width, &limits[nr]);
    }
    return nr;
}

int clock_probe_find_limits(struct clock_probe *p, uint64_t peak,
                            struct clock_limit *limits, size_t room,
                            size_t *nr)
{
    size_t begin = p->nr_pairs;
    int rc = collect_pairs(p);

    assert(peak && room);
    *nr = 0;
    if ( !rc && p->nr_pairs > begin )
        *nr = find_peaks(p->pairs + begin, p->nr_pairs - begin, peak, limits,
                         room);
    if ( p->nr_pairs > MAX_PAIRS )
        p->nr_pairs = begin;
    return rc;
}

size_t clock_probe_pool_limits(struct clock_probe *p, uint64_t peak,
                               struct clock_limit *limits, size_t room)
{
    size_t nr = find_peaks(p->pairs, p->nr_pairs, peak, limits, room);

    p->nr_pairs = 0;
    assert(nr <= room);
    return nr;
}
