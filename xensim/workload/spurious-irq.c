/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spurious interrupts, and NMIs.
 *
 * In real time they are signals and arrive at any instruction of the pcpu,
 * also inside of a trace point: their purpose. In virtual time they are
 * events, and a storm is a burst of nested interrupts.
 */
#include "xensim/workload/workload-private.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/guest.h"
#include "xensim/workload/trace-emit.h"

#include <asm/hardirq.h>

#define SPURIOUS_VECTOR 0xef
#define HANDLER_CYCLES  2000
#define STORM_DEPTH     4

static struct sim_cpu *handler_cpu(void *workload)
{
    return &sim_of(workload)->cpus[smp_processor_id()];
}

/* ---- real time: any context ------------------------------------------- */

void spurious_irq(void *workload)
{
    struct sim_cpu *p = handler_cpu(workload);
    uint64_t stamp = p->stamp;
    uint32_t in = get_cycles();
    bool in_guest = p->in_guest;

    ASSERT(in_irq());
    if ( in_guest )
        hvm_exit_for_interrupt(p, DEVICE_VECTOR);
    EMIT(p, trace_hw_irq_handled(DEVICE_IRQ +
                                 random_below(&p->irq_random, 4), in,
                                 (uint32_t)get_cycles()));
    if ( in_guest )
        hvm_enter(p);
    __atomic_add_fetch(&p->interrupts, 1, __ATOMIC_RELAXED);
    p->stamp = stamp;
}

/*
 * Real Xen leaves no record of an NMI; here one leaves a record of a stray
 * vector.
 */
void spurious_nmi(void *workload)
{
    struct sim_cpu *p = handler_cpu(workload);
    uint64_t stamp = p->stamp;

    ASSERT(in_nmi_handler());
    if ( p->in_guest )
    {
        hvm_exit_for_nmi(p);
        hvm_enter(p);
    }
    else
        EMIT(p, trace_hw_irq_unmapped_vector(SPURIOUS_VECTOR));
    __atomic_add_fetch(&p->nmis, 1, __ATOMIC_RELAXED);
    p->stamp = stamp;
}

/* ---- virtual time ----------------------------------------------------- */

static uint64_t mean_gap(const struct sim *s, uint64_t rate)
{
    ASSERT(rate);
    return s->khz * 1000 / rate;
}

static void handle_nested(void *depth);

/* Run a handler; in its middle interrupts are on, and others nest. */
static void handle_irq(struct sim_cpu *p, unsigned int depth)
{
    unsigned int irq = DEVICE_IRQ;
    uint64_t from = p->now;
    uint32_t in = skewed_clock_read(&p->clock, from);

    ASSERT(!local_irq_is_enabled() && depth <= STORM_DEPTH);
    p->now += random_around(&p->irq_random, HANDLER_CYCLES);
    if ( depth )
    {
        local_irq_enable();
        xensim_interrupt(XENSIM_IRQ, handle_nested, &depth);
        local_irq_disable();
    }
    p->now += random_around(&p->irq_random, HANDLER_CYCLES);
    emit_begin(p);
    irq += random_below(&p->irq_random, 4);
    trace_hw_irq_handled(irq, in, skewed_clock_read(&p->clock, p->now));
    emit_end(p);
    truth_log_interrupt(p, irq, from, NULL);
    p->interrupts++;
}

static void handle_nested(void *depth)
{
    handle_irq(this_sim_cpu(), *(unsigned int *)depth - 1);
}

static void handle_outermost(void *depth)
{
    handle_irq(this_sim_cpu(), *(unsigned int *)depth);
}

static void raise_irq_nested(struct sim_cpu *p, unsigned int depth)
{
    enter_xen(p, DEVICE_VECTOR);
    xensim_interrupt(XENSIM_IRQ, handle_outermost, &depth);
    leave_xen(p);
}

static void irq_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;

    ASSERT(p->online);
    raise_irq_nested(p, 0);
    event_at(p, e, p->now + random_gap(&p->irq_random,
                                       mean_gap(s, s->config.interrupts)));
}

static void nmi_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;

    ASSERT(p->online);
    if ( p->in_guest )
    {
        hvm_exit_for_nmi(p);
        hvm_enter(p);
    }
    p->nmis++;
    event_at(p, e, p->now + random_gap(&p->irq_random,
                                       mean_gap(s, s->config.nmis)));
}

/*
 * An offline pcpu gets no interrupts and runs no event: pcpu 0, which is always
 * online, gets its storms.
 */
static void storm_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;
    unsigned int times = 4 + random_below(&p->irq_random, 12);
    struct sim_cpu *next;

    ASSERT(p->online);
    while ( times-- )
        raise_irq_nested(p, 1 + random_below(&p->irq_random, STORM_DEPTH));
    next = &s->cpus[random_below(&s->random, s->config.cpus)];
    event_at(next->online ? next : &s->cpus[0], e,
             p->now + to_cycles(s, random_around(&s->random,
                                                 s->config.storm)));
}

void spurious_arm(struct sim_cpu *p)
{
    const struct workload_config *c = &p->sim->config;
    bool gets_interrupts = !c->interrupt_cpus || p->id < c->interrupt_cpus;

    ASSERT(p->online);
    p->spurious.callback = irq_event;
    p->nmi.callback = nmi_event;
    if ( c->interrupts && gets_interrupts )
        event_at(p, &p->spurious, p->now + random_gap(&p->irq_random,
                                        mean_gap(p->sim, c->interrupts)));
    if ( c->nmis )
        event_at(p, &p->nmi, p->now + random_gap(&p->irq_random,
                                      mean_gap(p->sim, c->nmis)));
}

void spurious_begin(struct sim *s)
{
    const struct workload_config *c = &s->config;

    s->storm.callback = storm_event;
    for ( unsigned int cpu = 0; cpu < c->cpus; cpu++ )
        if ( s->cpus[cpu].online )
            spurious_arm(&s->cpus[cpu]);
    if ( c->storm )
        event_at(&s->cpus[0], &s->storm, s->now + to_cycles(s, c->storm));
}
