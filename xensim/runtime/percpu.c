/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Areas of per-CPU data. An area exists from before UP_PREPARE until after
 * DEAD and starts zeroed; a machine with `park` keeps an area and its
 * contents. The offset of a CPU without an area points out of the address
 * space: per_cpu() of such a CPU faults.
 */
#include "xensim/runtime/machine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define AREA_ALIGN 64 /* largest alignment of a variable */

extern char __start_xensim_percpu[] __attribute__((weak));
extern char __stop_xensim_percpu[] __attribute__((weak));

long __per_cpu_offset[NR_CPUS];

static char *areas[NR_CPUS];

static void set_offset(unsigned int cpu, long offset)
{
    ASSERT(cpu < NR_CPUS);
    __atomic_store_n(&__per_cpu_offset[cpu], offset, __ATOMIC_RELEASE);
}

void percpu_init(void)
{
    for ( unsigned int cpu = 0; cpu < NR_CPUS; cpu++ )
        set_offset(cpu, LONG_MIN);
}

int percpu_alloc(unsigned int cpu)
{
    size_t size = __stop_xensim_percpu - __start_xensim_percpu;
    void *area;

    ASSERT(cpu < NR_CPUS);
    if ( areas[cpu] )
        return 0;
    if ( alloc_fault_now() ||
         posix_memalign(&area, AREA_ALIGN, ROUNDUP(size + 1, AREA_ALIGN)) )
        return -ENOMEM;

    areas[cpu] = memset(area, 0, size + 1);
    set_offset(cpu, (uintptr_t)area - (uintptr_t)__start_xensim_percpu);
    return 0;
}

void percpu_free(unsigned int cpu)
{
    set_offset(cpu, LONG_MIN);
    free(areas[cpu]);
    areas[cpu] = NULL;
}

void percpu_fini(void)
{
    for ( unsigned int cpu = 0; cpu < NR_CPUS; cpu++ )
        percpu_free(cpu);
}
