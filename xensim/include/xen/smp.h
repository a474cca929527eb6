/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make other CPUs do something now: `func` runs in each as an interrupt
 * handler.  The call returns when all have done it, also with wait == 0
 * (Xen then returns when all have begun: code that is right there is right
 * here).  A caller that is one of the CPUs runs `func` itself.
 */
#ifndef XENSIM_XEN_SMP_H
#define XENSIM_XEN_SMP_H

#include <asm/current.h>
#include <xen/cpumask.h>

void on_selected_cpus(const cpumask_t *selected, void (*func)(void *info),
                      void *info, int wait);
void smp_call_function(void (*func)(void *info), void *info, int wait);

/* The mask is looked up under the same lock that holds CPUs in place. */
void on_each_cpu(void (*func)(void *info), void *info, int wait);

#endif /* XENSIM_XEN_SMP_H */
