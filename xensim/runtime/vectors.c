/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handling of vectors at a pcpu of a threaded machine: cross-calls, and the
 * guest's interrupts, NMIs and machine checks.
 */
#include "xensim/runtime/pcpu-thread.h"
#include "xensim/runtime/signals.h"

#include <signal.h>

#include <asm/processor.h>

/* The cross-call in progress; serialized by smp_hold_cpus(). */
static struct
{
    void (*func)(void *info);
    void *info;
    unsigned int unanswered;
} ipi;

static void answer_ipi(void *unused)
{
    (void)unused;
    /* Acquire pairs with the release store of the count in threads_ipi(). */
    ASSERT(__atomic_load_n(&ipi.unanswered, __ATOMIC_ACQUIRE));
    ipi.func(ipi.info);
    __atomic_sub_fetch(&ipi.unanswered, 1, __ATOMIC_RELEASE);
}

static void ignore_vector(void *unused)
{
    (void)unused;
}

void threads_vector(enum xensim_vector vector)
{
    const struct xensim_guest *guest = &machine_config()->guest;
    void (*const handlers[XENSIM_NR_VECTORS])(void *) = {
        [XENSIM_IPI] = answer_ipi,
        [XENSIM_IRQ] = guest->irq,
        [XENSIM_NMI] = guest->nmi,
        [XENSIM_MCE] = guest->mce,
    };
    struct pcpu *p = pcpu_of(smp_processor_id());

    ASSERT(vector < XENSIM_NR_VECTORS);
    __atomic_store_n(&p->raised[vector], false, __ATOMIC_RELEASE);
    context_dispatch(vector, handlers[vector] ?: ignore_vector, guest->arg);
}

void xensim_raise(unsigned int cpu, enum xensim_vector vector)
{
    struct pcpu *p = pcpu_of(cpu);

    BUG_ON(machine_ops() != threaded_machine() || cpu >= nr_cpu_ids);
    BUG_ON(vector == XENSIM_IPI);
    pthread_mutex_lock(&p->lock);
    if ( p->online &&
         !__atomic_exchange_n(&p->raised[vector], true, __ATOMIC_ACQ_REL) )
        pthread_kill(p->thread, vector_signal(vector));
    pthread_mutex_unlock(&p->lock);
}

/* Each CPU of the mask stays online while smp_hold_cpus() is held. */
void threads_ipi(const cpumask_t *mask, void (*func)(void *info), void *info)
{
    unsigned int self = smp_processor_id(), others = cpumask_weight(mask);
    bool me = self != XENSIM_NO_CPU && cpumask_test_cpu(self, mask);
    unsigned int cpu;

    ASSERT(!__atomic_load_n(&ipi.unanswered, __ATOMIC_ACQUIRE));
    ipi.func = func;
    ipi.info = info;
    __atomic_store_n(&ipi.unanswered, others - me, __ATOMIC_RELEASE);
    for_each_cpu ( cpu, mask )
        if ( cpu != self )
            pthread_kill(pcpu_of(cpu)->thread, vector_signal(XENSIM_IPI));
    if ( me )
        context_dispatch(XENSIM_IPI, func, info);
    while ( __atomic_load_n(&ipi.unanswered, __ATOMIC_ACQUIRE) )
        cpu_relax();
}
