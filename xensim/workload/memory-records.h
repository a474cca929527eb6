/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of memory management, in the layout of the simulated Xen version. */
#ifndef XENSIM_MEMORY_RECORDS_H
#define XENSIM_MEMORY_RECORDS_H

#include "xensim/workload/sim.h"

void mem_decrease(struct sim_cpu *p, const struct sim_dom *d);
void mem_populate(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_reclaim(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_splinter(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_p2m(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);

#endif /* XENSIM_MEMORY_RECORDS_H */
