/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running as a service: in the background, with notifications to a service
 * manager (the datagrams of sd_notify).
 */
#ifndef XENTRACE_SERVICE_H
#define XENTRACE_SERVICE_H

#include <stdbool.h>

#include "common/err.h"
#include "common/log.h"

struct service
{
    bool daemon;
    int line;           /* to the process that waits in the foreground */
};

/*
 * With `daemon`, continue in a child process without a terminal; the parent
 * exits with 0 when the child is ready, or with 1 when it has failed.  To be
 * called before any thread is started.
 */
int service_start(struct service *s, bool daemon, struct err *e);

/*
 * Report that the capture has begun.  In the background, standard error is
 * closed, and *log goes to syslog from here on.
 */
void service_ready(struct service *s, struct log *log);

/* Send "STATUS=..." to $NOTIFY_SOCKET, if it is set. */
void service_notify(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif /* XENTRACE_SERVICE_H */
