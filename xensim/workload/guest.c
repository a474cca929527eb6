/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry to and exit from Xen, C-states of idle pcpus, and the pace of guests.
 *
 * The pace: a computing vcpu causes `rate` records per second by its own
 * operations; records of scheduling come on top. Operations of a sequence
 * follow each other quickly. The mean number of records per sequence is
 * measured, and the gap between sequences computed from the mean; without a
 * rate the gap is minimal.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/trace-emit.h"

#define SHORTEST_GAP 480        /* cycles of guest code between two exits */
#define WITHIN_NS US(8)         /* between two operations */
#define MOST_LATE_NS US(4000)   /* limit of p->late */
#define STORM_GAP_NS US(10)     /* between two exits of a storm, or for PAUSE */

/* ---- idle ------------------------------------------------------------- */

/* A longer predicted idle time gives a deeper C-state. */
static unsigned int cstate_for(uint32_t us)
{
    return us < 20 ? 1 : us < 300 ? 2 : 3;
}

/* The counter of the ACPI timer, at 3.58 MHz. */
static uint32_t pm_timer(const struct sim_cpu *p)
{
    return to_ns(p->sim, true_now(p)) * 3579 / 1000000;
}

static void enter_cstate(struct sim_cpu *p)
{
    ASSERT(!p->asleep && is_idle(p->runs));
    if ( !p->sim->config.cstates )
        return;
    p->cstate = cstate_for(p->predicted_us);
    p->asleep = true;
    EMIT(p, trace_pm_idle_entry(p->cstate, pm_timer(p), 2 * p->predicted_us,
                                p->predicted_us));
    p->slept_at = p->stamp;
    truth_begin_span(p, &p->sleeps);
}

/* The next idle time is predicted from this one and the earlier ones. */
static void exit_cstate(struct sim_cpu *p, unsigned int vector)
{
    uint32_t us = min(ns_since(p, p->slept_at) / 1000, (uint64_t)1000000);

    ASSERT(p->asleep && is_idle(p->runs));
    p->asleep = false;
    p->now += to_cycles(p->sim, p->sim->config.cstate_exit);
    p->predicted_us = (3 * p->predicted_us + us) / 4;
    EMIT(p, trace_pm_idle_exit(p->cstate, pm_timer(p), vector, 0, 0, 0));
    truth_end_span(p, &p->sleeps);
}

/* The frequency governor's choice, from the load of the pcpu. */
void update_frequency(struct sim_cpu *p)
{
    uint32_t mhz = is_idle(p->runs) ? 1200 : p->predicted_us < 100 ? 3000
        : 2400;

    if ( !p->sim->config.cstates || mhz == p->mhz )
        return;
    EMIT(p, trace_pm_freq_change(p->mhz, mhz));
    p->mhz = mhz;
}

/* ---- entry and exit --------------------------------------------------- */

void enter_xen(struct sim_cpu *p, unsigned int vector)
{
    account_work(p, p->runs);
    if ( p->asleep )
        exit_cstate(p, vector);
    if ( p->in_guest )
        hvm_exit_for_interrupt(p, vector);
}

static bool has_more_ops(const struct work *k)
{
    return k->sequence && k->next_op < SEQUENCE_MAX &&
        k->sequence->ops[k->next_op];
}

bool guest_has_exit_storm(const struct sim_cpu *p, const struct sim_vcpu *v)
{
    const struct dom_config *o;
    uint64_t ns;

    if ( is_idle(v) || v->id || !v->dom->config->exit_storm )
        return false;
    o = v->dom->config;
    ns = to_ns(p->sim, true_now(p) - p->sim->start);
    return ns >= o->exit_storm && ns - o->exit_storm < o->exit_storm_for;
}

/* Any vcpu of the domain that waits for a pcpu holds a lock. */
bool guest_spins(const struct sim_vcpu *v)
{
    if ( is_idle(v) || !v->dom->config->spins )
        return false;
    for ( unsigned int i = 0; i < v->dom->nr; i++ )
        if ( &v->dom->vcpus[i] != v && v->dom->vcpus[i].up &&
             v->dom->vcpus[i].state == RUNNABLE )
            return true;
    return false;
}

static uint64_t next_gap(struct sim_cpu *p)
{
    struct sim *s = p->sim;
    uint64_t each, within;

    if ( guest_has_exit_storm(p, p->runs) || guest_spins(p->runs) )
        return random_around(&p->random, to_cycles(s, STORM_GAP_NS));
    if ( !s->config.rate )
        return random_around(&p->random, SHORTEST_GAP);
    each = s->khz * 1000 / s->config.rate;
    within = min(to_cycles(s, WITHIN_NS), each / 2);
    if ( !has_more_ops(&p->runs->work) )
        within = (each - within) * p->mean_records / SEQUENCE_UNIT;
    return max(random_gap(&p->random, within), (uint64_t)SHORTEST_GAP);
}

/* In real time a step may be late: then the next gaps are shorter. */
static void plan_step(struct sim_cpu *p)
{
    uint64_t cycles = min(next_gap(p), p->runs->work.left);
    uint64_t sooner = min(p->late, cycles);

    ASSERT(!is_idle(p->runs));
    p->late -= sooner;
    event_at(p, &p->step, true_now(p) + cycles - sooner);
}

void leave_xen(struct sim_cpu *p)
{
    while ( p->need_resched )
        pcpu_schedule(p);

    if ( is_idle(p->runs) )
    {
        event_drop(p->sim, &p->step);
        enter_cstate(p);
        return;
    }
    if ( is_hvm(p->runs) )
        hvm_enter(p);
    plan_step(p);
}

/* ---- steps ------------------------------------------------------------ */

static void finish_boot(struct sim_cpu *p, struct sim_vcpu *v)
{
    v->work.booting = false;
    load_begin(p, v);
}

static void boot_step(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(v->work.booting);
    if ( !v->work.steps-- )
    {
        finish_boot(p, v);
        return;
    }
    if ( v->work.steps % 64 == 63 && !v->id )
        lifecycle_bring_up_vcpu(p, v);
    else
        guest_ops_of(v)->boot(p, v);
}

static void wait_for_next(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t ns;

    ASSERT(!v->work.left);
    if ( load_does_io(v) && !v->request )
    {
        request_send(p, v, REQUEST_IO);
        return;
    }
    if ( !load_does_io(v) )
    {
        ns = load_wait(p, v);
        if ( v->dom->config->apic_timer )
            apic_timer_start(p, v, ns);
        else
            event_at(v->cpu, &v->timer, true_now(p) + to_cycles(p->sim, ns));
    }
    guest_ops_of(v)->wait(p, v);
}

/* ---- operations of guests --------------------------------------------- */

static const struct op_sequence *
choose_sequence(struct sim_vcpu *v, const struct op_sequence *sequences,
                size_t nr)
{
    bool tsc = v->dom->config->emulated_tsc;
    uint32_t total = 0, pick;
    size_t i;

    for ( i = 0; i < nr; i++ )
        total += sequence_weight(&sequences[i], v, tsc);
    pick = random_below(&v->random, total);
    for ( i = 0; pick >= sequence_weight(&sequences[i], v, tsc); i++ )
        pick -= sequence_weight(&sequences[i], v, tsc);
    return &sequences[i];
}

void guest_run_op(struct sim_cpu *p, struct sim_vcpu *v,
                  const struct op_sequence *sequences, size_t nr)
{
    struct work *k = &v->work;
    uint64_t before;

    if ( !has_more_ops(k) )
    {
        if ( k->sequence )
            p->mean_records += ((int64_t)k->nr_records * SEQUENCE_UNIT -
                                p->mean_records) / 64;
        k->nr_records = 0;
        k->sequence = choose_sequence(v, sequences, nr);
        k->next_op = 0;
    }
    before = p->attempted;
    k->sequence->ops[k->next_op++](p, v);
    /* Count the VM entry, which follows. */
    k->nr_records += p->attempted - before + is_hvm(v);
}

void guest_step(struct sim_cpu *p, struct event *e)
{
    struct sim_vcpu *v = p->runs;

    ASSERT(!is_idle(v) && !p->in_guest == !is_hvm(v));
    p->late = min(p->late + true_now(p) - e->at,
                  to_cycles(p->sim, MOST_LATE_NS));
    account_work(p, v);
    if ( v->dom->id == 0 && (request_serve(p, v) || lifecycle_serve(p)) )
        ;
    else if ( lifecycle_shut_down(p, v) )
        ;
    else if ( v->work.booting )
        boot_step(p, v);
    else if ( v->work.left )
        guest_ops_of(v)->act(p, v);
    else
        wait_for_next(p, v);
    leave_xen(p);
}

void guest_timer(struct sim_cpu *p, struct event *e)
{
    struct sim_vcpu *v = container_of(e, struct sim_vcpu, timer);

    ASSERT(!is_idle(v) && v->cpu == p);
    enter_xen(p, TIMER_VECTOR);
    if ( v->apic_due )
        apic_timer_fire(v);
    if ( v->blocked )
        load_begin(p, v);
    vcpu_wake(p, v, BY_TIMER, NULL);
    leave_xen(p);
}
