/* SPDX-License-Identifier: GPL-2.0-only */
/* The context of a thread: its pcpu, and the interrupts in progress. */
#include "xensim/runtime/machine.h"
#include "xensim/runtime/signals.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include <asm/processor.h>

#define NO_PCPU { .percpu_offset = LONG_MIN, .cpu = XENSIM_NO_CPU }

__thread struct xensim_self xensim_self
    __attribute__((tls_model("initial-exec"))) = NO_PCPU;

void context_enter(unsigned int cpu)
{
    struct xensim_self self = {
        .percpu_offset = __per_cpu_offset[cpu],
        .vcpu = idle_vcpu(cpu),
        .cpu = cpu,
    };

    xensim_self = self;
}

void context_leave(void)
{
    static const struct xensim_self no_pcpu = NO_PCPU;

    xensim_self = no_pcpu;
}

/*
 * Run a handler as through an interrupt gate: with interrupts off. The
 * interrupt flag is restored on return.
 */
void context_dispatch(enum xensim_vector vector, void (*fn)(void *arg),
                      void *arg)
{
    unsigned int *const depths[XENSIM_NR_VECTORS] = {
        [XENSIM_IPI] = &xensim_self.in_irq,
        [XENSIM_IRQ] = &xensim_self.in_irq,
        [XENSIM_NMI] = &xensim_self.in_nmi,
        [XENSIM_MCE] = &xensim_self.in_mce,
    };
    unsigned int flags = xensim_self.irqs_off;

    ASSERT(vector < XENSIM_NR_VECTORS);
    xensim_self.irqs_off = 1;
    ++*depths[vector];
    barrier();
    fn(arg);
    barrier();
    --*depths[vector];
    xensim_self.irqs_off = flags;
}

void xensim_guest_window(void *base, size_t size)
{
    xensim_self.guest_base = base;
    xensim_self.guest_size = size;
}

void cpu_relax(void)
{
#ifdef XENSIM_TSAN
    if ( smp_processor_id() != XENSIM_NO_CPU )
        signals_unblock(); /* see pcpu_wait() */
    usleep(0); /* where ThreadSanitizer delivers signals */
#else
    sched_yield();
#endif
}

void xensim_spin_wait(spinlock_t *lock)
{
    do
    {
        BUG_ON(__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) ==
               &xensim_self);
        cpu_relax();
    } while ( !spin_trylock(lock) );
}
