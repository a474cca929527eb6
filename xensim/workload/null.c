/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduler in the manner of null: each vcpu has a pcpu of its own, for as
 * long as there are enough.  Those for whom there is none wait, without
 * running, until one becomes free.
 */
#include "xensim/workload/sched.h"

#include "xensim/workload/emit.h"

/* The first one without a vcpu. */
static struct sim_cpu *find_free(const struct world *w,
                                 const struct sim_vcpu *v)
{
    for ( unsigned int i = 0; i < w->config.cpus; i++ )
        if ( w->cpus[i].online && !w->cpus[i].assigned && may_run_on(v, i) )
            return &w->cpus[i];
    return NULL;
}

static void assign(struct sim_cpu *p, struct sim_vcpu *v, struct sim_cpu *to)
{
    to->assigned = v;
    v->runq = to->runq;
    moved(p, v, to);
    EMIT(p, trace_snull_unit_assign(v->id, dom_of(v), to->id));
}

static void null_add(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *to = find_free(p->world, v);

    EMIT(p, trace_snull_picked_cpu(v->id, dom_of(v), (to ?: v->cpu)->id));
    v->runq = v->cpu->runq;
    if ( to )
        assign(p, v, to);
}

/* Somebody who waits for a pcpu. */
static struct sim_vcpu *somebody(const struct world *w, unsigned int cpu)
{
    for ( unsigned int i = 0; i < w->nr_doms; i++ )
        for ( unsigned int k = 0; w->doms[i].alive && k < w->doms[i].nr; k++ )
        {
            struct sim_vcpu *v = &w->doms[i].vcpus[k];

            if ( v->cpu->assigned != v && may_run_on(v, cpu) )
                return v;
        }
    return NULL;
}

/* Its pcpu is free for somebody else. */
static void deassign(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *from = v->cpu;

    from->assigned = NULL;
    EMIT(p, trace_snull_unit_deassign(v->id, dom_of(v), from->id));
}

static void give_away(struct sim_cpu *p, struct sim_cpu *c)
{
    struct sim_vcpu *v = c->online ? somebody(p->world, c->id) : NULL;

    if ( !v )
        return;
    EMIT(p, trace_snull_migrate(v->id, dom_of(v), v->cpu->id, c->id));
    assign(p, v, c);
    ask_to_schedule(p, c);
}

static void null_remove(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *c = v->cpu;

    if ( c->assigned != v )
        return;
    deassign(p, v);
    give_away(p, c);
}

static void null_replace(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *from = v->cpu, *to = find_free(p->world, v);
    bool had = from->assigned == v;

    if ( had && may_run_on(v, from->id) )
        to = from;
    EMIT(p, trace_snull_picked_cpu(v->id, dom_of(v), (to ?: from)->id));
    if ( had && to == from )
        return;
    if ( had )
        deassign(p, v);
    if ( to )
    {
        EMIT(p, trace_snull_migrate(v->id, dom_of(v), from->id, to->id));
        assign(p, v, to);
    }
    if ( had )
        give_away(p, from);
}

static void null_wake(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->cpu->assigned == v )
        ask_to_schedule(p, v->cpu);
}

static void null_nothing(struct sim_cpu *p, struct sim_vcpu *v)
{
    (void)p;
    (void)v;
}

static struct sim_vcpu *null_pick(struct sim_cpu *p, int64_t *slice)
{
    struct sim_vcpu *v = p->assigned;
    bool runs = v && p->online && is_runnable(v);

    p->tickled = false;
    p->runs->yielding = false;
    EMIT(p, trace_snull_schedule(false, p->id, runs ? (int)v->id : -1,
                                 runs ? dom_of(v) : -1));
    *slice = -1;
    return runs ? v : &p->idle;
}

/* Whose pcpu goes takes another one, if there is one. */
static void null_leave(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->assigned;
    struct sim_cpu *to;

    if ( !v )
        return;
    deassign(p, v);
    to = find_free(p->world, v);
    if ( !to )
        return;
    EMIT(p, trace_snull_migrate(v->id, dom_of(v), p->id, to->id));
    assign(p, v, to);
    if ( v->state == RUNNABLE )
        ask_to_schedule(p, to);
}

static void null_arrive(struct sim_cpu *p)
{
    give_away(p, p);
}

const struct scheduler *sched_null(void)
{
    static const struct scheduler table = {
        .queues_shared = false,
        .add = null_add,
        .remove = null_remove,
        .reweigh = null_nothing,
        .replace = null_replace,
        .wake = null_wake,
        .sleep = null_nothing,
        .pick = null_pick,
        .saved = null_nothing,
        .leave = null_leave,
        .arrive = null_arrive,
    };

    return &table;
}
