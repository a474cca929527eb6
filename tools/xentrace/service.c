/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent reads a pipe: a byte means that the child is ready, end-of-file
 * that the child has failed.  The child prints the reason itself, to the same
 * standard error.
 */
#define _GNU_SOURCE /* pipe2 */

#include "xentrace/service.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "common/fault.h"

/* Never returns.  A child that fails determines the exit code. */
static void wait_for_child(pid_t child, int line)
{
    int status = 0;
    ssize_t got;
    char byte;

    do
        got = read(line, &byte, 1);
    while ( got < 0 && errno == EINTR );
    if ( got == 1 )
        _exit(EXIT_SUCCESS);
    while ( waitpid(child, &status, 0) < 0 && errno == EINTR )
        ;
    _exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status)
                                                   : EXIT_FAILURE);
}

int service_start(struct service *s, bool daemon, struct err *e)
{
    int line[2];
    pid_t pid;

    *s = (struct service){ .daemon = daemon, .line = -1 };
    if ( !daemon )
        return 0;
    if ( fault_hit(FAULT_OPEN) || pipe2(line, O_CLOEXEC) )
        return err_sys(e, -errno, "cannot make a pipe");
    fflush(NULL);
    pid = fork();
    if ( pid > 0 )
    {
        close(line[1]);
        wait_for_child(pid, line[0]);
    }
    close(line[0]);
    if ( pid < 0 )
    {
        close(line[1]);
        return err_sys(e, -errno, "cannot fork into the background");
    }
    setsid();
    s->line = line[1];
    return 0;
}

static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for ( int fd = 0; fd < 3 && null >= 0; fd++ )
        dup2(null, fd);
    if ( null > 2 )
        close(null);
}

/* The priorities of syslog(3). */
static void log_to_syslog(enum log_level level, const char *text)
{
    static const int priorities[] = {
        [LOG_LEVEL_ERROR] = LOG_ERR,
        [LOG_LEVEL_WARNING] = LOG_WARNING,
        [LOG_LEVEL_INFO] = LOG_INFO,
        [LOG_LEVEL_DEBUG] = LOG_DEBUG,
    };

    syslog(priorities[level], "%s", text);
}

void service_ready(struct service *s, struct log *log)
{
    ssize_t done;

    assert(s->daemon || s->line < 0);
    service_notify("READY=1\nSTATUS=tracing");
    if ( s->line < 0 )
        return;
    leave_terminal();
    openlog(log->program, LOG_PID, LOG_DAEMON);
    log->deliver = log_to_syslog;
    done = write(s->line, "", 1);
    (void)done; /* an error means that the parent has gone */
    close(s->line);
    s->line = -1;
}

void service_notify(const char *fmt, ...)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    const char *path = getenv("NOTIFY_SOCKET");
    char text[512];
    va_list args;
    size_t length;
    int fd;

    length = path ? strlen(path) : 0;
    if ( !length || length >= sizeof(to.sun_path) ||
         (*path != '/' && *path != '@') )
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    memcpy(to.sun_path, path, length);
    if ( *path == '@' )
        to.sun_path[0] = '\0'; /* '@' means Linux's abstract names */
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if ( fd < 0 )
        return;
    sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
           offsetof(struct sockaddr_un, sun_path) + length);
    close(fd);
}
