/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU hotplug.
 *
 *     up:    UP_PREPARE -> STARTING (on the new CPU, interrupts off) -> ONLINE
 *     down:  DOWN_PREPARE -> DYING (on the CPU itself, interrupts off) -> DEAD
 *
 * After a failed UP_PREPARE follows UP_CANCELED, after a failed DOWN_PREPARE
 * follows DOWN_FAILED, for the notifiers called so far.
 */
#ifndef XENSIM_XEN_CPU_H
#define XENSIM_XEN_CPU_H

#include <xen/cpumask.h>
#include <xen/notifier.h>
#include <xen/spinlock.h>
#include <xen/types.h>

#define CPU_UP_PREPARE      (0x0001 | NOTIFY_FORWARD)
#define CPU_UP_CANCELED     (0x0002 | NOTIFY_REVERSE)
#define CPU_STARTING        (0x0003 | NOTIFY_FORWARD)
#define CPU_ONLINE          (0x0004 | NOTIFY_FORWARD)
#define CPU_DOWN_PREPARE    (0x0005 | NOTIFY_REVERSE)
#define CPU_DOWN_FAILED     (0x0006 | NOTIFY_FORWARD)
#define CPU_DYING           (0x0007 | NOTIFY_REVERSE)
#define CPU_DEAD            (0x0008 | NOTIFY_REVERSE)
#define CPU_REMOVE          (0x0009 | NOTIFY_REVERSE)
#define CPU_RESUME_FAILED   (0x000a | NOTIFY_REVERSE)

void register_cpu_notifier(struct notifier_block *nb);

int cpu_up(unsigned int cpu);
int cpu_down(unsigned int cpu);

/* Between the two no CPU comes or goes. False: one is on its way now. */
bool get_cpu_maps(void);
void put_cpu_maps(void);
bool cpu_in_hotplug_context(void);

#endif /* XENSIM_XEN_CPU_H */
