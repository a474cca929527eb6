/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that outlives this one, should it be killed, and tells Xen to
 * stop: nobody else would, and a host that traces into full rings pays for
 * each record that it loses.
 */
#ifndef XENTRACE_HEIR_H
#define XENTRACE_HEIR_H

#include <sys/types.h>

#include "common/err.h"
#include "xentrace/hypervisor.h"

struct heir
{
    pid_t pid;      /* 0: there is none */
    int line;       /* to it; that this is closed is what it waits for */
};

/* Before there are threads, and before any hypervisor is open. */
int heir_start(struct heir *h, const char *hypervisor,
               const struct hv_where *where, struct err *e);

/* There will be nothing to do for it. */
void heir_end(struct heir *h);

#endif /* XENTRACE_HEIR_H */
