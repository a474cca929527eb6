/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The current CPU and vcpu. Xen stores both at the end of the CPU's stack; in
 * user space a CPU is a thread (or, in a single-threaded machine, a context of
 * the one thread) and both are thread-local.
 *
 * The initial-exec model makes each field a single load, which a signal
 * handler may do. A thread that is no CPU has an offset out of the address
 * space: this_cpu() faults there.
 *
 * Interrupts are masked in software: `irqs_off` is the flag that cli clears,
 * and a signal handler that finds it set leaves a bit in `pending` for the
 * sti.
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
    volatile unsigned int pending; /* 1 << enum xensim_vector */
    unsigned int in_irq;        /* depths of nested handlers */
    unsigned int in_nmi;
    unsigned int in_mce;
    char *guest_base;           /* range of guest handles; NULL: all */
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
