/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quiet machine: one thread plays all pcpus, one at a time.  A pcpu that
 * is not being played keeps its identity (its current vcpu, its interrupt
 * flag) in a wardrobe; the window of the caller's memory stays with the
 * thread.
 */
#include "xensim/runtime/machine.h"

#include <stdlib.h>

static struct xensim_self *wardrobe; /* one a pcpu */

void xensim_become_cpu(unsigned int cpu)
{
    struct xensim_self worn = xensim_self;

    BUG_ON(machine_ops() != quiet_machine() || cpu >= nr_cpu_ids);
    if ( worn.cpu == cpu )
        return;
    if ( worn.cpu != XENSIM_NO_CPU )
        wardrobe[worn.cpu] = worn;
    xensim_self = wardrobe[cpu];
    xensim_self.guest_base = worn.guest_base;
    xensim_self.guest_size = worn.guest_size;
}

/* Dress a pcpu that comes up. */
static void tailor(unsigned int cpu)
{
    wardrobe[cpu] = (struct xensim_self){
        .percpu_offset = __per_cpu_offset[cpu],
        .vcpu = idle_vcpu(cpu),
        .cpu = cpu,
    };
}

static int quiet_power_on(void)
{
    wardrobe = calloc(nr_cpu_ids, sizeof(*wardrobe));
    if ( !wardrobe )
        return -ENOMEM;
    tailor(0);
    xensim_become_cpu(0);
    cpumask_set_cpu(0, &cpu_online_map);
    return 0;
}

static void quiet_power_off(void)
{
    context_leave();
    cpumask_clear(&cpu_online_map);
    free(wardrobe);
    wardrobe = NULL;
}

static int quiet_start(unsigned int cpu)
{
    unsigned int caller = smp_processor_id();

    tailor(cpu);
    xensim_become_cpu(cpu);
    local_irq_disable();
    cpus_notify(cpu, CPU_STARTING);
    cpumask_set_cpu(cpu, &cpu_online_map);
    local_irq_enable();
    xensim_become_cpu(caller);
    return 0;
}

static void quiet_stop(unsigned int cpu)
{
    unsigned int caller = smp_processor_id();

    xensim_become_cpu(cpu);
    local_irq_disable();
    cpus_notify(cpu, CPU_DYING);
    cpumask_clear_cpu(cpu, &cpu_online_map);
    xensim_become_cpu(caller);
}

static void quiet_ipi(const cpumask_t *mask, void (*func)(void *info),
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

static int quiet_call(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
    unsigned int caller = smp_processor_id();

    if ( !cpu_online(cpu) )
        return -ENODEV;
    xensim_become_cpu(cpu);
    fn(arg);
    xensim_become_cpu(caller);
    return 0;
}

static void quiet_kick(unsigned int cpu)
{
    (void)cpu; /* the test asks when it wants to */
}

void xensim_interrupt(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg)
{
    bool maskable = vector == XENSIM_IPI || vector == XENSIM_IRQ;

    BUG_ON(machine_ops() != quiet_machine());
    BUG_ON(maskable && !local_irq_is_enabled());
    context_dispatch(vector, fn, arg);
}

const struct machine_ops *quiet_machine(void)
{
    static const struct machine_ops ops = {
        .power_on = quiet_power_on,
        .power_off = quiet_power_off,
        .start = quiet_start,
        .stop = quiet_stop,
        .ipi = quiet_ipi,
        .call = quiet_call,
        .kick = quiet_kick,
    };

    return &ops;
}
