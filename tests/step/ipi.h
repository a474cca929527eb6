/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interception of Xen's inter-processor calls: on_selected_cpus() is wrapped at
 * link time (-Wl,--wrap=on_selected_cpus).
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

/* Send the original IPI.  The argument is a struct ipi, for step_function(). */
void ipi_send(void *ipi);

/* Pass all IPIs to fn from now on; NULL: send them directly. */
void ipi_intercept(void (*fn)(struct ipi *ipi));

#endif /* TESTS_STEP_IPI_H */
