/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm-x86/trace.h: x86 helpers of common/trace.c.
 */

#ifndef __ASM_TRACE_H__
#define __ASM_TRACE_H__

#include <xen/types.h>
#include <asm/hardirq.h>
#include <asm/page.h>
#include <asm/system.h>

/*
 * Compare-and-exchange against interrupts and NMIs of this CPU. Other CPUs
 * never write the word, so the instruction has no LOCK prefix. True: the
 * exchange took place. Compiler barriers before and after.
 */
static always_inline bool trace_cmpxchg(uint64_t *word, uint64_t old,
                                        uint64_t new)
{
    bool same;

    barrier();
    same = cmpxchg_local_(word, old, new, sizeof(*word)) == old;
    barrier();

    return same;
}

/* Page tables that map all of Xen, for readers of crash dumps. */
#define trace_root_table idle_pg_table

/* True in an NMI or #MC handler. */
static inline bool trace_in_nmi(void)
{
    return in_nmi_handler() || in_mce_handler();
}

#endif /* __ASM_TRACE_H__ */
