/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running in the background.  The parent exits when the child is ready or has
 * failed; later messages go to syslog, which is a pipe here, because a test
 * cannot read the messages of the C library's syslog().
 */
#include "xentrace/service.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

#include "tests/unit/libxentrace/unit.h"

static int heard[2];

static void receive_text(int priority, const char *fmt, va_list args)
{
    dprintf(heard[1], "<%d>", priority);
    vdprintf(heard[1], fmt, args);
    dprintf(heard[1], "\n");
}

/* Replacements of both names that the C library has for syslog(). */
void syslog(int priority, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void __syslog_chk(int priority, int flag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void syslog(int priority, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    receive_text(priority, fmt, args);
    va_end(args);
}

void __syslog_chk(int priority, int flag, const char *fmt, ...)
{
    va_list args;

    (void)flag;
    va_start(args, fmt);
    receive_text(priority, fmt, args);
    va_end(args);
}

/* A daemon that prints a message before and after it is ready. */
static void be_daemon(bool fail)
{
    struct log log = LOG_INIT("xentrace");
    struct err e = ERR_INIT;
    struct service s;

    if ( service_start(&s, true, &e) || fail )
        _exit(EXIT_FAILURE);
    service_ready(&s, &log);
    log_info(&log, "it goes on");
    log_warning(&log, "not well");
    log_print(&log, LOG_LEVEL_ERROR, "no more");
    _exit(EXIT_SUCCESS);
}

/* Returns the exit status of the foreground process. */
static int start_daemon(bool fail)
{
    pid_t pid = fork();
    int status;

    if ( !pid )
        be_daemon(fail);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(says_on)
{
    char text[200];
    size_t size = 0;
    ssize_t got;

    ck_assert_int_eq(pipe(heard), 0);
    ck_assert_int_eq(start_daemon(false), EXIT_SUCCESS);
    close(heard[1]);
    while ( (got = read(heard[0], text + size, sizeof(text) - 1 - size)) > 0 )
        size += got;
    text[size] = '\0';
    ck_assert_str_eq(text, "<6>it goes on\n<4>not well\n<3>no more\n");
}
END_TEST

START_TEST(fails_with_us)
{
    ck_assert_int_eq(start_daemon(true), EXIT_FAILURE);
}
END_TEST

/* Without a daemon, standard error is unchanged. */
START_TEST(stays)
{
    struct log log = LOG_INIT("xentrace");
    struct err e = ERR_INIT;
    struct service s;

    ck_assert_int_eq(service_start(&s, false, &e), 0);
    service_ready(&s, &log);
    ck_assert(!log.deliver);
}
END_TEST

UNIT_MAIN("service", says_on, fails_with_us, stays)
