/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end, as backends.c and the monitor see it.
 */
#ifndef LIBUSERTRACE_SIMPLE_BACKEND_H
#define LIBUSERTRACE_SIMPLE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

typedef void ut_record_fn(const char *record, size_t bytes, void *arg);

int ut_simple_init(struct err *e);

/* An event was switched on: keep its records, even before a file is open. */
void ut_simple_prepare(void);

/* Show the records that wait in the rings at this moment (simple-format.h). */
void ut_simple_peek_records(ut_record_fn *show, void *arg);

/* Was the trace file given a name, by an option or a call? */
bool ut_simple_has_name(void);

#endif /* LIBUSERTRACE_SIMPLE_BACKEND_H */
