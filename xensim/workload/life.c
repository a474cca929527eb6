/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains come, are renamed, paused, and go.  A domain's plan is a handful of
 * times; when one is there, the toolstack in dom0 is woken and does it:
 *
 *     create     DOM_ADD, DOM0_DOM_ADD, its vcpus get their places; it boots
 *     rename     the toolstack's own business: Xen knows no names
 *     reweigh    ADJDOM
 *     repin      each vcpu looks for a place where it may run
 *     pause      SLEEP for each vcpu; later WAKE
 *     end        the guest is told, shuts down (SHUTDOWN, SLEEP for each
 *                vcpu), and then is destroyed
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/sched.h"
#include "xensim/workload/tell.h"

#define SCHEDOP_SHUTDOWN    2
#define SHUTDOWN_POWEROFF   0
#define VCPUOP_UP           1
#define EVTCHN_SEND         4
#define __HYPERVISOR_domctl 36
#define BOOT_STEPS          640     /* for each vcpu */
#define RETRY_NS            MS(1)
#define NEVER               UINT64_MAX

/* ---- plans ------------------------------------------------------------ */

static uint64_t at_or_never(uint64_t ns)
{
    return ns ?: NEVER;
}

static uint64_t start_of(const struct sim_dom *d)
{
    return d->order->start + d->copy * d->order->stagger;
}

/* When, after the beginning, something is to be done next: ns. */
static uint64_t next_time(const struct sim_dom *d)
{
    uint64_t at;

    if ( !d->alive )
        return d->gone ? NEVER : start_of(d);
    at = d->ending ? NEVER : at_or_never(d->order->end);
    if ( !d->renamed )
        at = min(at, at_or_never(d->order->rename));
    if ( !d->repinned )
        at = min(at, at_or_never(d->order->repin));
    if ( d->weight == d->order->weight )
        at = min(at, at_or_never(d->order->reweigh));
    return min(at, d->pause_at);
}

static void plan_next(struct sim_cpu *p, struct sim_dom *d, uint64_t least)
{
    struct world *w = p->world;
    uint64_t ns = next_time(d);

    if ( ns != NEVER )
        event_at(&w->cpus[0], &d->plan,
                 max(w->start + to_cycles(w, ns), true_now(p) + least));
}

/* The toolstack's own timer or watch: it runs on dom0's first vcpu. */
static void order_task(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_dom **at = &p->world->tasks;
    struct sim_vcpu *v = &p->world->doms[0].vcpus[0];

    while ( *at && *at != d )
        at = &(*at)->next_task;
    if ( !*at )
    {
        d->next_task = NULL;
        *at = d;
    }
    if ( v->blocked && !v->work.left )
        v->work.left = 1;
    wake(p, v, BY_TIMER, NULL);
}

void life_plan(struct sim_cpu *p, struct event *e)
{
    struct sim_dom *d = container_of(e, struct sim_dom, plan);

    enter_xen(p, TIMER_VECTOR);
    order_task(p, d);
    leave_xen(p);
}

/* ---- it comes --------------------------------------------------------- */

static void name_it(struct sim_dom *d)
{
    if ( d->order->copies > 1 )
        snprintf(d->name, sizeof(d->name), "%.26s%u", d->order->name,
                 d->copy + 1);
    else
        snprintf(d->name, sizeof(d->name), "%s", d->order->name);
}

static void be_born(struct sim_cpu *p, struct sim_dom *d)
{
    struct world *w = p->world;

    d->id = w->next_id++;
    d->alive = true;
    d->weight = d->order->weight;
    d->pin = d->order->pin;
    name_it(d);
    d->pause_at = d->order->pause ? start_of(d) + d->order->pause : NEVER;
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];

        v->xen = xensim_vcpu(d->id, i);
        v->random = random_stream(w->config.seed, (uint64_t)d->id << 16 | i);
        v->since = v->left_at = v->burned_at = true_now(p);
        v->load_at = v->since;
        v->cpu = p;
    }
}

static void create(struct sim_cpu *p, struct sim_dom *d)
{
    const struct scheduler *s = p->world->scheduler;
    struct sim_vcpu *v = &d->vcpus[0];

    be_born(p, d);
    EMIT(p, trace_dom0_dom_add(d->id));
    EMIT(p, trace_sched_dom_add(d->id));
    tell_domain(p, d, "create");
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        d->vcpus[i].state = OFFLINE;
        d->vcpus[i].paused = 1;
        d->vcpus[i].work.booting = true;
        d->vcpus[i].work.steps = BOOT_STEPS;
        s->add(p, &d->vcpus[i]);
    }
    v->up = true;
    load_begin(p, v);
    unpause_vcpu(p, v, BY_UNPAUSE);
}

void life_bring_up(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_dom *d = v->dom;

    ops_of(v)->hypercall(p, v, __HYPERVISOR_vcpu_op, VCPUOP_UP, 0);
    for ( unsigned int i = 1; i < d->nr; i++ )
        if ( !d->vcpus[i].up )
        {
            d->vcpus[i].up = true;
            load_begin(p, &d->vcpus[i]);
            unpause_vcpu(p, &d->vcpus[i], BY_UP);
            return;
        }
}

/* ---- it goes ---------------------------------------------------------- */

static void pause_all(struct sim_cpu *p, struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        pause_vcpu(p, &d->vcpus[i]);
}

static void unpause_all(struct sim_cpu *p, struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        unpause_vcpu(p, &d->vcpus[i], BY_UNPAUSE);
}

bool life_ends(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_dom *d = v->dom;

    if ( !d->ending || d->shut_down || v->id )
        return false;
    ops_of(v)->hypercall(p, v, __HYPERVISOR_sched_op, SCHEDOP_SHUTDOWN, 0);
    EMIT(p, trace_sched_shutdown(d->id, v->id, SHUTDOWN_POWEROFF));
    d->shut_down = true;
    pause_all(p, d);
    order_task(p, d);
    return true;
}

static void tell_to_end(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_vcpu *me = p->runs, *v = &d->vcpus[0];

    d->ending = true;
    ops_of(me)->hypercall(p, me, __HYPERVISOR_event_channel_op, EVTCHN_SEND,
                          0);
    if ( v->blocked && !v->work.left )
        v->work.left = 1;
    wake(p, v, BY_EVENT, me);
}

/* Somebody runs it, or works for it. */
static bool is_in_use(const struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        if ( d->vcpus[i].state == RUNNING || d->vcpus[i].mail )
            return true;
    return false;
}

static void destroy(struct sim_cpu *p, struct sim_dom *d)
{
    struct world *w = p->world;

    EMIT(p, trace_dom0_dom_rem(d->id));
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        event_drop(w, &d->vcpus[i].timer);
        w->scheduler->remove(p, &d->vcpus[i]);
        tell_gone(p, &d->vcpus[i]);
    }
    EMIT(p, trace_sched_dom_rem(d->id));
    tell_domain(p, d, "destroy");
    d->alive = false;
    d->gone = true;
}

/* ---- what is due ------------------------------------------------------ */

static void pause_or_not(struct sim_cpu *p, struct sim_dom *d)
{
    const struct domain_order *o = d->order;

    if ( d->is_paused )
        unpause_all(p, d);
    else
        pause_all(p, d);
    d->is_paused = !d->is_paused;
    tell_domain(p, d, d->is_paused ? "pause" : "unpause");
    d->pause_at += d->is_paused ? o->pause_for : o->pause;
}

static void rename_it(struct sim_cpu *p, struct sim_dom *d)
{
    snprintf(d->name, sizeof(d->name), "%s", d->order->new_name);
    d->renamed = true;
    tell_domain(p, d, "rename");
}

static void reweigh(struct sim_cpu *p, struct sim_dom *d)
{
    d->weight = d->order->new_weight;
    EMIT(p, trace_sched_adjdom(d->id));
    for ( unsigned int i = 0; i < d->nr; i++ )
        p->world->scheduler->reweigh(p, &d->vcpus[i]);
    tell_domain(p, d, "reweigh");
}

/* A hypercall for each vcpu. */
static void repin(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_vcpu *me = p->runs;

    d->pin = d->order->new_pin;
    d->repinned = true;
    tell_domain(p, d, "repin");
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        if ( i )
            ops_of(me)->hypercall(p, me, __HYPERVISOR_domctl, 0, 0);
        replace(p, &d->vcpus[i]);
    }
}

/* One thing; the next one has its own time. */
static void do_next(struct sim_cpu *p, struct sim_dom *d)
{
    uint64_t now = to_ns(p->world, true_now(p) - p->world->start);

    if ( d->shut_down )
    {
        if ( !is_in_use(d) )
            destroy(p, d);
    }
    else if ( !d->alive && !d->gone && start_of(d) <= now )
        create(p, d);
    else if ( d->alive && d->pause_at <= now )
        pause_or_not(p, d);
    else if ( !d->renamed && at_or_never(d->order->rename) <= now )
        rename_it(p, d);
    else if ( d->alive && !d->repinned &&
              at_or_never(d->order->repin) <= now )
        repin(p, d);
    else if ( d->weight == d->order->weight &&
              at_or_never(d->order->reweigh) <= now )
        reweigh(p, d);
    else if ( !d->ending && !d->is_paused &&
              at_or_never(d->order->end) <= now )
        tell_to_end(p, d);
}

bool life_serve(struct sim_cpu *p)
{
    struct world *w = p->world;
    struct sim_vcpu *v = p->runs;
    struct sim_dom *d = w->tasks;

    if ( !d || v->id )
        return false;
    w->tasks = d->next_task;
    ops_of(v)->hypercall(p, v, __HYPERVISOR_domctl, 0, 0);
    do_next(p, d);
    if ( d->shut_down && d->alive )
        event_at(&w->cpus[0], &d->plan, true_now(p) + to_cycles(w, RETRY_NS));
    else
        plan_next(p, d, to_cycles(w, US(10)));
    return true;
}

/* ---- the beginning ---------------------------------------------------- */

/* It has been there for long: all its vcpus wait for something. */
static void be_there(struct sim_cpu *p, struct sim_dom *d)
{
    struct world *w = p->world;

    be_born(p, d);
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];
        uint64_t ns = random_below(&w->random, MS(5));

        v->state = BLOCKED;
        v->blocked = v->up = true;
        w->scheduler->add(p, v);
        event_at(v->cpu, &v->timer, true_now(p) + to_cycles(w, ns));
    }
}

void life_begin(struct sim_cpu *p)
{
    struct world *w = p->world;

    for ( unsigned int i = 0; i < w->nr_doms; i++ )
    {
        if ( !start_of(&w->doms[i]) )
            be_there(p, &w->doms[i]);
        plan_next(p, &w->doms[i], 0);
    }
}
