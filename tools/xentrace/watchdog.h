/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second process that disables tracing if this process is killed.  Otherwise
 * Xen would go on tracing into full rings, and spend time on each lost record.
 */
#ifndef XENTRACE_WATCHDOG_H
#define XENTRACE_WATCHDOG_H

#include <sys/types.h>

#include "common/err.h"
#include "xentrace/hypervisor.h"

struct watchdog
{
    pid_t pid;      /* 0: not running */
    int pipe_fd;    /* to the watchdog, which waits for its end */
};

/* Fork the watchdog, before any thread is started or hypervisor opened. */
int watchdog_start(struct watchdog *w, const char *hypervisor,
                   const struct hv_address *address, struct err *e);

/* Stop the watchdog without disabling tracing. */
void watchdog_end(struct watchdog *w);

#endif /* XENTRACE_WATCHDOG_H */
