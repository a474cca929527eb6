/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happened, in the words of the truth.  All lines are written under the
 * world's lock; a handler's exits wait in their pcpu for its thread.
 */
#include "xensim/workload/tell.h"

#include <asm/hardirq.h>

static bool nobody_listens(const struct sim_cpu *p)
{
    return !p->world->truth.file;
}

static const char *const states[] = {
    "running", "runnable", "blocked", "offline",
};
static const char *const reasons[] = {
    "timer", "interrupt", "event", "unpause", "up", "repin",
};

static void who(struct truth *t, const struct sim_vcpu *v)
{
    truth_number(t, ",\"dom\":", dom_of(v));
    truth_number(t, ",\"vcpu\":", v->id);
}

static void interval(struct truth *t, const struct sim_vcpu *v, uint64_t to)
{
    truth_begin(t, "runstate");
    who(t, v);
    truth_text(t, ",\"state\":", states[v->state]);
    truth_number(t, ",\"cpu\":", v->cpu->id);
    truth_number(t, ",\"from\":", v->since);
    truth_number(t, ",\"to\":", to);
    if ( v->continued )
        truth_number(t, ",\"continued\":", v->continued);
    truth_end(t);
}

void tell_runstate(struct sim_cpu *p, const struct sim_vcpu *v)
{
    if ( !nobody_listens(p) )
        interval(&p->world->truth, v, p->stamp);
}

static void exit_begin(struct truth *t, const char *what,
                       const struct sim_vcpu *v, const struct open_exit *x)
{
    truth_begin(t, what);
    who(t, v);
    truth_number(t, ",\"cpu\":", x->cpu);
    truth_number(t, ",\"reason\":", x->reason);
    truth_text(t, ",\"name\":", x->name);
    if ( x->handler )
        truth_text(t, ",\"handler\":", x->handler);
    truth_number(t, ",\"at\":", x->at);
}

static void still(struct truth *t, const struct sim_vcpu *v)
{
    truth_begin(t, "still");
    who(t, v);
    truth_text(t, ",\"state\":", states[v->state]);
    truth_number(t, ",\"cpu\":", v->cpu->id);
    truth_number(t, ",\"from\":", v->since);
    if ( v->continued )
        truth_number(t, ",\"continued\":", v->continued);
    truth_end(t);
    if ( !v->exit.at )
        return;
    exit_begin(t, "outside", v, &v->exit);
    truth_end(t);
}

void tell_gone(struct sim_cpu *p, const struct sim_vcpu *v)
{
    if ( !nobody_listens(p) && (v->up || is_idle(v)) )
        still(&p->world->truth, v);
}

void tell_answered(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct truth *t = &p->world->truth;
    uint64_t at = v->woken_at;

    v->woken_at = 0;
    if ( nobody_listens(p) || !at )
        return;
    truth_begin(t, "wake");
    who(t, v);
    truth_number(t, ",\"at\":", at);
    truth_text(t, ",\"by\":", reasons[v->woken_by]);
    if ( v->waker )
    {
        truth_number(t, ",\"waker_dom\":", dom_of(v->waker));
        truth_number(t, ",\"waker_vcpu\":", v->waker->id);
    }
    truth_number(t, ",\"on\":", v->woken_on);
    truth_number(t, ",\"cpu\":", p->id);
    truth_number(t, ",\"latency\":", p->stamp - at);
    truth_end(t);
}

void tell_migration(struct sim_cpu *p, const struct sim_vcpu *v,
                    const struct sim_cpu *to)
{
    struct truth *t = &p->world->truth;

    if ( nobody_listens(p) )
        return;
    truth_begin(t, "migration");
    who(t, v);
    truth_number(t, ",\"from\":", v->cpu->id);
    truth_number(t, ",\"to\":", to->id);
    truth_number(t, ",\"at\":", p->stamp);
    truth_end(t);
}

/* ---- exits ------------------------------------------------------------ */

static void exit_line(struct sim_cpu *p, const struct told *x)
{
    struct truth *t = &p->world->truth;

    exit_begin(t, "exit", x->vcpu, &x->exit);
    truth_number(t, ",\"cycles\":", x->cycles);
    truth_number(t, ",\"entered\":", p->id);
    truth_end(t);
}

/* Handlers nest, so whoever finds a place has it filled before it is read. */
static void leave_to_thread(struct sim_cpu *p, const struct told *x)
{
    uint32_t place = __atomic_fetch_add(&p->nr_told, 1, __ATOMIC_RELAXED);

    if ( place < TOLD_MAX )
        p->told[place] = *x;
}

void tell_exit(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct told x = {
        .exit = v->exit, .cycles = p->stamp - v->exit.at, .vcpu = v,
    };

    v->exit.at = 0;
    if ( nobody_listens(p) || !x.exit.at )
        return;
    if ( !p->world->config.virtual_time && (in_irq() || in_nmi_handler()) )
        leave_to_thread(p, &x);
    else
        exit_line(p, &x);
}

void tell_told(struct sim_cpu *p)
{
    uint32_t nr;

    /* One that comes in between takes the place behind those that we tell. */
    for ( uint32_t i = 0; ; )
    {
        nr = min(__atomic_load_n(&p->nr_told, __ATOMIC_RELAXED),
                 (uint32_t)TOLD_MAX);
        for ( ; i < nr; i++ )
            exit_line(p, &p->told[i]);
        nr = __atomic_load_n(&p->nr_told, __ATOMIC_RELAXED);
        if ( (nr == i || i == TOLD_MAX) &&
             __atomic_compare_exchange_n(&p->nr_told, &nr, 0, false,
                                         __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED) )
        {
            p->untold += nr - i;
            return;
        }
    }
}

/* ---- the machine ------------------------------------------------------ */

void tell_domain(struct sim_cpu *p, const struct sim_dom *d,
                 const char *event)
{
    struct truth *t = &p->world->truth;

    if ( nobody_listens(p) )
        return;
    truth_begin(t, "domain");
    truth_number(t, ",\"dom\":", d->id);
    truth_text(t, ",\"event\":", event);
    truth_text(t, ",\"name\":", d->name);
    if ( d->pin.first <= d->pin.last )
    {
        truth_number(t, ",\"first\":", d->pin.first);
        truth_number(t, ",\"last\":", d->pin.last);
    }
    truth_number(t, ",\"at\":", true_now(p));
    truth_end(t);
}

void tell_cpu(struct sim_cpu *p, const char *event)
{
    struct truth *t = &p->world->truth;

    if ( nobody_listens(p) )
        return;
    truth_begin(t, "cpu");
    truth_number(t, ",\"cpu\":", p->id);
    truth_text(t, ",\"event\":", event);
    truth_number(t, ",\"at\":", true_now(p));
    truth_end(t);
}

void tell_clock(struct sim_cpu *p)
{
    struct truth *t = &p->world->truth;

    if ( nobody_listens(p) )
        return;
    truth_begin(t, "clock");
    truth_number(t, ",\"cpu\":", p->id);
    truth_signed(t, ",\"offset\":", p->clock.offset);
    truth_signed(t, ",\"ppb\":", p->clock.drift);
    truth_number(t, ",\"at\":", true_now(p));
    truth_end(t);
}

static void tell_machine(struct world *w)
{
    const struct workload_config *c = &w->config;
    struct truth *t = &w->truth;

    truth_begin(t, "machine");
    truth_number(t, ",\"version\":", 1);
    truth_number(t, ",\"khz\":", w->khz);
    truth_number(t, ",\"cpus\":", c->cpus);
    truth_number(t, ",\"seed\":", c->seed);
    truth_text(t, ",\"clock\":", c->virtual_time ? "virtual" : "real");
    truth_text(t, ",\"scheduler\":",
               c->scheduler == SIM_NULL ? "null" : "credit2");
    truth_text(t, ",\"vendor\":", c->vendor == SIM_AMD ? "amd" : "intel");
    truth_text(t, ",\"layout\":", c->layout == SIM_MASTER ? "master" : "4.17");
    truth_number(t, ",\"at\":", w->start);
    truth_end(t);
}

void tell_begin(struct world *w)
{
    if ( !w->truth.file )
        return;
    tell_machine(w);
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
        if ( w->cpus[cpu].clock.offset || w->cpus[cpu].clock.drift )
            tell_clock(&w->cpus[cpu]);
}

/* ---- the end ---------------------------------------------------------- */

static void tell_books(struct truth *t, const struct sim_cpu *p)
{
    truth_begin(t, "books");
    truth_number(t, ",\"cpu\":", p->id);
    truth_number(t, ",\"emitted\":", p->emitted);
    truth_number(t, ",\"unsure\":", p->unsure);
    truth_number(t, ",\"lost\":", p->lost);
    truth_number(t, ",\"untold\":", p->untold);
    truth_end(t);
}

void tell_end(struct world *w)
{
    struct truth *t = &w->truth;

    if ( !t->file )
        return;
    for ( unsigned int i = 0; i < w->nr_doms; i++ )
        for ( unsigned int k = 0; w->doms[i].alive && k < w->doms[i].nr; k++ )
            if ( w->doms[i].vcpus[k].up )
                still(t, &w->doms[i].vcpus[k]);
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
    {
        tell_told(&w->cpus[cpu]);
        if ( w->cpus[cpu].online )
            still(t, &w->cpus[cpu].idle);
        tell_books(t, &w->cpus[cpu]);
    }
    truth_flush(t);
}
