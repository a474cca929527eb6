/* SPDX-License-Identifier: GPL-2.0-only */
/* Number of CPUs, the online mask, and the mask of each single CPU. */
#include "xensim/runtime/machine.h"

unsigned int nr_cpu_ids = 1;
cpumask_t cpu_online_map;

static cpumask_t single[NR_CPUS];

const cpumask_t *cpumask_of(unsigned int cpu)
{
    ASSERT(cpu < nr_cpu_ids);
    return &single[cpu];
}

void cpumasks_init(unsigned int nr)
{
    nr_cpu_ids = nr;
    cpumask_clear(&cpu_online_map);
    for ( unsigned int cpu = 0; cpu < nr; cpu++ )
        cpumask_set_cpu(cpu, &single[cpu]);
}
