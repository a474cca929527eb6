/* SPDX-License-Identifier: GPL-2.0-only */
/* The part common to all schedulers; see scheduler.h. */
#include "xensim/workload/scheduler.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/trace-emit.h"

#define IPI_CYCLES 1500     /* latency of the reschedule IPI */

bool is_runnable(const struct sim_vcpu *v)
{
    return is_idle(v) ||
           (v->up && !v->blocked && !v->in_xen && !v->paused &&
            !v->parked && !v->must_move);
}

static void change_state(struct sim_cpu *p, struct sim_vcpu *v,
                         enum runstate state)
{
    ASSERT(v->state != state);
    if ( p->now <= v->since )
        p->now = v->since + 1;
    EMIT(p, trace_sched_runstate_change(v->state, state, v->id, dom_of(v)));
    truth_log_runstate(p, v);
    if ( state == RUNNING && !is_idle(v) )
        truth_log_wait(p, v);
    v->state = state;
    v->since = p->stamp;
    v->continued = 0;
}

void account_work(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t now = true_now(p);
    struct work *k = &v->work;

    if ( k->left != UINT64_MAX && now > k->at )
        k->left -= min(k->left, now - k->at);
    k->at = now;
}

void request_schedule(struct sim_cpu *p, struct sim_cpu *target)
{
    if ( target == p )
        p->need_resched = true;
    else if ( target->online && !event_is_queued(&target->softirq) )
        event_at(target, &target->softirq, true_now(p) + IPI_CYCLES);
}

/* Move a vcpu to another pcpu, with its timer. */
void vcpu_set_cpu(struct sim_cpu *p, struct sim_vcpu *v, struct sim_cpu *to)
{
    bool due = event_is_queued(&v->timer);

    ASSERT(!is_idle(v));
    if ( v->cpu == to )
        return;
    truth_log_migration(p, v, to);
    if ( due )
        event_drop(p->sim, &v->timer);
    v->cpu = to;
    if ( due )
        event_at(to, &v->timer, v->timer.at);
}

/* ---- state changes of a vcpu ------------------------------------------ */

static void wake_if_runnable(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( is_runnable(v) )
    {
        if ( v->state >= BLOCKED )
            change_state(p, v, RUNNABLE);
        if ( v->state == RUNNABLE && !v->queued )
            p->sim->scheduler->wake(p, v);
    }
    else if ( !v->blocked && v->state == BLOCKED )
        change_state(p, v, OFFLINE);
}

static void wake_and_emit(struct sim_cpu *p, struct sim_vcpu *v,
                          enum wake_by by, const struct sim_vcpu *waker)
{
    struct runq *q = v->runq;

    ASSERT(v->up && !is_idle(v));
    runq_lock(p, q);
    EMIT(p, trace_sched_wake(dom_of(v), v->id));
    if ( is_runnable(v) && v->state != RUNNING && !v->woken_at )
    {
        v->woken_at = p->stamp;
        v->woken_by = by;
        v->waker = waker;
        v->woken_on = p->id;
    }
    wake_if_runnable(p, v);
    runq_unlock(p, q);
}

/* Choose a pcpu that the vcpu may run on, perhaps the present one. */
static void choose_new_cpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v->state != RUNNING);
    p->sim->scheduler->choose_cpu(p, v);
    v->must_move = false;
    if ( v->up )
        wake_and_emit(p, v, BY_REPIN, NULL);
}

/* ---- context switch --------------------------------------------------- */

static enum runstate state_after(const struct sim_vcpu *v)
{
    ASSERT(v->state == RUNNING);
    if ( v->blocked )
        return BLOCKED;
    return is_runnable(v) ? RUNNABLE : OFFLINE;
}

static void continue_running(struct sim_cpu *p, struct sim_vcpu *v,
                             int64_t slice)
{
    ASSERT(v == p->runs);
    EMIT(p, trace_sched_switch_infcont(dom_of(v), v->id,
                                       ns_since(p, v->since), slice));
    EMIT(p, trace_sched_continue_running(v->id, dom_of(v)));
    v->continued++;
}

/*
 * Switch vcpus. As in Xen, the waiting time in INFNEXT counts from the time
 * the vcpu was last descheduled.
 */
static void switch_vcpus(struct sim_cpu *p, struct sim_vcpu *prev,
                         struct sim_vcpu *next, int64_t slice)
{
    uint64_t waited = next->state == RUNNABLE ? ns_since(p, next->left_at) : 0;

    ASSERT(prev == p->runs && prev->state == RUNNING &&
           next->state != RUNNING);
    EMIT(p, trace_sched_switch_infprev(dom_of(prev), prev->id,
                                       ns_since(p, prev->since)));
    EMIT(p, trace_sched_switch_infnext(dom_of(next), next->id, waited,
                                       slice));
    EMIT(p, trace_sched_switch(dom_of(prev), prev->id, dom_of(next),
                               next->id));
    change_state(p, prev, state_after(prev));
    prev->left_at = prev->since;
    change_state(p, next, RUNNING);
    if ( next->cpu != p )
        vcpu_set_cpu(p, next, p);
    truth_log_wake(p, next);
    p->runs = next;
    next->work.at = next->since;
    set_current(next->xen);
}

/* The previous vcpu has been descheduled and its context saved. */
static void finish_switch(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v->state != RUNNING && !is_idle(v));
    p->sim->scheduler->context_saved(p, v);
    if ( v->must_move )
        choose_new_cpu(p, v);
}

void pcpu_schedule(struct sim_cpu *p)
{
    const struct scheduler *scheduler = p->sim->scheduler;
    struct sim_vcpu *prev = p->runs, *next;
    int64_t slice;

    ASSERT(!p->in_guest);
    p->need_resched = false;
    account_work(p, prev);
    runq_lock(p, p->runq);
    next = scheduler->pick(p, &slice);
    ASSERT(is_idle(next) || (p->online && is_runnable(next)));
    if ( next == prev )
        continue_running(p, next, slice);
    else
        switch_vcpus(p, prev, next, slice);
    runq_unlock(p, p->runq);
    if ( next != prev && !is_idle(prev) )
        finish_switch(p, prev);

    if ( slice < 0 )
        event_drop(p->sim, &p->slice);
    else
        event_at(p, &p->slice, true_now(p) + to_cycles(p->sim, slice));
}

/* ---- wake-up, block, pause ---------------------------------------------- */

void vcpu_wake(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by,
               const struct sim_vcpu *waker)
{
    if ( !v->up || (!v->blocked && !v->in_xen) )
        return;
    v->blocked = v->in_xen = false;
    wake_and_emit(p, v, by, waker);
}

void vcpu_block(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;

    ASSERT(!is_idle(v) && !v->blocked);
    EMIT(p, trace_sched_block(dom_of(v), v->id));
    v->blocked = true;
    p->need_resched = true;
}

void vcpu_wait_in_xen(struct sim_cpu *p)
{
    ASSERT(!is_idle(p->runs));
    p->runs->in_xen = true;
    p->need_resched = true;
}

void vcpu_yield(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;

    ASSERT(!is_idle(v));
    EMIT(p, trace_sched_yield(dom_of(v), v->id));
    v->yielding = true;
    p->need_resched = true;
}

/*
 * The vcpu leaves its queue.  With its budget back, a vcpu waits in the queue
 * while its state is offline.
 */
static void stop_waiting(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v->state != RUNNING);
    if ( v->state == RUNNABLE )
        change_state(p, v, OFFLINE);
    p->sim->scheduler->sleep(p, v);
    ASSERT(!v->queued);
}

void vcpu_pause(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct runq *q = v->runq;

    if ( v->paused++ || !v->up )
        return;
    runq_lock(p, q);
    EMIT(p, trace_sched_sleep(dom_of(v), v->id));
    if ( v->state == RUNNING )
        request_schedule(p, v->cpu);
    else
        stop_waiting(p, v);
    runq_unlock(p, q);
}

void vcpu_unpause(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by)
{
    ASSERT(v->paused);
    if ( !--v->paused && v->up )
        wake_and_emit(p, v, by, is_idle(p->runs) ? NULL : p->runs);
}

void vcpu_repin(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct runq *q = v->runq;
    bool runs = v->state == RUNNING;

    ASSERT(!is_idle(v));
    runq_lock(p, q);
    v->must_move = true;
    if ( runs )
        request_schedule(p, v->cpu);
    else
        stop_waiting(p, v);
    runq_unlock(p, q);
    if ( !runs )
        choose_new_cpu(p, v);
}
