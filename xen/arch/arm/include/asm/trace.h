/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm-arm/trace.h: Arm helpers of common/trace.c.
 */

#ifndef __ASM_TRACE_H__
#define __ASM_TRACE_H__

#include <xen/types.h>
#include <asm/system.h>

/*
 * Compare-and-exchange against interrupts of this CPU. True: the exchange took
 * place. Full barriers before and after. cmpxchg() of arm32 has no 64 bits.
 */
static always_inline bool trace_cmpxchg(uint64_t *word, uint64_t old,
                                        uint64_t new)
{
    return cmpxchg64(word, old, new) == old;
}

/* Page tables that map all of Xen: a reader of crash dumps has to find them. */
#define trace_root_table NULL

/* Arm has no NMIs, and an SError is fatal. */
static inline bool trace_in_nmi(void)
{
    return false;
}

#endif /* __ASM_TRACE_H__ */
