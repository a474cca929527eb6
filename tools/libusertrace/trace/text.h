/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace points of the back ends log, syslog and ftrace call these functions:
 * one line with a printf format, which includes the newline.  A line is
 * written in one piece, so lines of threads and processes do not mix. errno is
 * preserved.
 */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

void usertrace_log(const char *format, ...)
    __attribute__((cold, format(printf, 1, 2)));
void usertrace_syslog(const char *format, ...)
    __attribute__((cold, format(printf, 1, 2)));
void usertrace_ftrace(const char *format, ...)
    __attribute__((cold, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif /* TRACE_TEXT_H */
