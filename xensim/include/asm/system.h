/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Barriers, exchanges and the interrupt flag.
 *
 * ThreadSanitizer has to understand all synchronization between CPUs, so
 * shared data is accessed by __atomic builtins. The exception is smp_mb(),
 * which ThreadSanitizer cannot model and does not need. On x86 smp_rmb() and
 * smp_wmb() are compiler barriers, as in Xen; for tests/step, smp_wmb() is an
 * instruction without effect, nopl 0x626d77(%rax), that the stepper recognises.
 */
#ifndef XENSIM_ASM_SYSTEM_H
#define XENSIM_ASM_SYSTEM_H

#include <xen/types.h>
#include <asm/current.h>

#if defined(__x86_64__)
# define smp_mb()   __asm__ __volatile__ ( "lock; addl $0, -4(%%rsp)"    \
                                           ::: "memory", "cc" )
# define smp_rmb()  barrier()
# define XENSIM_BARRIER_MARK 0x0f, 0x1f, 0x80, 0x77, 0x6d, 0x62, 0x00
# ifdef XENSIM_MARK_BARRIERS
#  define smp_wmb() __asm__ __volatile__ ( "nopl 0x626d77(%%rax)" ::: "memory" )
# else
#  define smp_wmb() barrier()
# endif
#elif defined(__aarch64__)
# define smp_mb()   __asm__ __volatile__ ( "dmb ish" ::: "memory" )
# define smp_rmb()  __asm__ __volatile__ ( "dmb ishld" ::: "memory" )
# define smp_wmb()  __asm__ __volatile__ ( "dmb ishst" ::: "memory" )
#endif
#define mb()        smp_mb()
#define rmb()       smp_rmb()
#define wmb()       smp_wmb()
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic()  smp_mb()

/* The type of *ptr without its qualifiers: the comma makes an rvalue. */
#define XENSIM_VALUE(ptr) __typeof__(((void)0, *(ptr)))

#define xchg(ptr, v)                                                    \
    ((XENSIM_VALUE(ptr))__atomic_exchange_n(ptr, v, __ATOMIC_SEQ_CST))
#define cmpxchg(ptr, o, n)                                              \
    ({                                                                  \
        XENSIM_VALUE(ptr) found_ = (o);                                 \
        __atomic_compare_exchange_n(ptr, &found_, n, false,             \
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        found_;                                                         \
    })

#if defined(__x86_64__)
# include <asm/cmpxchg_local.h>
#endif

/* Deliver vectors that arrived while interrupts were off. */
void xensim_deliver_pending(void);

static always_inline void local_irq_disable(void)
{
    xensim_self.irqs_off = 1;
    barrier();
}

static always_inline void local_irq_restore(unsigned long flags)
{
    barrier();
    xensim_self.irqs_off = flags;
    barrier();
    if ( !flags && unlikely(xensim_self.pending) )
        xensim_deliver_pending();
}

static always_inline void local_irq_enable(void)
{
    local_irq_restore(0);
}

static always_inline unsigned long xensim_irq_save(void)
{
    unsigned long flags = xensim_self.irqs_off;

    local_irq_disable();
    return flags;
}

#define local_irq_save(flags)   ((flags) = xensim_irq_save())
#define local_save_flags(flags) ((flags) = xensim_self.irqs_off)
#define local_irq_is_enabled()  (!xensim_self.irqs_off)

#endif /* XENSIM_ASM_SYSTEM_H */
