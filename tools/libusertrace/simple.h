/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end, for backends.c.
 */
#ifndef LIBUSERTRACE_SIMPLE_H
#define LIBUSERTRACE_SIMPLE_H

#include <stddef.h>

#include "common/err.h"

int ut_simple_begin(struct err *e);

/* An event was switched on: keep what it traces, also before a file is open. */
void ut_simple_wanted(void);

/* The records that wait to be written (simple-format.h), of this moment. */
void ut_simple_peek(void (*show)(const char *record, size_t bytes, void *arg),
                    void *arg);

#endif /* LIBUSERTRACE_SIMPLE_H */
