/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP without its transport: one message in, one line out.  The implementation
 * needs jansson, so it is a separate library, loaded by qmp-load.c.
 */
#ifndef LIBUSERTRACE_MONITOR_QMP_H
#define LIBUSERTRACE_MONITOR_QMP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct mon_qmp                  /* state of one client */
{
    bool is_ready;              /* capabilities have been negotiated */
};

/* Call first.  -ENOTSUP: the library is not available. */
int mon_qmp_load(struct err *e);

/* Lines with CR LF; free() them.  NULL: out of memory. */
char *mon_qmp_greeting(void);
char *mon_qmp_answer(struct mon_qmp *q, const char *text, size_t length);

/* The functions that the library exports. */
struct mon_qmp_ops
{
    char *(*greeting)(void);
    char *(*answer)(struct mon_qmp *q, const char *text, size_t length);
};

const struct mon_qmp_ops *usertrace_qmp(void);

#endif /* LIBUSERTRACE_MONITOR_QMP_H */
