/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt wires of a threaded machine.
 */
#ifndef XENSIM_SIGNALS_H
#define XENSIM_SIGNALS_H

#include "xensim/runtime/machine.h"

void signals_init(void);
void signals_fini(void);

/* Of the calling thread: take vectors, or leave them pending. */
void signals_open(void);
void signals_close(void);

int signal_of(enum xensim_vector vector);

/* vectors.c: a vector has landed in this pcpu, and is to be handled now. */
void threads_vector(enum xensim_vector vector);

/* vectors.c: machine_ops.ipi, under smp_hold_cpus(). */
void threads_ipi(const cpumask_t *mask, void (*func)(void *info), void *info);

#endif /* XENSIM_SIGNALS_H */
