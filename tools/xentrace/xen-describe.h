/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the real Xen knows of the machine, as records (events/11-meta).
 */
#ifndef XENTRACE_XEN_DESCRIBE_H
#define XENTRACE_XEN_DESCRIBE_H

#include "xentrace/hypervisor.h"
#include "xentrace/xen-call.h"

/* What Xen, or who keeps the names, does not say is left out. */
void xen_describe_machine(struct xen_call *c, hv_record_fn *put, void *arg);
void xen_describe_domains(struct xen_call *c, hv_record_fn *put, void *arg);

#endif /* XENTRACE_XEN_DESCRIBE_H */
