/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One line to whoever listens: usertrace_set_reporter(), or stderr.  For what
 * happens where nobody waits for an error code, and for the functions that
 * are QEMU's and speak themselves.  errno stays.
 */
#ifndef LIBUSERTRACE_REPORTER_H
#define LIBUSERTRACE_REPORTER_H

void ut_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* LIBUSERTRACE_REPORTER_H */
