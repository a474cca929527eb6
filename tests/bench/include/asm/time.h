/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shim's cycle counter without its hook for virtual clocks.  Xen has no
 * such branch, and the call behind it makes the compiler save registers that a
 * hypervisor need not save.  The counter is read in the same way.
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
