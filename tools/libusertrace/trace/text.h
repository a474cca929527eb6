/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What trace points of the back ends log, syslog and ftrace call: one line by
 * a format of printf, with its newline.  It is written in one piece, so lines
 * of threads and processes do not mix.  errno stays as it was.
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
