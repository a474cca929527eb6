/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What back ends have in common.  One that needs something at run time is a
 * row in backends.c; the program's generated code says which ones it uses,
 * and the others never begin.
 */
#ifndef LIBUSERTRACE_BACKENDS_H
#define LIBUSERTRACE_BACKENDS_H

#include "common/err.h"

struct ut_backend
{
    const char *name;
    /* Once, from trace_init_backends().  NULL: nothing to do. */
    int (*init)(struct err *e);
    /*
     * The first event is about to be switched on; may come before begin, and
     * more than once.
     */
    void (*prepare)(void);
};

void ut_backends_prepare(void);

int ut_ftrace_init(struct err *e);
int ut_syslog_init(struct err *e);

#endif /* LIBUSERTRACE_BACKENDS_H */
