/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end, for backends.c.
 */
#ifndef LIBUSERTRACE_SIMPLE_H
#define LIBUSERTRACE_SIMPLE_H

#include "common/err.h"

int ut_simple_begin(struct err *e);

/* An event was switched on: keep what it traces, also before a file is open. */
void ut_simple_wanted(void);

#endif /* LIBUSERTRACE_SIMPLE_H */
