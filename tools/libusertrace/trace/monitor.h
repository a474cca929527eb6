/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control of a running program's trace points from outside: the trace commands
 * of QEMU's monitor, listed in trace-control(7).  All functions are
 * thread-safe.
 */
#ifndef TRACE_MONITOR_H
#define TRACE_MONITOR_H

#include "usertrace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Execute one command line, e.g. "trace-event disk_* on".  *reply is the
 * output, lines that end in CR LF, or ""; free() it.  Errors in the command
 * are part of the output: the call itself fails (-errno, *reply NULL) only if
 * memory is exhausted.
 */
int usertrace_command(const char *line, char **reply, struct err *e);

enum usertrace_protocol
{
    USERTRACE_QMP,              /* JSON, for programs */
    USERTRACE_HMP,              /* for people: usertrace_command() */
    USERTRACE_HMP_0_14,         /* commands of QEMU 0.13 to 1.1 */
};

/*
 * A server for one protocol on a new Unix socket, mode 0600, for root and the
 * program's user; or, if path is "-", on standard input and output.  The
 * server has a thread of its own until it is closed or the program exits,
 * which also removes the socket.  A stale socket of a killed program is
 * replaced.  -ENOTSUP: QMP needs the library libusertrace-qmp, which is not
 * installed.  In the child of a fork there is no server, and nothing to close.
 *
 * The options qmp=PATH, hmp=PATH and hmp-0.14=PATH of usertrace_init() and
 * usertrace_option() open servers, too.
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
