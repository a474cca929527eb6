/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal interfaces of the runtime.
 *
 * The two kinds of machine differ in the functions that start, stop, interrupt
 * and wake a pcpu: struct machine_ops, implemented by machine-single.c and
 * machine-threads.c. All other code is shared.
 */
#ifndef XENSIM_MACHINE_H
#define XENSIM_MACHINE_H

#include "xensim/runtime/runtime.h"

#include <xen/cpu.h>
#include <xen/percpu.h>
#include <xen/tasklet.h>

struct machine_ops
{
    /* Power for the machine. pcpu 0 is online afterwards. */
    int (*power_on)(void);
    void (*power_off)(void);
    /* Let a prepared pcpu run its STARTING callbacks and go online. */
    int (*start)(unsigned int cpu);
    /* Let an online pcpu run its DYING callbacks, go offline and end. */
    void (*stop)(unsigned int cpu);
    /* Run func as an interrupt on each of these online pcpus, and wait. */
    void (*ipi)(const cpumask_t *mask, void (*func)(void *info), void *info);
    /* Run fn outside of interrupts on an online pcpu, and wait. */
    int (*call)(unsigned int cpu, void (*fn)(void *arg), void *arg);
    /* Wake a pcpu that may be idle: new work has been queued. Signal-safe. */
    void (*kick)(unsigned int cpu);
};

const struct machine_ops *single_machine(void);
const struct machine_ops *threaded_machine(void);

/* boot.c: kind and configuration, constant after xensim_start(). */
const struct machine_ops *machine_ops(void);
const struct xensim_config *machine_config(void);

/* boot-params.c */
int params_parse(const char *boot, const char **bad);

/* console.c, cycle-counter.c */
void console_init(unsigned int loglevel, bool all_messages);
void clock_init(void);

/* page-alloc.c, page-refs.c, alloc-fault.c */
int memory_init(unsigned long frames);
void memory_fini(void);

/* PGC_xen_heap, or 0 if frames of this machine never have the flag. */
unsigned long memory_heap_bit(void);
bool alloc_fault_now(void);

/*
 * percpu.c: per-CPU areas. Allocation of a parked area returns the kept area.
 */
void percpu_init(void);
int percpu_alloc(unsigned int cpu);
void percpu_free(unsigned int cpu);
void percpu_fini(void);

/* context.c: the thread's context. */
void context_enter(unsigned int cpu);   /* become this pcpu, idle */
void context_leave(void);               /* become no pcpu */
void context_dispatch(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg);

/* cpu-hotplug.c: the callbacks around machine_ops.start and .stop; cpumask.c */
void cpus_init(unsigned int nr);
void cpumasks_init(unsigned int nr);
void cpus_notify_all(unsigned int cpu, unsigned long action);

/*
 * smp.c: while the lock is held no pcpu goes offline and no other cross-call
 * runs. stop_machine() guarantees the former to pcpus; the lock guarantees it
 * to threads that are no pcpu. IPIs still reach a waiter.
 */
void smp_hold_cpus(void);
void smp_release_cpus(void);

/* tasklet.c */
void tasklets_init(void);
void tasklets_migrate(unsigned int cpu); /* from an offline pcpu to pcpu 0 */

/* domain.c, virq.c */
int domains_init(unsigned int nr_cpus);
void domains_fini(void);
struct vcpu *idle_vcpu(unsigned int cpu);
void virqs_fini(void);

#endif /* XENSIM_MACHINE_H */
