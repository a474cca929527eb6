/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that simpletrace.py loads.  The thread that calls it holds
 * Python's lock.
 */
#ifndef SIMPLETRACE_PYTHON_MODULE_H
#define SIMPLETRACE_PYTHON_MODULE_H

#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;
struct st_python;

/*
 * Open the trace `fd`, which is closed at the end, with the declarations of a
 * text of `nr` bytes.  NULL: text[size] is the reason.
 */
struct st_python *st_python_open(const char *events, size_t nr,
                                 const char *events_name, int fd,
                                 const char *name, int has_header, char *text,
                                 size_t size);

/*
 * Call functions of the script for all records.  lookup(name, arguments,
 * format) is called once for each event.  Returns the number of records; NULL:
 * an exception, of this type unless a function raised it.
 */
PyObject *st_python_run(struct st_python *p, PyObject *lookup,
                        PyObject *exception);

/* Bytes that were damaged. */
uint64_t st_python_skipped(const struct st_python *p);

void st_python_close(struct st_python *p);

#endif /* SIMPLETRACE_PYTHON_MODULE_H */
