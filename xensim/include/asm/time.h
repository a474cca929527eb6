/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cycle counter: the hardware's, ordered after earlier loads, or the
 * function in xensim_clock of a test or of virtual time.
 */
#ifndef XENSIM_ASM_TIME_H
#define XENSIM_ASM_TIME_H

#include <xen/types.h>

extern cycles_t (*xensim_clock)(void); /* NULL: the hardware's */

static always_inline cycles_t xensim_hardware_cycles(void)
{
#if defined(__x86_64__)
    uint32_t low, high;

    __asm__ __volatile__ ( "lfence; rdtsc" : "=a" (low), "=d" (high)
                           :: "memory" );
    return (cycles_t)high << 32 | low;
#elif defined(__aarch64__)
    cycles_t cycles;

    __asm__ __volatile__ ( "isb; mrs %0, cntvct_el0" : "=r" (cycles)
                           :: "memory" );
    return cycles;
#endif
}

static always_inline cycles_t get_cycles(void)
{
    if ( unlikely(xensim_clock) )
        return xensim_clock();
    return xensim_hardware_cycles();
}

#endif /* XENSIM_ASM_TIME_H */
