/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reporter is shared by the whole process, as stderr is.
 */
#define _GNU_SOURCE
#include "libusertrace/reporter.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "libusertrace/trace/usertrace.h"

/* A separate lock: a report may be made under ut_lock(). */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*reporter)(const char *line, void *arg);
static void *reporter_arg;

void usertrace_set_reporter(void (*report)(const char *line, void *arg),
                            void *arg)
{
    pthread_mutex_lock(&lock);
    reporter = report;
    reporter_arg = arg;
    pthread_mutex_unlock(&lock);
}

void ut_report(const char *format, ...)
{
    void (*report)(const char *line, void *arg);
    int saved = errno;
    char line[512];
    va_list args;
    void *arg;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);

    pthread_mutex_lock(&lock);
    report = reporter;
    arg = reporter_arg;
    pthread_mutex_unlock(&lock);
    if ( report )
        report(line, arg);
    else
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    errno = saved;
}
