/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report one line through the callback of usertrace_set_reporter(), or on
 * stderr: for events without a caller that could receive an error code, and
 * for QEMU's functions, which print errors themselves.  Preserves errno.
 */
#ifndef LIBUSERTRACE_REPORTER_H
#define LIBUSERTRACE_REPORTER_H

void ut_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* LIBUSERTRACE_REPORTER_H */
