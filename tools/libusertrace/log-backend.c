/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The log back end: lines on stderr or in a file.  The file is opened with
 * O_APPEND, so several processes can share a file.  A new file replaces the
 * old one atomically with dup2(), so a concurrent writer hits either file.  A
 * program with a log of its own takes the lines instead.
 */
#define _GNU_SOURCE             /* gettid */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/line.h"
#include "libusertrace/registry.h"
#include "libusertrace/trace/text.h"
#include "libusertrace/trace/usertrace.h"

typedef void log_writer_fn(const char *line, size_t length, void *arg);

static _Atomic int log_fd = STDERR_FILENO;
static _Atomic bool with_prefix;

/* The program's function; its argument is set first. */
static void *_Atomic writer_arg;
static log_writer_fn *_Atomic writer;

void usertrace_log_prefix(bool on)
{
    with_prefix = on;
}

void usertrace_log_to(log_writer_fn *write, void *arg)
{
    writer = NULL;
    writer_arg = arg;
    writer = write;
}

/*
 * The descriptor number stays valid for the life of the process, so writers
 * need no lock.
 */
static int replace_log_fd(int new, struct err *e)
{
    int rc = 0;

    assert(new >= 0 && new != log_fd);
    ut_lock();
    if ( log_fd == STDERR_FILENO )
        log_fd = new;
    else
    {
        if ( dup2(new, log_fd) < 0 || fcntl(log_fd, F_SETFD, FD_CLOEXEC) < 0 )
            rc = err_sys(e, -errno, "log file");
        close(new);
    }
    ut_unlock();
    return rc;
}

int usertrace_log_file(const char *path, struct err *e)
{
    int new = path ? fault_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                                0644) :
                     fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

    if ( new < 0 )
        return err_sys(e, -errno, "Error opening logfile %.120s",
                       path ? path : "(stderr)");
    return replace_log_fd(new, e);
}

static const char *make_prefix(char *text, size_t size)
{
    struct timeval now;

    if ( !with_prefix )
        return "";
    gettimeofday(&now, NULL);
    snprintf(text, size, "%d@%lld.%06ld:", (int)gettid(),
             (long long)now.tv_sec, (long)now.tv_usec);
    return text;
}

void usertrace_log(const char *format, ...)
{
    log_writer_fn *write = writer;
    struct ut_line line;
    char prefix[64];
    int saved = errno;
    va_list args;

    va_start(args, format);
    ut_line_format(&line, write ? "" : make_prefix(prefix, sizeof(prefix)),
                   format, args);
    va_end(args);
    if ( write )
        write(line.text, line.length, writer_arg);
    else
        ut_line_write(log_fd, line.text, line.length);
    ut_line_fini(&line);
    errno = saved;
}
