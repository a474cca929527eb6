/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cross-calls. hold_lock keeps every CPU found online in that state until the
 * cross-call has ended, and serializes cross-calls.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>

#include <asm/processor.h>

static pthread_mutex_t hold_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Take hold_lock by spinning: the owner may wait for an IPI's answer of this
 * pcpu, and ThreadSanitizer delivers no signal to a thread in
 * pthread_mutex_lock(), but does in cpu_relax().
 */
void smp_hold_cpus(void)
{
    ASSERT(local_irq_is_enabled());
    while ( pthread_mutex_trylock(&hold_lock) )
        cpu_relax();
}

void smp_release_cpus(void)
{
    pthread_mutex_unlock(&hold_lock);
}

/* Call func on the selected CPUs that are online; selected NULL: all. */
static void cross_call(const cpumask_t *selected, void (*func)(void *info),
                       void *info)
{
    cpumask_t mask;

    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    smp_hold_cpus();
    cpumask_copy(&mask, &cpu_online_map);
    if ( selected )
        cpumask_and(&mask, &mask, selected);
    machine_ops()->ipi(&mask, func, info);
    smp_release_cpus();
}

void on_selected_cpus(const cpumask_t *selected, void (*func)(void *info),
                      void *info, int wait)
{
    (void)wait;
    cross_call(selected, func, info);
}

void on_each_cpu(void (*func)(void *info), void *info, int wait)
{
    (void)wait;
    cross_call(NULL, func, info);
}

void smp_call_function(void (*func)(void *info), void *info, int wait)
{
    cpumask_t others;

    (void)wait;
    cpumask_setall(&others);
    if ( smp_processor_id() != XENSIM_NO_CPU )
        cpumask_clear_cpu(smp_processor_id(), &others);
    cross_call(&others, func, info);
}
