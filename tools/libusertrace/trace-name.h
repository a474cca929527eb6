/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of trace files: as given by the program, of child processes, and of
 * older files.
 */
#ifndef LIBUSERTRACE_TRACE_NAME_H
#define LIBUSERTRACE_TRACE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct ut_trace_name
{
    char *given;                /* NULL: "trace-PID" */
    char *root;                 /* in a child: the name is "root-PID" */
};

/* Takes ownership of `given`, which may be NULL. */
void ut_trace_name_set(struct ut_trace_name *n, char *given);

/* In the child of a process that wrote to `path`. */
void ut_trace_name_set_child(struct ut_trace_name *n, const char *path);

int ut_trace_name_format(const struct ut_trace_name *n, char *text, size_t size,
                         struct err *e);

/* The same, as an absolute path if possible; PATH_MAX bytes. */
int ut_trace_name_format_absolute(const struct ut_trace_name *n, char *path,
                                  struct err *e);

/*
 * The root of the names of this process, which writes to `path`, and of its
 * child processes: they are the root or "root-PID".  NULL: no memory.
 */
char *ut_trace_name_make_root(const struct ut_trace_name *n, const char *path);

/*
 * Rename PATH.2 to PATH.3, PATH.1 to PATH.2, PATH to PATH.1, and keep at most
 * `keep` older files (0: all).
 */
void ut_trace_name_shift(const char *path, unsigned int keep);

#endif /* LIBUSERTRACE_TRACE_NAME_H */
