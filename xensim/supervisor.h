/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main thread during the run: serve the control socket until a signal, the
 * time limit, or the exit of the command ends the run.
 */
#ifndef XENSIM_SUPERVISOR_H
#define XENSIM_SUPERVISOR_H

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
    sigset_t before;        /* signal mask for the command */
    pid_t command;          /* 0: none */
    int status;             /* exit code */
};

/*
 * Take over SIGINT, SIGTERM, SIGHUP and SIGCHLD. Call before the first thread
 * starts: threads inherit the signal mask.
 */
int supervisor_init(struct supervisor *s, struct err *e);
void supervisor_fini(struct supervisor *s);

/* Limit the duration, counted from now; 0: no limit. */
int supervisor_limit(struct supervisor *s, uint64_t ns, struct err *e);
/* Start the command with XENSIM_SOCKET=path in the environment. */
int supervisor_start_command(struct supervisor *s, char **command,
                             const char *path, struct err *e);

/* Serve until the run is over. Return the exit code: the command's, or 0. */
int supervisor_run(struct supervisor *s, struct control *c);

/*
 * Poll once, for at most ms milliseconds (-1: until an event). c may be NULL:
 * no control socket. Return true if the run is over, with the exit code in
 * s->status.
 */
bool supervisor_poll(struct supervisor *s, struct control *c, int ms);

/* Is there a signal or a time limit that supervisor_poll() has not taken? */
bool supervisor_is_notified(const void *supervisor);

/*
 * End the run. Return true if the run is over, false if the command has to
 * exit first.
 */
bool supervisor_end(struct supervisor *s);

#endif /* XENSIM_SUPERVISOR_H */
