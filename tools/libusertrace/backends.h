/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Back ends that need a call at run time are rows of the table in backends.c.
 * The generated code of the program names its back ends; the others are never
 * initialized.
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
     * Before the first event is switched on; possibly before init, and more
     * than once.
     */
    void (*prepare)(void);
};

void ut_backends_prepare(void);

int ut_ftrace_init(struct err *e);
int ut_syslog_init(struct err *e);

#endif /* LIBUSERTRACE_BACKENDS_H */
