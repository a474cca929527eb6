/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/pager.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_pager(const char *command)
{
    /* Options of less: colours; exit if all fits; leave the text on screen. */
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void pager_open(struct pager *p)
{
    const char *command = getenv("PAGER");
    int ends[2];

    *p = (struct pager){ .out = stdout };
    if ( !command || !*command )
        command = "if command -v less >/dev/null; then exec less; fi; exec cat";
    if ( pipe(ends) )
        return;
    p->pid = fork();
    if ( p->pid == 0 )
    {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        run_pager(command);
    }
    close(ends[0]);
    if ( p->pid > 0 )
        p->out = fdopen(ends[1], "w");
    if ( p->pid < 0 || !p->out )
    {
        close(ends[1]);
        *p = (struct pager){ .out = stdout };
        return;
    }
    /* A user may quit the pager early: EPIPE is no error. */
    signal(SIGPIPE, SIG_IGN);
}

int pager_close(struct pager *p)
{
    int rc;

    assert(p->out && (p->pid || p->out == stdout));
    rc = fflush(p->out) ? -errno : ferror(p->out) ? -EIO : 0;
    if ( !p->pid )
        return rc;
    fclose(p->out);
    while ( waitpid(p->pid, NULL, 0) < 0 && errno == EINTR )
        continue;
    /* The user quit, or an earlier failure has been reported. */
    return rc == -EPIPE || rc == -EIO ? 0 : rc;
}
