/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the runtime know of each other, and nobody else.
 *
 * The two kinds of machine differ in how a pcpu starts, stops, is made to
 * run something and is woken: struct machine_ops, which quiet.c and
 * threads.c fill.  All the rest is one code for both.
 */
#ifndef XENSIM_MACHINE_H
#define XENSIM_MACHINE_H

#include "xensim/runtime/runtime.h"

#include <xen/cpu.h>
#include <xen/percpu.h>
#include <xen/tasklet.h>

struct machine_ops
{
    /* Power for the whole machine, pcpu 0 included: it comes up online. */
    int (*power_on)(void);
    void (*power_off)(void);
    /* Let a prepared pcpu run its STARTING callbacks and go online. */
    int (*start)(unsigned int cpu);
    /* Let an online pcpu run its DYING callbacks, go offline and end. */
    void (*stop)(unsigned int cpu);
    /* func as an interrupt on each of these online pcpus, and wait. */
    void (*ipi)(const cpumask_t *mask, void (*func)(void *info), void *info);
    /* fn outside of interrupts on one online pcpu, and wait. */
    int (*call)(unsigned int cpu, void (*fn)(void *arg), void *arg);
    /* A pcpu has something to do: it may be idle.  Signal-safe. */
    void (*kick)(unsigned int cpu);
};

const struct machine_ops *quiet_machine(void);
const struct machine_ops *threaded_machine(void);

/* boot.c: what this machine is.  Fixed from xensim_start() on. */
const struct machine_ops *machine_ops(void);
const struct xensim_config *machine_config(void);

/* param.c */
int params_parse(const char *boot, const char **bad);

/* console.c, clock.c */
void console_init(unsigned int loglevel);
void clock_init(void);

/* memory.c, page.c, fault.c */
int memory_init(unsigned long frames);
void memory_fini(void);
bool fault_now(void);

/* percpu.c: areas.  An area that is kept (parked) is found again by alloc. */
void percpu_init(void);
int percpu_alloc(unsigned int cpu);
void percpu_free(unsigned int cpu);
void percpu_fini(void);

/* context.c: the thread's identity. */
void context_enter(unsigned int cpu);   /* play it, idle */
void context_leave(void);               /* play none */
void context_dispatch(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg);

/* cpus.c: the sequences around machine_ops.start and .stop; cpumask.c */
void cpus_init(unsigned int nr);
void cpumasks_init(unsigned int nr);
void cpus_notify(unsigned int cpu, unsigned long action); /* may not fail */

/*
 * smp.c: while it is held no pcpu goes offline, and there is one cross-call
 * at a time.  For pcpus stop_machine sees to the former; the lock is for
 * threads that are none.  Who waits for it can still be IPI'd.
 */
void smp_hold_cpus(void);
void smp_release_cpus(void);

/* tasklet.c */
void tasklets_init(void);
void tasklets_migrate(unsigned int cpu); /* from an offline one, to 0 */

/* domain.c, virq.c */
int domains_init(unsigned int nr_cpus);
void domains_fini(void);
struct vcpu *idle_vcpu(unsigned int cpu);
void virqs_fini(void);

#endif /* XENSIM_MACHINE_H */
