/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interception of IPIs by the linker's --wrap. */
#include "tests/step/ipi.h"

void __real_on_selected_cpus(const cpumask_t *selected,
                             void (*func)(void *info), void *info, int wait);
void __wrap_on_selected_cpus(const cpumask_t *selected,
                             void (*func)(void *info), void *info, int wait);

static void (*interceptor)(struct ipi *ipi);

void ipi_intercept(void (*fn)(struct ipi *ipi))
{
    interceptor = fn;
}

void ipi_send(void *arg)
{
    const struct ipi *ipi = arg;

    __real_on_selected_cpus(ipi->selected, ipi->func, ipi->info, ipi->wait);
}

void __wrap_on_selected_cpus(const cpumask_t *selected,
                             void (*func)(void *info), void *info, int wait)
{
    struct ipi ipi = { selected, func, info, wait };

    if ( interceptor )
        interceptor(&ipi);
    else
        ipi_send(&ipi);
}
