/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket of a running xentrace: its place and its protocol.
 *
 * Each xentrace listens on PID.sock in one directory per user.  The socket is a
 * SOCK_SEQPACKET socket, so a message arrives whole or not at all.  A
 * connection carries one request and one answer:
 *
 *     request   "status", "stop", "snapshot", "snapshot TEXT", "mark TEXT"
 *     answer    "ok\n" or "error\n", and text: lines of "name: value" after
 *               "status", otherwise one line
 */
#ifndef XENTRACE_CONTROL_SOCKET_H
#define XENTRACE_CONTROL_SOCKET_H

#include <limits.h>
#include <sys/types.h>

#include "common/err.h"

#define CONTROL_TEXT_MAX 1000u      /* bytes of TEXT */
#define CONTROL_MESSAGE_MAX 8192u   /* bytes of a request or an answer */
#define CONTROL_PATH_MAX 256u       /* path of a socket, with its 0 */

#define CONTROL_OK "ok\n"
#define CONTROL_ERROR "error\n"

enum request_kind
{
    REQUEST_NONE,
    REQUEST_STATUS,
    REQUEST_STOP,
    REQUEST_SNAPSHOT,
    REQUEST_MARK,
};

#define REQUEST_KINDS 5u

/* The word of a request, "stop"; "" for REQUEST_NONE. */
const char *control_request_word(enum request_kind kind);

/* True without control characters: messages and the system log show TEXT. */
bool control_is_one_line(const char *text);

/*
 * The directory: $XENTRACE_CONTROL_DIR; for root /run/xentrace; otherwise
 * $XDG_RUNTIME_DIR/xentrace or ${TMPDIR:-/tmp}/xentrace-UID.
 */
int control_socket_dir(char dir[CONTROL_PATH_MAX], struct err *e);

/*
 * Check that no other user can put a socket into the directory.  `create`: make
 * the directory if there is none.  -ENOENT: there is none.
 */
int control_socket_check_dir(const char *dir, bool create, struct err *e);

/* The socket of a process. */
int control_socket_path(char path[CONTROL_PATH_MAX], const char *dir, pid_t pid,
                        struct err *e);

/*
 * The absolute path of an output file, which need not exist.  "": standard
 * output.
 */
void control_output_path(char path[PATH_MAX], const char *output);

#endif /* XENTRACE_CONTROL_SOCKET_H */
