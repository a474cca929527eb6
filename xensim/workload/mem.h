/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of memory, in the layout of the Xen that is played.
 */
#ifndef XENSIM_MEM_H
#define XENSIM_MEM_H

#include "xensim/workload/world.h"

void mem_decrease(struct sim_cpu *p, const struct sim_dom *d);
void mem_populate(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_reclaim(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_splinter(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);
void mem_p2m(struct sim_cpu *p, const struct sim_dom *d, uint64_t gfn);

#endif /* XENSIM_MEM_H */
