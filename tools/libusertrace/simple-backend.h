/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end, for backends.c.
 */
#ifndef LIBUSERTRACE_SIMPLE_BACKEND_H
#define LIBUSERTRACE_SIMPLE_BACKEND_H

#include <stddef.h>

#include "common/err.h"

typedef void ut_record_fn(const char *record, size_t bytes, void *arg);

int ut_simple_init(struct err *e);

/* An event was switched on: keep what it traces, also before a file is open. */
void ut_simple_prepare(void);

/* The records that wait to be written (simple-format.h), of this moment. */
void ut_simple_peek_records(ut_record_fn *show, void *arg);

#endif /* LIBUSERTRACE_SIMPLE_BACKEND_H */
