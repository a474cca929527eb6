/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The syslog back end: facility daemon, priority info, as in QEMU.  The syslog
 * daemon may rate-limit or merge messages.
 */
#include <errno.h>
#include <syslog.h>

#include "libusertrace/backends.h"
#include "libusertrace/line.h"
#include "libusertrace/trace/text.h"

int ut_syslog_init(struct err *e)
{
    (void)e;
    openlog(NULL, LOG_PID, LOG_DAEMON);
    return 0;
}

void usertrace_syslog(const char *format, ...)
{
    struct ut_line line;
    int saved = errno;
    va_list args;

    va_start(args, format);
    ut_line_format(&line, "", format, args);
    va_end(args);
    /* Drop the newline. */
    syslog(LOG_INFO, "%.*s", (int)line.length - 1, line.text);
    ut_line_fini(&line);
    errno = saved;
}
