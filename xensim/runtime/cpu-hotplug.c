/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU hotplug: the sequence of callbacks drawn in xen/cpu.h, around the
 * machine's own functions to start and stop a pcpu.
 *
 * hotplug_lock is write-locked during a hotplug operation. The per-CPU area
 * exists during all callbacks, as under Xen's highest-priority notifier.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>

static struct
{
    struct notifier_block *first, *last; /* by falling priority */
} chain;

static pthread_rwlock_t hotplug_lock = PTHREAD_RWLOCK_INITIALIZER;
static __thread bool hotplug_owned;

bool cpu_in_hotplug_context(void)
{
    return hotplug_owned;
}

static void hotplug_begin(void)
{
    pthread_rwlock_wrlock(&hotplug_lock);
    hotplug_owned = true;
}

static void hotplug_end(void)
{
    hotplug_owned = false;
    pthread_rwlock_unlock(&hotplug_lock);
}

void cpus_init(unsigned int nr)
{
    cpumasks_init(nr);
    chain.first = chain.last = NULL;
}

/* Register a notifier, behind all of the same priority. */
void register_cpu_notifier(struct notifier_block *nb)
{
    struct notifier_block *before;

    hotplug_begin();
    before = chain.last;
    while ( before && before->priority < nb->priority )
        before = before->prev;
    nb->prev = before;
    nb->next = before ? before->next : chain.first;
    *(nb->next ? &nb->next->prev : &chain.last) = nb;
    *(before ? &before->next : &chain.first) = nb;
    hotplug_end();
}

/*
 * Call all notifiers, in the direction of the action, until one returns an
 * error: that notifier is stored in *objector. A call with an *objector calls
 * only the notifiers beyond, to undo the calls of the first pass.
 */
static int call_notifiers(unsigned int cpu, unsigned long action,
                          struct notifier_block **objector)
{
    bool reverse = action & NOTIFY_REVERSE;
    struct notifier_block *nb = *objector;

    if ( nb )
        nb = reverse ? nb->prev : nb->next;
    else
        nb = reverse ? chain.last : chain.first;

    for ( ; nb; nb = reverse ? nb->prev : nb->next )
    {
        int ret = nb->notifier_call(nb, action, (void *)(unsigned long)cpu);

        if ( ret & NOTIFY_STOP_MASK )
        {
            *objector = nb;
            return notifier_to_errno(ret);
        }
    }
    return 0;
}

void cpus_notify_all(unsigned int cpu, unsigned long action)
{
    struct notifier_block *no_objector = NULL;

    BUG_ON(call_notifiers(cpu, action, &no_objector));
}

/* Start a pcpu, under the hotplug lock. */
static int bring_up(unsigned int cpu)
{
    struct notifier_block *objector = NULL;
    int rc = percpu_alloc(cpu);

    ASSERT(hotplug_owned && !cpu_online(cpu));
    if ( rc )
        return rc;
    rc = call_notifiers(cpu, CPU_UP_PREPARE, &objector);
    if ( !rc )
        rc = machine_ops()->start(cpu);
    if ( rc )
    {
        call_notifiers(cpu, CPU_UP_CANCELED, &objector);
        if ( !machine_config()->park )
            percpu_free(cpu);
        return rc;
    }
    cpus_notify_all(cpu, CPU_ONLINE);
    return 0;
}

/* Stop a pcpu, under the hotplug lock. */
static int take_down(unsigned int cpu)
{
    struct notifier_block *objector = NULL;
    int rc = call_notifiers(cpu, CPU_DOWN_PREPARE, &objector);

    ASSERT(hotplug_owned && cpu_online(cpu));
    if ( rc )
    {
        call_notifiers(cpu, CPU_DOWN_FAILED, &objector);
        return rc;
    }
    machine_ops()->stop(cpu);
    tasklets_migrate(cpu);
    cpus_notify_all(cpu, CPU_DEAD);
    if ( !machine_config()->park )
        percpu_free(cpu);
    return 0;
}

/*
 * Xen runs hotplug on CPU 0, so a CPU inside stop_machine is never in the
 * middle of a hotplug operation. A single-threaded machine has no such case.
 */
static bool may_hotplug(void)
{
    return !machine_config()->threads || smp_processor_id() == 0;
}

int cpu_up(unsigned int cpu)
{
    int rc = -EINVAL;

    ASSERT(may_hotplug());
    hotplug_begin();
    if ( cpu < nr_cpu_ids && cpu_present(cpu) )
        rc = cpu_online(cpu) ? -EEXIST : bring_up(cpu);
    hotplug_end();
    return rc;
}

/* CPU 0 and the caller's CPU stay online. */
int cpu_down(unsigned int cpu)
{
    int rc = -EINVAL;

    ASSERT(may_hotplug());
    hotplug_begin();
    if ( cpu < nr_cpu_ids && cpu != 0 && cpu != smp_processor_id() )
        rc = cpu_online(cpu) ? take_down(cpu) : -EEXIST;
    hotplug_end();
    return rc;
}
