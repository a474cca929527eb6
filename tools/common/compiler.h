/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Function attributes for the compiler, and a hint for the processor.
 */
#ifndef COMMON_COMPILER_H
#define COMMON_COMPILER_H

/*
 * A function on a cold path: kept out of line, so that its code costs the hot
 * caller neither registers nor instruction cache.
 */
#define COLD __attribute__((cold, noinline))

/* A part of a hot function that is needed in some calls: the same without a
   claim that these are rare. */
#define NOINLINE __attribute__((noinline))

/* In a loop that waits for another thread. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif /* COMMON_COMPILER_H */
