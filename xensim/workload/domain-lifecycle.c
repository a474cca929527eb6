/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lifecycle of domains. A domain's configuration has a few times; at each, the
 * toolstack in dom0 is woken and acts:
 *
 *     create     DOM_ADD, DOM0_DOM_ADD, vcpus get their pcpus; the guest boots
 *     rename     by the toolstack only: Xen knows no names
 *     reweigh    ADJDOM
 *     repin      each vcpu moves to a permitted pcpu
 *     pause      SLEEP for each vcpu; later WAKE
 *     end        the guest is told, shuts down (SHUTDOWN, SLEEP for each
 *                vcpu), and then is destroyed
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/trace-emit.h"

#define SCHEDOP_SHUTDOWN    2
#define SHUTDOWN_POWEROFF   0
#define VCPUOP_UP           1
#define EVTCHN_SEND         4
#define __HYPERVISOR_domctl 36
#define BOOT_STEPS          640     /* per vcpu */
#define RETRY_NS            MS(1)
#define NEVER               UINT64_MAX

/* ---- plans ------------------------------------------------------------ */

static uint64_t at_or_never(uint64_t ns)
{
    return ns ?: NEVER;
}

static uint64_t start_of(const struct sim_dom *d)
{
    return d->config->start + d->copy * d->config->stagger;
}

/* The time of the domain's next action, in ns since the start. */
static uint64_t next_time(const struct sim_dom *d)
{
    uint64_t at;

    if ( !d->alive )
        return d->gone ? NEVER : start_of(d);
    at = d->ending ? NEVER : at_or_never(d->config->end);
    if ( !d->renamed )
        at = min(at, at_or_never(d->config->rename));
    if ( !d->repinned )
        at = min(at, at_or_never(d->config->repin));
    if ( d->weight == d->config->weight )
        at = min(at, at_or_never(d->config->reweigh));
    return min(at, d->pause_at);
}

static void plan_next(struct sim_cpu *p, struct sim_dom *d, uint64_t least)
{
    struct sim *s = p->sim;
    uint64_t ns = next_time(d);

    if ( ns != NEVER )
        event_at(&s->cpus[0], &d->plan,
                 max(s->start + to_cycles(s, ns), true_now(p) + least));
}

/* Queue a task of the toolstack, which runs on dom0's first vcpu. */
static void queue_task(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_dom **at = &p->sim->tasks;
    struct sim_vcpu *v = &p->sim->doms[0].vcpus[0];

    while ( *at && *at != d )
        at = &(*at)->next_task;
    if ( !*at )
    {
        d->next_task = NULL;
        *at = d;
    }
    if ( v->blocked && !v->work.left )
        v->work.left = 1;
    vcpu_wake(p, v, BY_TIMER, NULL);
}

void lifecycle_run_plan(struct sim_cpu *p, struct event *e)
{
    struct sim_dom *d = container_of(e, struct sim_dom, plan);

    enter_xen(p, TIMER_VECTOR);
    queue_task(p, d);
    leave_xen(p);
}

/* ---- creation --------------------------------------------------------- */

static void set_initial_name(struct sim_dom *d)
{
    if ( d->config->copies > 1 )
        snprintf(d->name, sizeof(d->name), "%.26s%u", d->config->name,
                 d->copy + 1);
    else
        snprintf(d->name, sizeof(d->name), "%s", d->config->name);
}

static void init_domain(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim *s = p->sim;

    ASSERT(!d->alive && !d->gone);
    d->id = s->next_id++;
    d->alive = true;
    d->weight = d->config->weight;
    d->pin = d->config->pin;
    set_initial_name(d);
    d->pause_at = d->config->pause ? start_of(d) + d->config->pause : NEVER;
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];

        v->xen = xensim_vcpu(d->id, i);
        v->random = random_stream(s->config.seed, (uint64_t)d->id << 16 | i);
        v->since = v->left_at = v->burned_at = true_now(p);
        v->load_at = v->since;
        v->cpu = p;
    }
}

static void create_domain(struct sim_cpu *p, struct sim_dom *d)
{
    const struct scheduler *scheduler = p->sim->scheduler;
    struct sim_vcpu *v = &d->vcpus[0];

    init_domain(p, d);
    EMIT(p, trace_dom0_dom_add(d->id));
    EMIT(p, trace_sched_dom_add(d->id));
    truth_log_domain(p, d, "create");
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        d->vcpus[i].state = OFFLINE;
        d->vcpus[i].paused = 1;
        d->vcpus[i].work.booting = true;
        d->vcpus[i].work.steps = BOOT_STEPS;
        scheduler->add(p, &d->vcpus[i]);
    }
    v->up = true;
    load_begin(p, v);
    vcpu_unpause(p, v, BY_UNPAUSE);
}

void lifecycle_bring_up_vcpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_dom *d = v->dom;

    ASSERT(v->id == 0 && v == p->runs);
    guest_ops_of(v)->hypercall(p, v, __HYPERVISOR_vcpu_op, VCPUOP_UP, 0);
    for ( unsigned int i = 1; i < d->nr; i++ )
        if ( !d->vcpus[i].up )
        {
            d->vcpus[i].up = true;
            load_begin(p, &d->vcpus[i]);
            vcpu_unpause(p, &d->vcpus[i], BY_UP);
            return;
        }
}

/* ---- end -------------------------------------------------------------- */

static void pause_all(struct sim_cpu *p, struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        vcpu_pause(p, &d->vcpus[i]);
}

static void unpause_all(struct sim_cpu *p, struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        vcpu_unpause(p, &d->vcpus[i], BY_UNPAUSE);
}

bool lifecycle_shut_down(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_dom *d = v->dom;

    if ( !d->ending || d->shut_down || v->id )
        return false;
    guest_ops_of(v)->hypercall(p, v, __HYPERVISOR_sched_op, SCHEDOP_SHUTDOWN,
                               0);
    EMIT(p, trace_sched_shutdown(d->id, v->id, SHUTDOWN_POWEROFF));
    d->shut_down = true;
    pause_all(p, d);
    queue_task(p, d);
    return true;
}

static void request_shutdown(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_vcpu *me = p->runs, *v = &d->vcpus[0];

    ASSERT(!d->ending && dom_of(me) == 0);
    d->ending = true;
    guest_ops_of(me)->hypercall(p, me, __HYPERVISOR_event_channel_op,
                                EVTCHN_SEND, 0);
    if ( v->blocked && !v->work.left )
        v->work.left = 1;
    vcpu_wake(p, v, BY_EVENT, me);
}

/* Return true if a vcpu runs or waits for its I/O. */
static bool is_in_use(const struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
        if ( d->vcpus[i].state == RUNNING || d->vcpus[i].request )
            return true;
    return false;
}

static void destroy_domain(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim *s = p->sim;

    ASSERT(d->shut_down && d->alive);
    EMIT(p, trace_dom0_dom_rem(d->id));
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        event_drop(s, &d->vcpus[i].timer);
        s->scheduler->remove(p, &d->vcpus[i]);
        truth_log_last_state(p, &d->vcpus[i]);
    }
    EMIT(p, trace_sched_dom_rem(d->id));
    truth_log_domain(p, d, "destroy");
    /* A pause may be planned. */
    event_drop(s, &d->plan);
    d->alive = false;
    d->gone = true;
}

/* ---- actions ---------------------------------------------------------- */

static void toggle_pause(struct sim_cpu *p, struct sim_dom *d)
{
    const struct dom_config *o = d->config;

    ASSERT(d->alive);
    if ( d->is_paused )
        unpause_all(p, d);
    else
        pause_all(p, d);
    d->is_paused = !d->is_paused;
    truth_log_domain(p, d, d->is_paused ? "pause" : "unpause");
    d->pause_at += d->is_paused ? o->pause_for : o->pause;
}

static void rename_domain(struct sim_cpu *p, struct sim_dom *d)
{
    ASSERT(!d->renamed && d->config->new_name[0]);
    snprintf(d->name, sizeof(d->name), "%s", d->config->new_name);
    d->renamed = true;
    truth_log_domain(p, d, "rename");
}

static void reweigh_domain(struct sim_cpu *p, struct sim_dom *d)
{
    ASSERT(d->config->new_weight);
    d->weight = d->config->new_weight;
    EMIT(p, trace_sched_adjdom(d->id));
    for ( unsigned int i = 0; i < d->nr; i++ )
        p->sim->scheduler->reweigh(p, &d->vcpus[i]);
    truth_log_domain(p, d, "reweigh");
}

/* Move the vcpus; a hypercall each. */
static void repin_domain(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim_vcpu *me = p->runs;

    ASSERT(!d->repinned && dom_of(me) == 0);
    d->pin = d->config->new_pin;
    d->repinned = true;
    truth_log_domain(p, d, "repin");
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        if ( i )
            guest_ops_of(me)->hypercall(p, me, __HYPERVISOR_domctl, 0, 0);
        vcpu_repin(p, &d->vcpus[i]);
    }
}

/* Do one action; the next one has its own time. */
static void do_next_action(struct sim_cpu *p, struct sim_dom *d)
{
    uint64_t now = to_ns(p->sim, true_now(p) - p->sim->start);

    if ( d->shut_down )
    {
        if ( !is_in_use(d) )
            destroy_domain(p, d);
    }
    else if ( !d->alive && !d->gone && start_of(d) <= now )
        create_domain(p, d);
    else if ( d->alive && d->pause_at <= now )
        toggle_pause(p, d);
    else if ( !d->renamed && at_or_never(d->config->rename) <= now )
        rename_domain(p, d);
    else if ( d->alive && !d->repinned &&
              at_or_never(d->config->repin) <= now )
        repin_domain(p, d);
    else if ( d->weight == d->config->weight &&
              at_or_never(d->config->reweigh) <= now )
        reweigh_domain(p, d);
    else if ( !d->ending && !d->is_paused &&
              at_or_never(d->config->end) <= now )
        request_shutdown(p, d);
}

bool lifecycle_serve(struct sim_cpu *p)
{
    struct sim *s = p->sim;
    struct sim_vcpu *v = p->runs;
    struct sim_dom *d = s->tasks;

    ASSERT(dom_of(v) == 0);
    if ( !d || v->id )
        return false;
    s->tasks = d->next_task;
    guest_ops_of(v)->hypercall(p, v, __HYPERVISOR_domctl, 0, 0);
    do_next_action(p, d);
    if ( d->shut_down && d->alive )
        event_at(&s->cpus[0], &d->plan, true_now(p) + to_cycles(s, RETRY_NS));
    else
        plan_next(p, d, to_cycles(s, US(10)));
    return true;
}

/* ---- start ------------------------------------------------------------ */

/* A domain present from the start: all its vcpus are blocked. */
static void place_at_start(struct sim_cpu *p, struct sim_dom *d)
{
    struct sim *s = p->sim;

    init_domain(p, d);
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];
        uint64_t ns = random_below(&s->random, MS(5));

        v->state = BLOCKED;
        v->blocked = v->up = true;
        s->scheduler->add(p, v);
        event_at(v->cpu, &v->timer, true_now(p) + to_cycles(s, ns));
    }
}

void lifecycle_begin(struct sim_cpu *p)
{
    struct sim *s = p->sim;

    for ( unsigned int i = 0; i < s->nr_doms && !sim_is_stopped(s); i++ )
    {
        if ( !start_of(&s->doms[i]) )
            place_at_start(p, &s->doms[i]);
        plan_next(p, &s->doms[i], 0);
    }
}
