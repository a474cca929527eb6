/* SPDX-License-Identifier: GPL-2.0-only */
/* Deferred work of this CPU; the stand-in has tasklets only. */
#ifndef XENSIM_XEN_SOFTIRQ_H
#define XENSIM_XEN_SOFTIRQ_H

/* Run pending work in the middle of a long operation. */
void process_pending_softirqs(void);

#endif /* XENSIM_XEN_SOFTIRQ_H */
