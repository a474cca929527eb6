/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal interfaces of the workload, shared by real and virtual time. */
#ifndef XENSIM_WORKLOAD_PRIVATE_H
#define XENSIM_WORKLOAD_PRIVATE_H

#include "xensim/workload/sim.h"

struct sim *sim_of(struct workload *s);
const struct sim *sim_of_const(const struct workload *s);

/* record-counts.c: read the counts of lost records. */
void counts_read_lost(struct sim *s);

/* sim.c: let the pcpu's clock jump. */
void clock_jump(struct sim_cpu *p);

/* spurious-irq.c: handlers of the threaded machine. */
void spurious_irq(void *workload);
void spurious_nmi(void *workload);
/* Virtual time: start the interrupts of all pcpus, or of a new pcpu. */
void spurious_begin(struct sim *s);
void spurious_arm(struct sim_cpu *p);

/* virtual-time.c */
void virtual_begin(struct sim *s);

/* real-time.c */
int devices_start(struct sim *s);
void devices_stop(struct sim *s);
uint64_t real_step(void *workload);

#endif /* XENSIM_WORKLOAD_PRIVATE_H */
