/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main thread's part while the machine plays: serve the control socket
 * until a signal, the time, or the end of a command says that it is over.
 */
#ifndef XENSIM_SUPERVISE_H
#define XENSIM_SUPERVISE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

struct control;

struct supervisor
{
    int signals;            /* signalfd */
    int timer;              /* timerfd; -1: no limit */
    sigset_t before;        /* the signal mask that a command shall have */
    pid_t command;          /* 0: none */
    int status;             /* exit code to end with */
};

/*
 * Takes SIGINT, SIGTERM, SIGHUP and SIGCHLD over.  Before any thread is
 * made: they inherit the mask that keeps these signals out.
 */
int supervisor_init(struct supervisor *s, struct err *e);
void supervisor_fini(struct supervisor *s);

/* From now on; duration 0: no limit. */
int supervisor_limit(struct supervisor *s, uint64_t ns, struct err *e);
/* With XENSIM_SOCKET=path in its environment. */
int supervisor_start_command(struct supervisor *s, char **command,
                             const char *path, struct err *e);

/* The exit code: the command's, or 0. */
int supervise(struct supervisor *s, struct control *c);

/*
 * For those who have other things to do: one look, at most so many ms long
 * (-1: until there is something).  True: it is over, with s->status.  c NULL:
 * there is no control socket.
 */
bool supervise_for(struct supervisor *s, struct control *c, int ms);
/* The play shall end.  True: it is over; else it is when the command ends. */
bool supervise_end(struct supervisor *s);

#endif /* XENSIM_SUPERVISE_H */
