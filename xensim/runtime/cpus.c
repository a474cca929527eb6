/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs come and go: the sequence of callbacks that xen/cpu.h draws, around
 * the machine's own way to start and stop one.
 *
 * hotplug_lock is held for writing while a CPU is on its way.  The per-CPU
 * area exists around all callbacks, as Xen's highest-priority one makes it.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>

static struct
{
    struct notifier_block *first, *last; /* by falling priority */
} chain;

static pthread_rwlock_t hotplug_lock = PTHREAD_RWLOCK_INITIALIZER;
static __thread bool hotplug_mine;

bool get_cpu_maps(void)
{
    return hotplug_mine || !pthread_rwlock_tryrdlock(&hotplug_lock);
}

void put_cpu_maps(void)
{
    if ( !hotplug_mine )
        pthread_rwlock_unlock(&hotplug_lock);
}

bool cpu_in_hotplug_context(void)
{
    return hotplug_mine;
}

static void hotplug_begin(void)
{
    pthread_rwlock_wrlock(&hotplug_lock);
    hotplug_mine = true;
}

static void hotplug_end(void)
{
    hotplug_mine = false;
    pthread_rwlock_unlock(&hotplug_lock);
}

void cpus_init(unsigned int nr)
{
    cpumasks_init(nr);
    chain.first = chain.last = NULL;
}

/* Behind all of the same priority. */
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
 * Tell all, in the direction that the action asks for, until one objects:
 * that one is left in *objector.  A call with an objector in it tells only
 * those beyond him: they are the ones who had been told before.
 */
static int notify(unsigned int cpu, unsigned long action,
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

void cpus_notify(unsigned int cpu, unsigned long action)
{
    struct notifier_block *nobody = NULL;

    BUG_ON(notify(cpu, action, &nobody));
}

/* Under the hotplug lock. */
static int bring_up(unsigned int cpu)
{
    struct notifier_block *objector = NULL;
    int rc = percpu_alloc(cpu);

    if ( rc )
        return rc;
    rc = notify(cpu, CPU_UP_PREPARE, &objector);
    if ( !rc )
        rc = machine_ops()->start(cpu);
    if ( rc )
    {
        notify(cpu, CPU_UP_CANCELED, &objector);
        if ( !machine_config()->park )
            percpu_free(cpu);
        return rc;
    }
    cpus_notify(cpu, CPU_ONLINE);
    return 0;
}

/* Under the hotplug lock. */
static int take_down(unsigned int cpu)
{
    struct notifier_block *objector = NULL;
    int rc = notify(cpu, CPU_DOWN_PREPARE, &objector);

    if ( rc )
    {
        notify(cpu, CPU_DOWN_FAILED, &objector);
        return rc;
    }
    machine_ops()->stop(cpu);
    tasklets_migrate(cpu);
    cpus_notify(cpu, CPU_DEAD);
    if ( !machine_config()->park )
        percpu_free(cpu);
    return 0;
}

/*
 * Xen sends hotplug to CPU 0, so that those who stand still in stop_machine
 * are never in the middle of it.  In a quiet machine nobody stands anywhere.
 */
static bool may_plug(void)
{
    return !machine_config()->threads || smp_processor_id() == 0;
}

int cpu_up(unsigned int cpu)
{
    int rc = -EINVAL;

    ASSERT(may_plug());
    hotplug_begin();
    if ( cpu < nr_cpu_ids && cpu_present(cpu) )
        rc = cpu_online(cpu) ? -EEXIST : bring_up(cpu);
    hotplug_end();
    return rc;
}

/* Not CPU 0: much of a real machine hangs on it.  Not the caller's, here. */
int cpu_down(unsigned int cpu)
{
    int rc = -EINVAL;

    ASSERT(may_plug());
    hotplug_begin();
    if ( cpu < nr_cpu_ids && cpu != 0 && cpu != smp_processor_id() )
        rc = cpu_online(cpu) ? take_down(cpu) : -EEXIST;
    hotplug_end();
    return rc;
}
