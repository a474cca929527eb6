/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parent holds the write end of a pipe.  A byte means that the parent has
 * ended in good order; end-of-file without a byte, that the parent was killed.
 * The watchdog closes all inherited descriptors, above all the output: a reader
 * of the output waits until the last writer has closed it.
 */
#define _GNU_SOURCE /* pipe2, close_range */

#include "xentrace/watchdog.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/tbuf.h"

/* A terminal and a service manager signal the whole process group. */
static void ignore_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1,
                                   SIGQUIT, SIGPIPE };

    for ( size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++ )
        signal(signals[i], SIG_IGN);
}

/* Wait.  True: the pipe was closed without a byte. */
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
        return err_sys(e, -errno, "cannot fork the watchdog");
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
    assert(w->pipe_fd >= 0);
    done = write(w->pipe_fd, "", 1);
    (void)done; /* an error means that the watchdog has died */
    close(w->pipe_fd);
    while ( waitpid(w->pid, NULL, 0) < 0 && errno == EINTR )
        ;
    *w = (struct watchdog){ .pipe_fd = -1 };
}
