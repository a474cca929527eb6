/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two ways to play share, inside the room.
 */
#ifndef XENSIM_PARTS_H
#define XENSIM_PARTS_H

#include "xensim/workload/world.h"

struct world *world_of(struct workload *w);
const struct world *world_of_const(const struct workload *w);

/* books.c: how many records were lost. */
void books_close(struct world *w);

/* Let its clock jump. */
void clock_jump(struct sim_cpu *p);

/* noise.c: interrupts and NMIs; the handlers of the threaded machine. */
void noise_irq(void *workload);
void noise_nmi(void *workload);
/* Virtual time: let them come, on all pcpus, or on one that has come. */
void noise_begin(struct world *w);
void noise_arm(struct sim_cpu *p);

/* virtual.c */
void virtual_begin(struct world *w);

/* real.c */
int devices_start(struct world *w);
void devices_stop(struct world *w);
uint64_t real_step(void *workload);

#endif /* XENSIM_PARTS_H */
