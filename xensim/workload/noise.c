/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts that concern nobody here, and NMIs.
 *
 * In real time they are signals, and land at any instruction of the pcpu, in
 * the middle of a trace point too, which is what they are for.  In virtual
 * time they are events as all others, and storms are interrupts within
 * interrupts.
 */
#include "xensim/workload/parts.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/guest.h"
#include "xensim/workload/tell.h"

#include <asm/hardirq.h>

#define SPURIOUS_VECTOR 0xef
#define HANDLER_CYCLES  2000
#define STORM_DEPTH     4

static struct sim_cpu *here(void *workload)
{
    return &world_of(workload)->cpus[smp_processor_id()];
}

/* ---- real time: any context ------------------------------------------- */

void noise_irq(void *workload)
{
    struct sim_cpu *p = here(workload);
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

/* Real Xen leaves no record of an NMI of its own; here one leaves a stray. */
void noise_nmi(void *workload)
{
    struct sim_cpu *p = here(workload);
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

static uint64_t period(const struct world *w, uint64_t rate)
{
    return w->khz * 1000 / rate;
}

static void nest(void *depth);

/* A handler; in its midst interrupts are on, and others come. */
static void handle(struct sim_cpu *p, unsigned int depth)
{
    uint32_t in = clock_shows(&p->clock, p->now);

    p->now += random_around(&p->irq_random, HANDLER_CYCLES);
    if ( depth )
    {
        local_irq_enable();
        xensim_interrupt(XENSIM_IRQ, nest, &depth);
        local_irq_disable();
    }
    p->now += random_around(&p->irq_random, HANDLER_CYCLES);
    EMIT(p, trace_hw_irq_handled(DEVICE_IRQ +
                                 random_below(&p->irq_random, 4), in,
                                 clock_shows(&p->clock, p->now)));
    p->interrupts++;
}

static void nest(void *depth)
{
    handle(cpu_here(), *(unsigned int *)depth - 1);
}

static void first(void *depth)
{
    handle(cpu_here(), *(unsigned int *)depth);
}

static void interrupt_for(struct sim_cpu *p, unsigned int depth)
{
    enter_xen(p, DEVICE_VECTOR);
    xensim_interrupt(XENSIM_IRQ, first, &depth);
    leave_xen(p);
}

static void interrupt(struct sim_cpu *p, struct event *e)
{
    struct world *w = p->world;

    interrupt_for(p, 0);
    event_at(p, e, p->now + random_gap(&p->irq_random,
                                       period(w, w->config.interrupts)));
}

static void nmi(struct sim_cpu *p, struct event *e)
{
    struct world *w = p->world;

    if ( p->in_guest )
    {
        hvm_exit_for_nmi(p);
        hvm_enter(p);
    }
    p->nmis++;
    event_at(p, e, p->now + random_gap(&p->irq_random,
                                       period(w, w->config.nmis)));
}

/* A pcpu that is not there any more has no interrupts. */
static void storm(struct sim_cpu *p, struct event *e)
{
    struct world *w = p->world;
    unsigned int times = 4 + random_below(&p->irq_random, 12);
    struct sim_cpu *next;

    while ( p->online && times-- )
        interrupt_for(p, 1 + random_below(&p->irq_random, STORM_DEPTH));
    next = &w->cpus[random_below(&w->random, w->config.cpus)];
    event_at(next, e, p->now + to_cycles(w, random_around(&w->random,
                                                          w->config.storm)));
}

void noise_arm(struct sim_cpu *p)
{
    const struct workload_config *c = &p->world->config;

    p->noise.happen = interrupt;
    p->nmi.happen = nmi;
    if ( c->interrupts )
        event_at(p, &p->noise, p->now + random_gap(&p->irq_random,
                                        period(p->world, c->interrupts)));
    if ( c->nmis )
        event_at(p, &p->nmi, p->now + random_gap(&p->irq_random,
                                      period(p->world, c->nmis)));
}

void noise_begin(struct world *w)
{
    const struct workload_config *c = &w->config;

    w->storm.happen = storm;
    for ( unsigned int cpu = 0; cpu < c->cpus; cpu++ )
        if ( w->cpus[cpu].online )
            noise_arm(&w->cpus[cpu]);
    if ( c->storm )
        event_at(&w->cpus[0], &w->storm, w->now + to_cycles(w, c->storm));
}
