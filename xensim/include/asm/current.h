/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who am I?  In Xen the answer stands at the end of the stack of the CPU; in
 * user space a CPU is a thread (or, in a quiet machine, a part that the one
 * thread plays for a while) and the answer is thread-local.
 *
 * The initial-exec model makes each field one load, and one that a signal
 * handler may do.  A thread that plays no CPU has an offset that leads
 * nowhere, so that this_cpu() in it faults instead of lying.
 *
 * Interrupts are masked in software: `irqs_off` is what cli clears, and the
 * signal handler that finds it set leaves a bit in `held` for the sti.
 */
#ifndef XENSIM_ASM_CURRENT_H
#define XENSIM_ASM_CURRENT_H

#include <xen/types.h>

struct vcpu;

struct xensim_self
{
    long percpu_offset;         /* this CPU's area, from the section */
    struct vcpu *vcpu;
    unsigned int cpu;           /* or XENSIM_NO_CPU */
    volatile unsigned int irqs_off;
    volatile unsigned int held; /* 1 << enum xensim_vector */
    unsigned int in_irq;        /* depths of what is running now */
    unsigned int in_nmi;
    unsigned int in_mce;
    char *guest_base;           /* what guest handles may reach; NULL: all */
    size_t guest_size;
};

#define XENSIM_NO_CPU   (~0u)

extern __thread struct xensim_self xensim_self
    __attribute__((tls_model("initial-exec")));

#define current                 (xensim_self.vcpu)
#define get_current()           (xensim_self.vcpu)
#define smp_processor_id()      (xensim_self.cpu)
#define raw_smp_processor_id()  (xensim_self.cpu)

#endif /* XENSIM_ASM_CURRENT_H */
