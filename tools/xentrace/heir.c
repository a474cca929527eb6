/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line is a pipe: a byte on it means that all is well, its end without
 * one that we are gone.  The heir keeps nothing of ours open, least of all the
 * output, whose reader waits for the last writer to go.
 */
#define _GNU_SOURCE /* pipe2, close_range */

#include "xentrace/heir.h"

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
static void become_deaf(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1,
                                   SIGQUIT, SIGPIPE };

    for ( size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++ )
        signal(signals[i], SIG_IGN);
}

/* True: the other end was closed, and not a word was said. */
static bool is_heir(int line)
{
    ssize_t got;
    char byte;

    do
        got = read(line, &byte, 1);
    while ( got < 0 && errno == EINTR );
    return got == 0;
}

static void keep_only(int line)
{
    int null = open("/dev/null", O_RDWR);

    for ( int fd = 0; fd < 3 && null >= 0; fd++ )
        dup2(null, fd);
    if ( dup2(line, 3) == 3 )
        close_range(4, ~0u, 0);
}

static void inherit(const char *hypervisor, const struct hv_where *where)
{
    struct err ignored = ERR_INIT;
    struct hv *hv;

    if ( hv_open(&hv, hypervisor, where, &ignored) )
        return;
    tbuf_disable(hv, &ignored);
    hv_close(hv);
}

int heir_start(struct heir *h, const char *hypervisor,
               const struct hv_where *where, struct err *e)
{
    int line[2];

    *h = (struct heir){ .line = -1 };
    if ( fault_hit(FAULT_OPEN) || pipe2(line, O_CLOEXEC) )
        return err_sys(e, -errno, "cannot make a pipe");
    h->pid = fork();
    if ( h->pid < 0 )
    {
        h->pid = 0;
        close(line[0]);
        close(line[1]);
        return err_sys(e, -errno, "cannot make a process");
    }
    if ( !h->pid )
    {
        prctl(PR_SET_NAME, "xentrace-heir");
        become_deaf();
        keep_only(line[0]);
        if ( is_heir(3) )
            inherit(hypervisor, where);
        _exit(0);
    }
    close(line[0]);
    h->line = line[1];
    return 0;
}

void heir_end(struct heir *h)
{
    ssize_t done;

    if ( !h->pid )
        return;
    done = write(h->line, "", 1);
    (void)done; /* if it is gone, all the better */
    close(h->line);
    while ( waitpid(h->pid, NULL, 0) < 0 && errno == EINTR )
        ;
    *h = (struct heir){ .line = -1 };
}
