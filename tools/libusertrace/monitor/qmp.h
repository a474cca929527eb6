/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP, without the socket: a message comes, a line goes.  It needs jansson, so
 * it is a library of its own; behind this header is the way to it.
 */
#ifndef LIBUSERTRACE_MONITOR_QMP_H
#define LIBUSERTRACE_MONITOR_QMP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct mon_qmp                  /* of one client */
{
    bool is_ready;              /* capabilities are agreed upon */
};

/* Before the others: -ENOTSUP, if there is no such library here. */
int mon_qmp_load(struct err *e);

/* Lines with CR LF; free() them.  NULL: out of memory. */
char *mon_qmp_greeting(void);
char *mon_qmp_answer(struct mon_qmp *q, const char *text, size_t length);

/* What the library shows. */
struct mon_qmp_ops
{
    char *(*greeting)(void);
    char *(*answer)(struct mon_qmp *q, const char *text, size_t length);
};

const struct mon_qmp_ops *usertrace_qmp(void);

#endif /* LIBUSERTRACE_MONITOR_QMP_H */
