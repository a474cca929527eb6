/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt vectors of a threaded machine, as signals. */
#ifndef XENSIM_SIGNALS_H
#define XENSIM_SIGNALS_H

#include "xensim/runtime/machine.h"

void signals_init(void);
void signals_fini(void);

/* Take vectors in the calling thread, or leave them pending. */
void signals_unblock(void);
void signals_block(void);

int vector_signal(enum xensim_vector vector);

/* vectors.c: handle a vector that has arrived at this pcpu. */
void threads_vector(enum xensim_vector vector);

/* vectors.c: implements machine_ops.ipi; called under smp_hold_cpus(). */
void threads_ipi(const cpumask_t *mask, void (*func)(void *info), void *info);

#endif /* XENSIM_SIGNALS_H */
