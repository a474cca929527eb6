/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line is a pipe: a byte on it means that all is well, its end without
 * one that we are gone.  The heir keeps nothing of ours open, least of all the
 * output, whose reader waits for the last writer to go.
 */
#define _GNU_SOURCE /* pipe2, close_range */

#include "xentrace/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/tbuf.h"

/* What a terminal or a service manager sends to all of us is not for it. */
static void ignore_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1,
                                   SIGQUIT, SIGPIPE };

    for ( size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++ )
        signal(signals[i], SIG_IGN);
}

/* True: the other end was closed, and not a word was said. */
static bool parent_died(int fd)
{
    ssize_t got;
    char byte;

    do
        got = read(fd, &byte, 1);
    while ( got < 0 && errno == EINTR );
    return got == 0;
}

static void close_all_but(int pipe_fd)
{
    int null = open("/dev/null", O_RDWR);

    for ( int fd = 0; fd < 3 && null >= 0; fd++ )
        dup2(null, fd);
    if ( dup2(pipe_fd, 3) == 3 )
        close_range(4, ~0u, 0);
}

static void disable_tracing(const char *hypervisor,
                            const struct hv_address *address)
{
    struct err ignored = ERR_INIT;
    struct hv *hv;

    if ( hv_open(&hv, hypervisor, address, &ignored) )
        return;
    tbuf_disable(hv, &ignored);
    hv_close(hv);
}

int watchdog_start(struct watchdog *w, const char *hypervisor,
                   const struct hv_address *address, struct err *e)
{
    int pipe_fds[2];

    *w = (struct watchdog){ .pipe_fd = -1 };
    if ( fault_hit(FAULT_OPEN) || pipe2(pipe_fds, O_CLOEXEC) )
        return err_sys(e, -errno, "cannot make a pipe");
    w->pid = fork();
    if ( w->pid < 0 )
    {
        w->pid = 0;
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        return err_sys(e, -errno, "cannot make a process");
    }
    if ( !w->pid )
    {
        prctl(PR_SET_NAME, "xentrace-watch");
        ignore_signals();
        close_all_but(pipe_fds[0]);
        if ( parent_died(3) )
            disable_tracing(hypervisor, address);
        _exit(0);
    }
    close(pipe_fds[0]);
    w->pipe_fd = pipe_fds[1];
    return 0;
}

void watchdog_end(struct watchdog *w)
{
    ssize_t done;

    if ( !w->pid )
        return;
    done = write(w->pipe_fd, "", 1);
    (void)done; /* if it is gone, all the better */
    close(w->pipe_fd);
    while ( waitpid(w->pid, NULL, 0) < 0 && errno == EINTR )
        ;
    *w = (struct watchdog){ .pipe_fd = -1 };
}
