/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The description of the real Xen and its machine, as records of
 * events/11-meta.
 */
#ifndef XENTRACE_XEN_DESCRIBE_H
#define XENTRACE_XEN_DESCRIBE_H

#include "xentrace/hypervisor.h"
#include "xentrace/xen-call.h"

/* Values that Xen does not return are left out. */
void xen_describe_machine(struct xen_call *c, hv_record_fn *put, void *arg);
void xen_describe_domains(struct xen_call *c, hv_record_fn *put, void *arg);

/* UUID, parameters of the scheduler, and affinity. */
void xen_describe_domain(struct xen_call *c, unsigned int id,
                         hv_record_fn *put, void *arg);

#endif /* XENTRACE_XEN_DESCRIBE_H */
