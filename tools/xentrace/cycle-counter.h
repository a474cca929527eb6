/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter of this machine that Xen reads for time stamps.
 */
#ifndef XENTRACE_CYCLE_COUNTER_H
#define XENTRACE_CYCLE_COUNTER_H

#include <stdint.h>

static inline uint64_t cycle_counter_read(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t cycles;

    __asm__ __volatile__ ( "isb; mrs %0, cntvct_el0" : "=r" (cycles)
                           :: "memory" );
    return cycles;
#else
#error "which counter does Xen read here?"
#endif
}

#endif /* XENTRACE_CYCLE_COUNTER_H */
