/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control of a running program's trace points by somebody outside of it: the
 * commands of QEMU's monitor that are about tracing.  trace-control(7) lists
 * them.  Any thread may call what is here.
 */
#ifndef TRACE_MONITOR_H
#define TRACE_MONITOR_H

#include "usertrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One command, as a person types it: "trace-event disk_* on".  *reply is what
 * that person should see, lines that end in CR LF, or ""; free() it.  A command
 * that is wrong is told there, too: the call fails (0 or -errno) only for want
 * of memory, and then *reply is NULL.
 */
int usertrace_command(const char *line, char **reply, struct err *e);

/*
 * A server of QMP on a new Unix socket, mode 0600, for the program's user and
 * root.  It has one thread of its own, until it is closed; then the socket's
 * file is gone, too.  -ENOTSUP: libusertrace-qmp, which needs jansson and is
 * loaded here, is not installed.  In the child of a fork there is no server,
 * and nothing to close.
 */
struct usertrace_server;

int usertrace_server_open(struct usertrace_server **server, const char *path,
                          struct err *e);
void usertrace_server_close(struct usertrace_server *server);    /* or NULL */

#ifdef __cplusplus
}
#endif

#endif /* TRACE_MONITOR_H */
