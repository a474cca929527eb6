/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu_relax(): a spinning thread on a host with fewer processors than pcpus
 * yields its processor to the lock's owner.
 */
#ifndef XENSIM_ASM_PROCESSOR_H
#define XENSIM_ASM_PROCESSOR_H

void cpu_relax(void);

#endif /* XENSIM_ASM_PROCESSOR_H */
