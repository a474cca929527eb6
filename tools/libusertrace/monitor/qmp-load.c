/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads qmp.c, which is a separate library: it needs jansson, and a program
 * that only traces needs nothing but the C library.  The library is loaded
 * when the first server is opened, and never unloaded.
 *
 * A program that is linked with the library uses it directly, without
 * dlopen().
 */
#define _GNU_SOURCE             /* dladdr */
#include "libusertrace/monitor/qmp.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libusertrace-qmp.so.0"

#pragma weak usertrace_qmp

static const struct mon_qmp_ops *_Atomic qmp_ops;

/*
 * Prefer the library in our own folder, which was built with us; then the
 * default search path.
 */
static void *open_library(void)
{
    char path[PATH_MAX];
    const char *slash;
    void *library = NULL;
    Dl_info us;
    int n;

    if ( dladdr((const void *)&qmp_ops, &us) &&
         (slash = strrchr(us.dli_fname, '/')) != NULL )
    {
        n = snprintf(path, sizeof(path), "%.*s/" LIBRARY,
                     (int)(slash - us.dli_fname), us.dli_fname);
        if ( n > 0 && (size_t)n < sizeof(path) )
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library ? library : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

int mon_qmp_load(struct err *e)
{
    const struct mon_qmp_ops *(*get)(void) = usertrace_qmp;
    void *library;

    if ( qmp_ops )
        return 0;
    if ( !get )
    {
        library = open_library();
        if ( library )
            *(void **)&get = dlsym(library, "usertrace_qmp");
    }
    if ( !get )
        return err_set(e, -ENOTSUP, "cannot load the library of QMP, which "
                       "needs jansson: %.300s", dlerror());
    qmp_ops = get();
    return 0;
}

char *mon_qmp_greeting(void)
{
    assert(qmp_ops);
    return qmp_ops->greeting();
}

char *mon_qmp_answer(struct mon_qmp *q, const char *text, size_t length)
{
    assert(qmp_ops);
    return qmp_ops->answer(q, text, length);
}
