/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scheduler of Linux 6.12 and later lets a woken thread with a short slice
 * run before threads with longer slices.  The drain works for fractions of a
 * millisecond at a time, and a ring may be full a few milliseconds after the
 * wake-up.  Older kernels ignore the length of the slice.
 *
 * A seccomp filter may kill the process for this system call, so a process with
 * a filter keeps its slices.
 */
#include "libusertrace/thread-slice.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000u        /* the kernel's minimum */

struct schedule                 /* struct sched_attr of Linux, first version */
{
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Unknown counts as yes. */
static bool has_seccomp_filter(void)
{
    FILE *status = fopen("/proc/thread-self/status", "re");
    char line[256];
    int mode = 1;

    while ( status && fgets(line, sizeof(line), status) )
        if ( sscanf(line, "Seccomp: %d", &mode) == 1 )
            break;
    if ( status )
        fclose(status);
    return mode != 0;
}

void ut_thread_shorten_slice(void)
{
    struct schedule schedule = { .size = sizeof(schedule) };

    if ( has_seccomp_filter() ||
         syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0) ||
         schedule.policy != SCHED_OTHER )
        return;
    schedule.size = sizeof(schedule);
    schedule.runtime = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &schedule, 0);
}
