/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasklets: a list per CPU, with a push by compare-and-exchange, so an
 * interrupt may push while its CPU runs the list. The lists are not per-CPU
 * data, since they outlive their CPU.
 *
 *     lists[cpu] -> newest -> ... -> oldest
 */
#include "xensim/runtime/machine.h"

#include <xen/softirq.h>

static struct tasklet *lists[NR_CPUS];

void tasklets_init(void)
{
    for ( unsigned int cpu = 0; cpu < NR_CPUS; cpu++ )
        lists[cpu] = NULL;
}

static void push_tasklet(unsigned int cpu, struct tasklet *t)
{
    struct tasklet *head = __atomic_load_n(&lists[cpu], __ATOMIC_RELAXED);

    ASSERT(cpu < NR_CPUS);
    do
        t->next = head;
    while ( !__atomic_compare_exchange_n(&lists[cpu], &head, t, false,
                                         __ATOMIC_RELEASE,
                                         __ATOMIC_RELAXED) );
    machine_ops()->kick(cpu);
}

/* Remove all tasklets of a CPU and return them, the oldest first. */
static struct tasklet *take_tasklets(unsigned int cpu)
{
    struct tasklet *t = __atomic_exchange_n(&lists[cpu], NULL,
                                            __ATOMIC_ACQUIRE);
    struct tasklet *reversed = NULL;

    while ( t )
    {
        struct tasklet *older = t->next;

        t->next = reversed;
        reversed = t;
        t = older;
    }
    return reversed;
}

void tasklet_init(struct tasklet *t, void (*func)(void *arg), void *data)
{
    *t = (struct tasklet){ .func = func, .data = data };
}

void tasklet_schedule(struct tasklet *t)
{
    unsigned int cpu = smp_processor_id();

    BUG_ON(xensim_self.in_nmi || xensim_self.in_mce);
    if ( !__atomic_exchange_n(&t->scheduled, true, __ATOMIC_ACQ_REL) )
        push_tasklet(cpu == XENSIM_NO_CPU ? 0 : cpu, t);
}

void xensim_run_tasklets(void)
{
    struct tasklet *t = take_tasklets(smp_processor_id());

    while ( t )
    {
        struct tasklet *next = t->next;

        /* Cleared before the call: a later schedule needs another run. */
        __atomic_store_n(&t->scheduled, false, __ATOMIC_RELEASE);
        t->func(t->data);
        t = next;
    }
}

void process_pending_softirqs(void)
{
    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    ASSERT(local_irq_is_enabled());
    xensim_run_tasklets();
}

void tasklets_migrate(unsigned int cpu)
{
    struct tasklet *t = take_tasklets(cpu);

    ASSERT(cpu != 0);
    while ( t )
    {
        struct tasklet *next = t->next;

        push_tasklet(0, t);
        t = next;
    }
}
