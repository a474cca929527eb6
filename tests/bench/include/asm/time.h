/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cycle counter of xensim's shim without the hook for virtual clocks.  Xen
 * has no such branch, and the call in the hook makes the compiler save
 * registers, which a hypervisor need not do.  The counter is read in the same
 * way.
 */
#ifndef BENCH_ASM_TIME_H
#define BENCH_ASM_TIME_H

#define get_cycles get_cycles_or_hook
#include_next <asm/time.h>
#undef get_cycles

static always_inline cycles_t get_cycles(void)
{
    return xensim_hardware_cycles();
}

#endif /* BENCH_ASM_TIME_H */
