/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypervisor's ways in, for those who are no pcpu: each runs on pcpu 0,
 * as dom0's hypercalls would on the pcpu that runs dom0.
 */
#ifndef XENSIM_HYPERCALL_H
#define XENSIM_HYPERCALL_H

#include <stddef.h>
#include <stdint.h>

#include <public/sysctl.h>

/* What arch setup calls last: the rings of the boot parameters. */
void hypercall_boot(void);

/*
 * XEN_SYSCTL_tbuf_op.  op->cpu_mask.bitmap may point into buffer[size];
 * elsewhere it faults.  0 or -errno.
 */
int hypercall_tbuf(struct xen_sysctl_tbuf_op *op, void *buffer, size_t size);

/* The time-stamp counter of pcpu 0. */
uint64_t hypercall_clock(void);

int hypercall_cpu_up(unsigned int cpu);
int hypercall_cpu_down(unsigned int cpu);

/*
 * Counts the beginnings and ends of tbuf ops that may change what is traced.
 * Even and the same before and after a trace point: nothing changed
 * meanwhile.
 */
unsigned int hypercall_epoch(void);

#endif /* XENSIM_HYPERCALL_H */
