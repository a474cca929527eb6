/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the real Xen knows of the machine, as records (events/11-meta).
 */
#ifndef XENTRACE_XEN_ABOUT_H
#define XENTRACE_XEN_ABOUT_H

#include "xentrace/hypervisor.h"
#include "xentrace/xen-call.h"

/* What Xen, or who keeps the names, does not say is left out. */
void xen_about(struct xen_call *c, hv_tell *tell, void *to);
void xen_about_domains(struct xen_call *c, hv_tell *tell, void *to);

#endif /* XENTRACE_XEN_ABOUT_H */
