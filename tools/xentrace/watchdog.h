/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that outlives this one, should it be killed, and tells Xen to
 * stop: nobody else would, and a host that traces into full rings pays for
 * each record that it loses.
 */
#ifndef XENTRACE_WATCHDOG_H
#define XENTRACE_WATCHDOG_H

#include <sys/types.h>

#include "common/err.h"
#include "xentrace/hypervisor.h"

struct watchdog
{
    pid_t pid;      /* 0: there is none */
    int pipe_fd;       /* to it; that this is closed is what it waits for */
};

/* Before there are threads, and before any hypervisor is open. */
int watchdog_start(struct watchdog *w, const char *hypervisor,
                   const struct hv_address *address, struct err *e);

/* There will be nothing to do for it. */
void watchdog_end(struct watchdog *w);

#endif /* XENTRACE_WATCHDOG_H */
