/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual interrupts to dom0. A threaded machine delivers them through
 * eventfds; every machine counts them.
 */
#ifndef XENSIM_XEN_EVENT_H
#define XENSIM_XEN_EVENT_H

#include <xen/sched.h>

void send_global_virq(uint32_t virq);

#endif /* XENSIM_XEN_EVENT_H */
