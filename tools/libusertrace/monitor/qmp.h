/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP, without the socket: a message comes, a line goes.
 */
#ifndef LIBUSERTRACE_MONITOR_QMP_H
#define LIBUSERTRACE_MONITOR_QMP_H

#include <stdbool.h>
#include <stddef.h>

struct mon_qmp                  /* of one client */
{
    bool is_ready;              /* capabilities are agreed upon */
};

/* Lines with CR LF; free() them.  NULL: out of memory. */
char *mon_qmp_greeting(void);
char *mon_qmp_answer(struct mon_qmp *q, const char *text, size_t length);

/* A complaint about what is no message at all. */
char *mon_qmp_complaint(const char *text);

#endif /* LIBUSERTRACE_MONITOR_QMP_H */
