/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes with two pipes.  Pipes of other children close on exec, so
 * closing our end ends the child's input.
 */
#define _GNU_SOURCE
#include "tests/bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void exec_program(const char *program, int in, int out)
{
    if ( dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 )
        _exit(127);
    execl(program, program, (char *)NULL);
    fprintf(stderr, "%s: %s\n", program, strerror(errno));
    _exit(127);
}

static int start_child(struct child *c, const char *program, const int to[2],
                       const int from[2])
{
    c->pid = fork();
    if ( c->pid == 0 )
        exec_program(program, to[0], from[1]);
    if ( c->pid < 0 )
        return -errno;

    c->ask = fdopen(to[1], "w");
    c->answer = fdopen(from[0], "r");

    return c->ask && c->answer ? 0 : -ENOMEM;
}

int child_open(struct child *c, const char *name, const char *program)
{
    int to[2], from[2], rc;

    *c = (struct child){ .name = name };
    /* A dead child shows by a missing answer. */
    signal(SIGPIPE, SIG_IGN);

    if ( pipe2(to, O_CLOEXEC) )
        return -errno;
    if ( pipe2(from, O_CLOEXEC) )
    {
        rc = -errno;
        close(to[0]);
        close(to[1]);
        return rc;
    }

    rc = start_child(c, program, to, from);
    close(to[0]);
    close(from[1]);

    return rc;
}

double child_measure(struct child *c, const char *name, unsigned int calls)
{
    char line[64], *end;
    double ps;

    fprintf(c->ask, "%s %u\n", name, calls);
    if ( fflush(c->ask) || !fgets(line, sizeof(line), c->answer) )
        return CHILD_FAILED;
    if ( line[0] == '?' )
        return CHILD_KNOWS_NOT;

    ps = strtod(line, &end);
    return end == line ? CHILD_FAILED : ps / 1000;
}

int child_close(struct child *c)
{
    int status = -1;

    if ( c->ask )
        fclose(c->ask);
    if ( c->answer )
        fclose(c->answer);
    if ( c->pid > 0 )
        while ( waitpid(c->pid, &status, 0) < 0 && errno == EINTR )
            ;
    *c = (struct child){ .name = c->name };

    return status;
}
