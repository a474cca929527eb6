/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The single-threaded machine: the calling thread runs as one pcpu at a time.
 * The context of the other pcpus (current vcpu, interrupt flag) is kept in
 * saved_contexts; the window of guest memory belongs to the thread.
 */
#include "xensim/runtime/machine.h"

#include <stdlib.h>

static struct xensim_self *saved_contexts; /* array, an element per pcpu */

void xensim_become_cpu(unsigned int cpu)
{
    struct xensim_self caller_self = xensim_self;

    BUG_ON(machine_ops() != single_machine() || cpu >= nr_cpu_ids);
    if ( caller_self.cpu == cpu )
        return;
    if ( caller_self.cpu != XENSIM_NO_CPU )
        saved_contexts[caller_self.cpu] = caller_self;
    xensim_self = saved_contexts[cpu];
    BUG_ON(xensim_self.cpu != cpu); /* never online: there is no context */
    xensim_self.guest_base = caller_self.guest_base;
    xensim_self.guest_size = caller_self.guest_size;
}

/* Initialize the context of a pcpu that comes online. */
static void init_context(unsigned int cpu)
{
    saved_contexts[cpu] = (struct xensim_self){
        .percpu_offset = __per_cpu_offset[cpu],
        .vcpu = idle_vcpu(cpu),
        .cpu = cpu,
    };
}

static int single_power_on(void)
{
    saved_contexts = calloc(nr_cpu_ids, sizeof(*saved_contexts));
    if ( !saved_contexts )
        return -ENOMEM;
    init_context(0);
    xensim_become_cpu(0);
    cpumask_set_cpu(0, &cpu_online_map);
    return 0;
}

static void single_power_off(void)
{
    context_leave();
    cpumask_clear(&cpu_online_map);
    free(saved_contexts);
    saved_contexts = NULL;
}

static int single_start(unsigned int cpu)
{
    unsigned int caller = smp_processor_id();

    ASSERT(!cpu_online(cpu));
    init_context(cpu);
    xensim_become_cpu(cpu);
    local_irq_disable();
    cpus_notify_all(cpu, CPU_STARTING);
    cpumask_set_cpu(cpu, &cpu_online_map);
    local_irq_enable();
    xensim_become_cpu(caller);
    return 0;
}

static void single_stop(unsigned int cpu)
{
    unsigned int caller = smp_processor_id();

    ASSERT(cpu_online(cpu));
    xensim_become_cpu(cpu);
    local_irq_disable();
    cpus_notify_all(cpu, CPU_DYING);
    cpumask_clear_cpu(cpu, &cpu_online_map);
    xensim_become_cpu(caller);
}

static void single_ipi(const cpumask_t *mask, void (*func)(void *info),
                       void *info)
{
    unsigned int caller = smp_processor_id(), cpu;

    for_each_cpu ( cpu, mask )
    {
        xensim_become_cpu(cpu);
        context_dispatch(XENSIM_IPI, func, info);
    }
    xensim_become_cpu(caller);
}

static int single_call(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
    unsigned int caller = smp_processor_id();

    if ( !cpu_online(cpu) )
        return -ENODEV;
    xensim_become_cpu(cpu);
    fn(arg);
    xensim_become_cpu(caller);
    return 0;
}

static void single_kick(unsigned int cpu)
{
    (void)cpu; /* the test runs tasklets itself */
}

void xensim_interrupt(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg)
{
    bool maskable = vector == XENSIM_IPI || vector == XENSIM_IRQ;

    BUG_ON(machine_ops() != single_machine());
    BUG_ON(maskable && !local_irq_is_enabled());
    context_dispatch(vector, fn, arg);
}

const struct machine_ops *single_machine(void)
{
    static const struct machine_ops ops = {
        .power_on = single_power_on,
        .power_off = single_power_off,
        .start = single_start,
        .stop = single_stop,
        .ipi = single_ipi,
        .call = single_call,
        .kick = single_kick,
    };

    return &ops;
}
