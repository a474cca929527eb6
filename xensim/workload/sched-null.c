/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of the null scheduler: each vcpu has a pcpu of its own. A vcpu
 * without one waits until a pcpu becomes free.
 */
#include "xensim/workload/scheduler.h"

#include "xensim/workload/trace-emit.h"

/* The first pcpu without a vcpu. */
static struct sim_cpu *find_unassigned(const struct sim *s,
                                       const struct sim_vcpu *v)
{
    for ( unsigned int i = 0; i < s->config.cpus; i++ )
        if ( s->cpus[i].online && !s->cpus[i].assigned && may_run_on(v, i) )
            return &s->cpus[i];
    return NULL;
}

static void assign_pcpu(struct sim_cpu *p, struct sim_vcpu *v,
                        struct sim_cpu *to)
{
    ASSERT(!to->assigned && may_run_on(v, to->id));
    to->assigned = v;
    v->runq = to->runq;
    vcpu_set_cpu(p, v, to);
    EMIT(p, trace_snull_unit_assign(v->id, dom_of(v), to->id));
}

static void null_add(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *to = find_unassigned(p->sim, v);

    EMIT(p, trace_snull_picked_cpu(v->id, dom_of(v), (to ?: v->cpu)->id));
    v->runq = v->cpu->runq;
    if ( to )
        assign_pcpu(p, v, to);
}

/* A vcpu that waits for a pcpu. */
static struct sim_vcpu *find_waiting(const struct sim *s, unsigned int cpu)
{
    for ( unsigned int i = 0; i < s->nr_doms; i++ )
        for ( unsigned int k = 0; s->doms[i].alive && k < s->doms[i].nr; k++ )
        {
            struct sim_vcpu *v = &s->doms[i].vcpus[k];

            if ( v->cpu->assigned != v && may_run_on(v, cpu) )
                return v;
        }
    return NULL;
}

/* Free the vcpu's pcpu. */
static void release_pcpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *from = v->cpu;

    ASSERT(from->assigned == v);
    from->assigned = NULL;
    EMIT(p, trace_snull_unit_deassign(v->id, dom_of(v), from->id));
}

static void offer_pcpu(struct sim_cpu *p, struct sim_cpu *c)
{
    struct sim_vcpu *v = c->online ? find_waiting(p->sim, c->id) : NULL;

    ASSERT(!c->assigned);
    if ( !v )
        return;
    EMIT(p, trace_snull_migrate(v->id, dom_of(v), v->cpu->id, c->id));
    assign_pcpu(p, v, c);
    request_schedule(p, c);
}

static void null_remove(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *c = v->cpu;

    if ( c->assigned != v )
        return;
    release_pcpu(p, v);
    offer_pcpu(p, c);
}

static void null_choose_cpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim_cpu *from = v->cpu, *to = find_unassigned(p->sim, v);
    bool had = from->assigned == v;

    if ( had && may_run_on(v, from->id) )
        to = from;
    EMIT(p, trace_snull_picked_cpu(v->id, dom_of(v), (to ?: from)->id));
    if ( had && to == from )
        return;
    if ( had )
        release_pcpu(p, v);
    if ( to )
    {
        EMIT(p, trace_snull_migrate(v->id, dom_of(v), from->id, to->id));
        assign_pcpu(p, v, to);
    }
    if ( had )
        offer_pcpu(p, from);
}

static void null_wake(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( v->cpu->assigned == v )
        request_schedule(p, v->cpu);
}

static void null_ignore(struct sim_cpu *p, struct sim_vcpu *v)
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

/* The vcpu of a pcpu that goes offline takes a free pcpu, if there is one. */
static void null_leave(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->assigned;
    struct sim_cpu *to;

    if ( !v )
        return;
    release_pcpu(p, v);
    to = find_unassigned(p->sim, v);
    if ( !to )
        return;
    EMIT(p, trace_snull_migrate(v->id, dom_of(v), p->id, to->id));
    assign_pcpu(p, v, to);
    if ( v->state == RUNNABLE )
        request_schedule(p, to);
}

static void null_arrive(struct sim_cpu *p)
{
    offer_pcpu(p, p);
}

const struct scheduler *sched_null(void)
{
    static const struct scheduler table = {
        .queues_shared = false,
        .add = null_add,
        .remove = null_remove,
        .reweigh = null_ignore,
        .choose_cpu = null_choose_cpu,
        .wake = null_wake,
        .sleep = null_ignore,
        .pick = null_pick,
        .context_saved = null_ignore,
        .leave = null_leave,
        .arrive = null_arrive,
    };

    return &table;
}
