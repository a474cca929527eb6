/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU data, as cheap as in Xen.
 *
 *     section xensim_percpu      [ t_bufs | t_lock | lost | ... ]   a pattern
 *     cpu 0's area               [ ......   zeroed ............ ]
 *     cpu 1's area               [ ......   zeroed ............ ]
 *
 * The address of a variable in a CPU's area is its address in the section plus
 * the CPU's offset. this_cpu() reads the offset from the thread's context,
 * per_cpu() from a table. The section's own bytes are never used, so an
 * initial value would be lost: DEFINE_PER_CPU takes none, as in Xen.
 */
#ifndef XENSIM_XEN_PERCPU_H
#define XENSIM_XEN_PERCPU_H

#include <xen/types.h>
#include <asm/current.h>

extern long __per_cpu_offset[NR_CPUS];

#define DECLARE_PER_CPU(type, name)                                     \
    extern __typeof__(type) per_cpu__##name
#define DEFINE_PER_CPU(type, name)                                      \
    __used_section("xensim_percpu") __typeof__(type) per_cpu__##name
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) DEFINE_PER_CPU(type, name)

#define XENSIM_PER_CPU_OFFSET(cpu)                                      \
    __atomic_load_n(&__per_cpu_offset[cpu], __ATOMIC_ACQUIRE)

#define per_cpu(var, cpu)                                               \
    (*RELOC_HIDE(&per_cpu__##var, XENSIM_PER_CPU_OFFSET(cpu)))
#define this_cpu(var)                                                   \
    (*RELOC_HIDE(&per_cpu__##var, xensim_self.percpu_offset))
#define per_cpu_ptr(var, cpu)   RELOC_HIDE(var, XENSIM_PER_CPU_OFFSET(cpu))
#define this_cpu_ptr(var)       RELOC_HIDE(var, xensim_self.percpu_offset)

#endif /* XENSIM_XEN_PERCPU_H */
