/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is common to all schedulers; sched.h draws it.
 */
#include "xensim/workload/sched.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/tell.h"

#define IPI_CYCLES 1500     /* until the other pcpu notices */

bool is_runnable(const struct sim_vcpu *v)
{
    return is_idle(v) ||
           (v->up && !v->blocked && !v->in_xen && !v->paused &&
            !v->replaced);
}

static void change_state(struct sim_cpu *p, struct sim_vcpu *v,
                         enum runstate state)
{
    if ( p->now <= v->since )
        p->now = v->since + 1;
    EMIT(p, trace_sched_runstate_change(v->state, state, v->id, dom_of(v)));
    tell_runstate(p, v);
    v->state = state;
    v->since = p->stamp;
    v->continued = 0;
}

void account_work(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t now = true_now(p);
    struct work *w = &v->work;

    if ( w->left != UINT64_MAX && now > w->at )
        w->left -= min(w->left, now - w->at);
    w->at = now;
}

void ask_to_schedule(struct sim_cpu *p, struct sim_cpu *target)
{
    if ( target == p )
        p->need_resched = true;
    else if ( target->online && !event_is_due(&target->softirq) )
        event_at(target, &target->softirq, true_now(p) + IPI_CYCLES);
}

/* Its timer goes with it. */
void moved(struct sim_cpu *p, struct sim_vcpu *v, struct sim_cpu *to)
{
    bool due = event_is_due(&v->timer);

    if ( v->cpu == to )
        return;
    tell_migration(p, v, to);
    if ( due )
        event_drop(p->world, &v->timer);
    v->cpu = to;
    if ( due )
        event_at(to, &v->timer, v->timer.at);
}

/* ---- changes of what a vcpu may do ------------------------------------ */

static void wake_if_runnable(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( is_runnable(v) )
    {
        if ( v->state >= BLOCKED )
            change_state(p, v, RUNNABLE);
        if ( v->state == RUNNABLE && !v->queued )
            p->world->scheduler->wake(p, v);
    }
    else if ( !v->blocked && v->state == BLOCKED )
        change_state(p, v, OFFLINE);
}

static void wake_anyway(struct sim_cpu *p, struct sim_vcpu *v,
                        enum wake_by by, const struct sim_vcpu *waker)
{
    struct runq *q = v->runq;

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

/* Its place is wherever it may run, maybe the one that it had. */
static void find_place(struct sim_cpu *p, struct sim_vcpu *v)
{
    p->world->scheduler->replace(p, v);
    v->replaced = false;
    if ( v->up )
        wake_anyway(p, v, BY_REPIN, NULL);
}

/* ---- a switch --------------------------------------------------------- */

static enum runstate state_after(const struct sim_vcpu *v)
{
    if ( v->blocked )
        return BLOCKED;
    return is_runnable(v) ? RUNNABLE : OFFLINE;
}

static void go_on(struct sim_cpu *p, struct sim_vcpu *v, int64_t slice)
{
    EMIT(p, trace_sched_switch_infcont(dom_of(v), v->id,
                                       ns_since(p, v->since), slice));
    EMIT(p, trace_sched_continue_running(v->id, dom_of(v)));
    v->continued++;
}

/*
 * What INFNEXT calls waiting is the time since the vcpu was last taken off a
 * pcpu: that is what Xen tells.
 */
static void change_over(struct sim_cpu *p, struct sim_vcpu *prev,
                        struct sim_vcpu *next, int64_t slice)
{
    uint64_t waited = next->state == RUNNABLE ? ns_since(p, next->left_at) : 0;

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
        moved(p, next, p);
    tell_answered(p, next);
    p->runs = next;
    next->work.at = next->since;
    set_current(next->xen);
}

/* It has been taken off p, and is to run again. */
static void put_down(struct sim_cpu *p, struct sim_vcpu *v)
{
    p->world->scheduler->saved(p, v);
    if ( v->replaced )
        find_place(p, v);
}

void schedule(struct sim_cpu *p)
{
    const struct scheduler *s = p->world->scheduler;
    struct sim_vcpu *prev = p->runs, *next;
    int64_t slice;

    ASSERT(!p->in_guest);
    p->need_resched = false;
    account_work(p, prev);
    runq_lock(p, p->runq);
    next = s->pick(p, &slice);
    ASSERT(is_idle(next) || (p->online && is_runnable(next)));
    if ( next == prev )
        go_on(p, next, slice);
    else
        change_over(p, prev, next, slice);
    runq_unlock(p, p->runq);
    if ( next != prev && !is_idle(prev) )
        put_down(p, prev);

    if ( slice < 0 )
        event_drop(p->world, &p->slice);
    else
        event_at(p, &p->slice, true_now(p) + to_cycles(p->world, slice));
}

/* ---- what vcpus want, and what is wanted of them ------------------------ */

void wake(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by,
          const struct sim_vcpu *waker)
{
    if ( !v->up || (!v->blocked && !v->in_xen) )
        return;
    v->blocked = v->in_xen = false;
    wake_anyway(p, v, by, waker);
}

void block(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;

    EMIT(p, trace_sched_block(dom_of(v), v->id));
    v->blocked = true;
    p->need_resched = true;
}

void wait_in_xen(struct sim_cpu *p)
{
    p->runs->in_xen = true;
    p->need_resched = true;
}

void yield(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runs;

    EMIT(p, trace_sched_yield(dom_of(v), v->id));
    v->yielding = true;
    p->need_resched = true;
}

void pause_vcpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct runq *q = v->runq;

    if ( v->paused++ || !v->up )
        return;
    runq_lock(p, q);
    EMIT(p, trace_sched_sleep(dom_of(v), v->id));
    if ( v->state == RUNNABLE )
    {
        change_state(p, v, OFFLINE);
        p->world->scheduler->sleep(p, v);
    }
    else if ( v->state == RUNNING )
        ask_to_schedule(p, v->cpu);
    runq_unlock(p, q);
}

void unpause_vcpu(struct sim_cpu *p, struct sim_vcpu *v, enum wake_by by)
{
    ASSERT(v->paused);
    if ( !--v->paused && v->up )
        wake_anyway(p, v, by, is_idle(p->runs) ? NULL : p->runs);
}

void replace(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct runq *q = v->runq;
    bool runs = v->state == RUNNING;

    runq_lock(p, q);
    v->replaced = true;
    if ( v->state == RUNNABLE )
    {
        change_state(p, v, OFFLINE);
        p->world->scheduler->sleep(p, v);
    }
    else if ( runs )
        ask_to_schedule(p, v->cpu);
    runq_unlock(p, q);
    if ( !runs )
        find_place(p, v);
}
