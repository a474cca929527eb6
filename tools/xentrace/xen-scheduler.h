/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedulers of the real Xen: cpupools, weights, caps and affinity, as
 * records of events/11-meta.  Values that Xen does not return are left out.
 */
#ifndef XENTRACE_XEN_SCHEDULER_H
#define XENTRACE_XEN_SCHEDULER_H

#include "xentrace/hypervisor.h"
#include "xentrace/xen-call.h"

/*
 * Put meta_pool and meta_pool_times of all pools.  pool_of[cpu] of pcpus below
 * nr_cpus becomes the number of the pool; other elements are left alone.
 */
void xen_scheduler_put_pools(struct xen_call *c, int32_t *pool_of,
                             unsigned int nr_cpus, hv_record_fn *put,
                             void *arg);

/* Put weight, cap, budgets and affinity of a domain. */
void xen_scheduler_put_domain(struct xen_call *c,
                              const struct xen_call_domain *d,
                              unsigned int nr_cpus, hv_record_fn *put,
                              void *arg);

#endif /* XENTRACE_XEN_SCHEDULER_H */
