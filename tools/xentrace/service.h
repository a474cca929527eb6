/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Being a service: going into the background, and telling whoever started us
 * how it goes (sd_notify's protocol, which is a datagram).
 */
#ifndef XENTRACE_SERVICE_H
#define XENTRACE_SERVICE_H

#include <stdbool.h>

#include "common/err.h"
#include "common/log.h"

struct service
{
    bool daemon;
    int line;           /* to the process that waits for us to be ready */
};

/*
 * With `daemon`, go on in a process of its own, without a terminal; the one
 * that called ends when that is ready (0), or has failed (1).  Before there
 * are threads.
 */
int service_start(struct service *s, bool daemon, struct err *e);

/*
 * The capture has begun: from here on nobody waits, and if it goes on in the
 * background, standard error is read by nobody: what *log is told goes to
 * syslog.
 */
void service_ready(struct service *s, struct log *log);

/* "STATUS=...": to $NOTIFY_SOCKET, if there is one. */
void service_notify(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif /* XENTRACE_SERVICE_H */
