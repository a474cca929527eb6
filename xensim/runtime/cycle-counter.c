/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frequency of the cycle counter. An Arm register holds the frequency; on x86
 * the counter is measured against the system clock since power on: a long
 * baseline without extra waiting.
 */
#include "xensim/runtime/machine.h"

#include <pthread.h>
#include <unistd.h>

#define BASELINE_NS 50000000 /* 100 ns of noise at each end: 4 ppm */

cycles_t (*xensim_clock)(void);
unsigned long cpu_khz;

static struct
{
    s_time_t ns;
    cycles_t cycles;
} start;

void clock_init(void)
{
    start.ns = get_s_time();
    start.cycles = xensim_hardware_cycles();
}

static unsigned int measure_khz(void)
{
#if defined(__aarch64__)
    uint64_t hz;

    __asm__ ( "mrs %0, cntfrq_el0" : "=r" (hz) );
    return hz / 1000;
#else
    s_time_t ns;
    cycles_t cycles;

    for ( ; ; )
    {
        ns = get_s_time() - start.ns;
        cycles = xensim_hardware_cycles() - start.cycles;
        if ( ns >= BASELINE_NS )
            return (double)cycles * 1e6 / ns + 0.5;
        usleep((BASELINE_NS - ns) / 1000 + 1);
    }
#endif
}

static struct
{
    pthread_mutex_t lock;
    unsigned int khz;   /* 0: unknown; once known, constant */
} speed = { .lock = PTHREAD_MUTEX_INITIALIZER };

void xensim_set_clock(cycles_t (*clock)(void), unsigned int khz)
{
    xensim_clock = clock;
    __atomic_store_n(&speed.khz, khz, __ATOMIC_RELAXED);
}

unsigned int xensim_cpu_khz(void)
{
    if ( __atomic_load_n(&speed.khz, __ATOMIC_RELAXED) )
        return __atomic_load_n(&speed.khz, __ATOMIC_RELAXED);
    pthread_mutex_lock(&speed.lock);
    if ( !speed.khz )
        __atomic_store_n(&speed.khz, measure_khz(), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&speed.lock);
    return speed.khz;
}
