/* SPDX-License-Identifier: GPL-2.0-only */
/* System time: nanoseconds of a monotonic clock, equal on every CPU. */
#ifndef XENSIM_XEN_TIME_H
#define XENSIM_XEN_TIME_H

#include <time.h>

#include <xen/types.h>
#include <asm/time.h>

#define SECONDS(s)      ((s_time_t)(s) * 1000000000LL)
#define MILLISECS(ms)   ((s_time_t)(ms) * 1000000LL)
#define MICROSECS(us)   ((s_time_t)(us) * 1000LL)

extern unsigned long cpu_khz;   /* not set: only readers of dumps use it */

static inline s_time_t get_s_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return SECONDS(now.tv_sec) + now.tv_nsec;
}

#define NOW() get_s_time()

#endif /* XENSIM_XEN_TIME_H */
