/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of dom0's interrupts, as records of events/11-meta.
 */
#ifndef XENTRACE_INTERRUPT_NAMES_H
#define XENTRACE_INTERRUPT_NAMES_H

#include "xentrace/hypervisor.h"

#define INTERRUPT_NAMES_FILE "/proc/interrupts"
#define INTERRUPT_NAMES_MAX 1024u   /* interrupts; more are left out */

/*
 * Put meta_irq_name records of the interrupts in a file such as
 * /proc/interrupts; none if the file cannot be read.
 */
void interrupt_names_put(const char *path, hv_record_fn *put, void *arg);

#endif /* XENTRACE_INTERRUPT_NAMES_H */
