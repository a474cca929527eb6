/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A timer is known from the record that starts it, so its due time is exact;
 * the runstates after that time are the parts of its lateness.
 */
#include "xenalyze/account/timer-lateness.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/grow.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/vcpu-array.h"

#define LONGEST_NS 3600000000000u       /* timers beyond are ignored */

void timers_init(struct timers *t)
{
    stats_pool_init(&t->pool);
}

void timers_fini(struct timers *t)
{
    free(t->vcpus);
    stats_pool_fini(&t->pool);
}

/* --- facts ---------------------------------------------------------------- */

static struct timer_vcpu *find_timer(const struct timers *t,
                                     const struct vcpu *v)
{
    return v && v->index < t->nr_vcpus ? t->vcpus[v->index] : NULL;
}

static struct timer_vcpu *get_timer(struct timers *t, const struct vcpu *v)
{
    return vcpu_array_get(&t->vcpus, &t->nr_vcpus, v, &t->pool.arena,
                          sizeof(struct timer_vcpu), STATS_LINE, &t->failed);
}

static void start_timer(struct timers *t, const struct fact_event *f)
{
    const struct xt_rec_hvm_emul_lapic_start_timer *r =
        xt_view_hvm_emul_lapic_start_timer(f->record);
    struct timer_vcpu *v = f->vcpu && r ? get_timer(t, f->vcpu) : NULL;

    if ( !v )
        return;
    v->is_set = r->delta <= LONGEST_NS && r->period <= LONGEST_NS;
    if ( !v->is_set )
        return;
    v->due = f->time + xt_clock_cycles(&t->clock, r->delta);
    v->period = r->period ? xt_clock_cycles(&t->clock, r->period) : 0;
    v->known_to = f->time;
    memset(v->times, 0, sizeof(v->times));
}

/* Count the lateness of a timer whose interrupt is delivered in the span. */
static void count_timer(struct timers *t, struct timer_vcpu *v, uint64_t time)
{
    assert(time >= v->due);
    stats_add(&v->lateness, &t->pool, time - v->due, v->due);
    for ( unsigned int i = 0; i < TIMER_PARTS; i++ )
        stats_add(&v->parts[i], &t->pool, v->times[i], v->due);
    /* Xen may skip ticks of a periodic timer, which only seems to be late. */
    if ( !v->period )
        v->late += v->times[TIMER_XEN];
}

/* The vcpu runs, and gets the interrupt. */
static void deliver_timer(struct timers *t, const struct fact_event *f)
{
    struct timer_vcpu *v = find_timer(t, f->vcpu);
    uint64_t since;

    /* Before the due time, it is the interrupt of an earlier timer. */
    if ( !v || !v->is_set || f->time < v->due )
        return;
    since = v->known_to > v->due ? v->known_to : v->due;
    v->times[TIMER_DELIVERY] += f->time > since ? f->time - since : 0;
    if ( f->time >= t->first )
        count_timer(t, v, f->time);
    v->is_set = v->period != 0;
    v->due += v->period;
    v->known_to = f->time;
    memset(v->times, 0, sizeof(v->times));
}

static enum fact_event_need timers_need_event(uint32_t event)
{
    return event == TRC_HVM_EMUL_LAPIC_START_TIMER ||
           event == TRC_HVM_EMUL_LAPIC_TIMER_CB ||
           event == TRC_HVM_EMUL_LAPIC_STOP_TIMER ? NEED_EVENT : NEED_NO_EVENT;
}

static void timers_event(void *state, const struct fact_event *f)
{
    struct timer_vcpu *v;

    switch ( f->record->event )
    {
    case TRC_HVM_EMUL_LAPIC_START_TIMER:
        start_timer(state, f);
        break;
    case TRC_HVM_EMUL_LAPIC_TIMER_CB:
        deliver_timer(state, f);
        break;
    case TRC_HVM_EMUL_LAPIC_STOP_TIMER:
        v = find_timer(state, f->vcpu);
        if ( v )
            v->is_set = false;
        break;
    }
}

static void timers_runstate(void *state, const struct fact_runstate *f)
{
    static const uint8_t parts[STATES] = {
        [STATE_RUNNING] = TIMER_DELIVERY, [STATE_RUNNABLE] = TIMER_WAIT,
        [STATE_BLOCKED] = TIMER_XEN, [STATE_OFFLINE] = TIMER_OTHER,
        [STATE_LOST] = TIMER_OTHER, [STATE_QUEUED] = TIMER_OTHER,
        [STATE_INIT] = TIMER_OTHER, [STATE_NO_DATA] = TIMER_OTHER,
    };
    const struct timers *t = state;
    struct timer_vcpu *v = find_timer(t, f->vcpu);
    uint64_t from;

    debug_assert(f->state < STATES);
    if ( !v || !v->is_set || f->to < v->known_to )
        return;
    /* The engine cuts a runstate at the begin of the span. */
    from = f->from > v->known_to && f->from != t->first ? f->from
                                                        : v->known_to;
    if ( from < v->due )
        from = v->due;
    if ( f->to > from )
        v->times[parts[f->state]] += f->to - from;
    v->known_to = f->to;
}

static void timers_begin(void *state, const struct fact_begin *f)
{
    struct timers *t = state;

    t->first = f->first;
    if ( !f->segment )
        t->clock = *f->clock;
}

/* Times of the next segment cannot be compared. */
static int timers_end(void *state, const struct fact_end *f, struct err *e)
{
    struct timers *t = state;

    (void)f;
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] )
            t->vcpus[i]->is_set = false;
    return timers_have_failed(t)
           ? err_sys(e, -ENOMEM, "cannot keep timers") : 0;
}

struct sink timers_sink(struct timers *t)
{
    static const struct sink_ops ops = {
        .name = "timers", .ordered = true, .early_facts = true,
        .from_hvm = true,
        .begin = timers_begin,
        .end = timers_end, .runstate = timers_runstate,
        .event = timers_event, .needs_event = timers_need_event,
    };

    return (struct sink){ &ops, t };
}

/* --- numbers -------------------------------------------------------------- */

void timers_close(struct timers *t)
{
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] && !stats_events(&t->vcpus[i]->lateness) )
            t->vcpus[i] = NULL;
    vcpu_array_sort(&t->vcpus, &t->nr_vcpus);
}

const struct timer_vcpu *timers_find(const struct timers *t, uint16_t domain,
                                     uint16_t id)
{
    return vcpu_array_find(t->vcpus, t->nr_vcpus, domain, id);
}
