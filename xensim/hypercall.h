/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry points of the hypervisor for threads that are no pcpu: each call runs
 * on pcpu 0, as a hypercall of dom0 would on the pcpu of dom0's vcpu.
 */
#ifndef XENSIM_HYPERCALL_H
#define XENSIM_HYPERCALL_H

#include <stddef.h>
#include <stdint.h>

#include <public/sysctl.h>
#include <public/trace.h>

/*
 * Allocate the trace buffers of the boot parameters: the last step of Xen's
 * arch setup.
 */
void hypercall_boot(void);

/*
 * XEN_SYSCTL_TBUFOP_state: cpus[0 ... nr - 1] and the other fields of *state. 0
 * or -errno.
 */
int hypercall_tbuf_state(struct xen_sysctl_tbuf_state *state,
                         struct xen_tbuf_cpu *cpus, size_t nr);

/*
 * XEN_SYSCTL_tbuf_op. op->cpu_mask.bitmap may point into buffer[size];
 * elsewhere it faults. 0 or -errno.
 */
int hypercall_tbuf(struct xen_sysctl_tbuf_op *op, void *buffer, size_t size);

/* The time-stamp counter of pcpu 0. */
uint64_t hypercall_clock(void);

int hypercall_cpu_up(unsigned int cpu);
int hypercall_cpu_down(unsigned int cpu);

/*
 * A counter of the starts and ends of tbuf ops that may change the set of
 * traced events. If the counter is even, and the same before and after a trace
 * point, no op ran meanwhile.
 */
unsigned int hypercall_epoch(void);

#endif /* XENSIM_HYPERCALL_H */
