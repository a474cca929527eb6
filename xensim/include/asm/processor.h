/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_relax(): a waiter on a machine with more pcpus than processors must
 * give its processor away, or the one it waits for never runs.
 */
#ifndef XENSIM_ASM_PROCESSOR_H
#define XENSIM_ASM_PROCESSOR_H

void cpu_relax(void);

#endif /* XENSIM_ASM_PROCESSOR_H */
