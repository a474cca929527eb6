/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pauses by the toolstack of vcpus that are offline without budget.  Such a
 * vcpu does not wait until the pause ends:
 *
 *      runs |  offline without budget  |  paused  |  offline without budget
 *           +--------------------------+----------+------------------------
 *            waits                SLEEP        WAKE  waits
 */
#include "xenalyze/account/wait-private.h"

#include <assert.h>

#include "common/debug.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"

#define NEAR_NS 50000u          /* from a change of a state to its record */

/* The vcpu is offline, and stays so: the time since `from` counts. */
static void split_offline_time(struct wait_causes *w, struct wait_vcpu *v,
                               uint64_t from, uint64_t time)
{
    assert(v->state == STATE_OFFLINE && v->vcpu && from <= time);
    wait_add_time(w, v, &(struct fact_runstate){
        .vcpu = v->vcpu, .from = from, .to = time,
        .pcpu = v->nr_pcpus ? v->pcpus[0] : FACT_NO_PCPU,
        .next_pcpu = FACT_NO_PCPU,
        .state = STATE_OFFLINE, .next = STATE_OFFLINE });
}

/*
 * Another vcpu pauses the vcpu, which has no budget.  Credit takes a vcpu off
 * its pcpu with the same record.
 */
static void begin_pause(struct wait_causes *w, struct wait_vcpu *v,
                        uint64_t time)
{
    if ( v->state != STATE_OFFLINE || !v->waiting_since ||
         time < v->waiting_since )
        return;
    if ( v->has_credit_cap &&
         xt_clock_duration(&w->clock, time - v->waiting_since) <= NEAR_NS )
        return;
    assert(!v->is_paused);
    split_offline_time(w, v, v->waiting_since, time);
    wait_forget_caps(w, v);
    v->waiting_since = 0;
    v->is_paused = true;
    w->nr_paused++;
}

/* A vcpu that stays offline after the pause has no budget yet. */
static void end_pause(struct wait_causes *w, struct wait_vcpu *v,
                      uint64_t time)
{
    if ( !v->is_paused || time < v->counted )
        return;
    split_offline_time(w, v, v->counted, time);
    wait_forget_pause(w, v);
    wait_begin_cap(w, v, STATE_OFFLINE, time);
    v->waiting_since = time;
    v->idle_before = w->idle_cycles;
}

_Static_assert(sizeof(struct xt_rec_sched_sleep) ==
               sizeof(struct xt_rec_sched_wake) &&
               offsetof(struct xt_rec_sched_sleep, dom) ==
               offsetof(struct xt_rec_sched_wake, dom) &&
               offsetof(struct xt_rec_sched_sleep, vcpu) ==
               offsetof(struct xt_rec_sched_wake, vcpu),
               "both records name a vcpu in the same fields");

void wait_note_pause(struct wait_causes *w, const struct fact_event *f)
{
    bool begins = f->record->event == TRC_SCHED_SLEEP;
    const struct xt_rec_sched_sleep *r = xt_view_sched_sleep(f->record);
    struct wait_vcpu *v = (begins ? w->nr_capped : w->nr_paused) && r
                          ? wait_find_vcpu(w, r->dom, r->vcpu) : NULL;

    debug_assert(begins || f->record->event == TRC_SCHED_WAKE);
    if ( v && begins )
        begin_pause(w, v, f->time);
    else if ( v )
        end_pause(w, v, f->time);
}
