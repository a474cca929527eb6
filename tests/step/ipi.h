/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where control meets the other CPUs: each call of on_selected_cpus() can be
 * diverted.  (It is wrapped at link time: -Wl,--wrap=on_selected_cpus.)
 */
#ifndef TESTS_STEP_IPI_H
#define TESTS_STEP_IPI_H

#include "xensim/runtime/runtime.h"

struct ipi
{
    const cpumask_t *selected;
    void (*func)(void *info);
    void *info;
    int wait;
};

/* Send it after all.  The argument is a struct ipi: for step(). */
void ipi_send(void *ipi);

/* From now on fn is asked to send each; NULL: it is just sent. */
void ipi_divert(void (*fn)(struct ipi *ipi));

#endif /* TESTS_STEP_IPI_H */
