/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that talk to a running xentrace: status, stop, snapshot, mark.
 */
#ifndef XENTRACE_REQUEST_CLIENT_H
#define XENTRACE_REQUEST_CLIENT_H

#include <stdio.h>

#include "common/err.h"
#include "xentrace/control-socket.h"

struct request_plan
{
    enum request_kind kind;     /* REQUEST_NONE: no such command */
    const char *text;           /* of a snapshot or a mark; or NULL */

    /* The choice among several: at most one of these. */
    unsigned int pid;           /* 0: not given */
    const char *file;           /* NULL: not given */
};

/* Send the request, and print the answer. */
int request_run(const struct request_plan *p, FILE *out, struct err *e);

#endif /* XENTRACE_REQUEST_CLIENT_H */
