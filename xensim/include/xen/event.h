/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual interrupts towards dom0.  In threads they arrive as eventfds, and
 * in every machine they are counted.
 */
#ifndef XENSIM_XEN_EVENT_H
#define XENSIM_XEN_EVENT_H

#include <xen/sched.h>

void send_global_virq(uint32_t virq);
void send_guest_global_virq(struct domain *d, uint32_t virq);

#endif /* XENSIM_XEN_EVENT_H */
