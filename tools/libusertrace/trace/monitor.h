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

enum usertrace_protocol
{
    USERTRACE_QMP,              /* for programs */
    USERTRACE_HMP,              /* for people: usertrace_command() */
    USERTRACE_HMP_0_14,         /* the same as in QEMU 0.13 to 1.1 */
};

/*
 * A monitor: it speaks one of these on a new Unix socket, mode 0600, with the
 * program's user and root; or, if path is "-", on standard input and output.
 * It has one thread of its own, until it is closed, or the program exits; then
 * the socket's file is gone, too.  One that a killed program left behind gives
 * way.  -ENOTSUP: QMP needs the library libusertrace-qmp, which is not there.
 * In the child of a fork there is no monitor, and nothing to close.
 *
 * The options qmp=PATH, hmp=PATH and hmp-0.14=PATH of usertrace_init() and
 * usertrace_option() do the same.
 */
struct usertrace_server;

int usertrace_server_open(struct usertrace_server **server,
                          enum usertrace_protocol protocol, const char *path,
                          struct err *e);
void usertrace_server_close(struct usertrace_server *server);    /* or NULL */

#ifdef __cplusplus
}
#endif

#endif /* TRACE_MONITOR_H */
