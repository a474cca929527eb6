/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cross-calls: `func` runs on other CPUs as an interrupt handler. The call
 * returns when all CPUs have finished, also with wait == 0 (Xen then returns
 * when all have started: code that is correct there is correct here). A caller
 * in the mask runs `func` itself.
 */
#ifndef XENSIM_XEN_SMP_H
#define XENSIM_XEN_SMP_H

#include <asm/current.h>
#include <xen/cpumask.h>

void on_selected_cpus(const cpumask_t *selected, void (*func)(void *info),
                      void *info, int wait);
void smp_call_function(void (*func)(void *info), void *info, int wait);

/* The mask is read under the lock that keeps CPUs online. */
void on_each_cpu(void (*func)(void *info), void *info, int wait);

#endif /* XENSIM_XEN_SMP_H */
