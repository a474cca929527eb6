/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals are a property of the process, and so are the variables here.
 */
#define _GNU_SOURCE /* ppoll */

#include "xentrace/stop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1 };

#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* So many times each; written by ask() only. */
static volatile sig_atomic_t asked, snapshots;
static sig_atomic_t taken;          /* snapshots that somebody has seen to */
static volatile sig_atomic_t first; /* the signal that asked first */

static void ask(int number)
{
    if ( number == SIGUSR1 && snapshots < SIG_ATOMIC_MAX )
        snapshots++;
    if ( number == SIGUSR1 )
        return;
    if ( !asked )
        first = number;
    if ( asked < SIG_ATOMIC_MAX )
        asked++;
}

/* nohup(1) is honoured: who is deaf to SIGHUP when we come stays so. */
static bool deaf_to(int number)
{
    struct sigaction old;

    return number == SIGHUP && !sigaction(number, NULL, &old) &&
           old.sa_handler == SIG_IGN;
}

/*
 * No SA_RESTART: a write to a pipe that nobody reads has to come back.  And
 * a reader that has gone is an error of that write, no signal.
 */
int stop_init(struct err *e)
{
    struct sigaction act = { .sa_handler = ask };
    struct sigaction ignore = { .sa_handler = SIG_IGN };

    sigemptyset(&act.sa_mask);
    /* None interrupts the counting of another. */
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        sigaddset(&act.sa_mask, signals[i]);
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        if ( !deaf_to(signals[i]) && sigaction(signals[i], &act, NULL) )
            return err_sys(e, -errno, "cannot catch signals");
    if ( sigaction(SIGPIPE, &ignore, NULL) )
        return err_sys(e, -errno, "cannot ignore SIGPIPE");
    return 0;
}

int stop_after(uint64_t ns, struct err *e)
{
    /* Rounded up: to a timer, 0 means never. */
    uint64_t us = ns / 1000 + (ns % 1000 != 0);
    struct itimerval t = {
        .it_value = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 },
    };

    if ( setitimer(ITIMER_REAL, &t, NULL) )
        return err_sys(e, -errno, "cannot set a timer");
    return 0;
}

bool stop_asked(void)
{
    return asked > 0;
}

bool stop_insisted(void)
{
    return asked > 1;
}

bool stop_by_time(void)
{
    return first == SIGALRM;
}

bool stop_snapshot(void)
{
    if ( taken == snapshots )
        return false;
    taken = snapshots;
    return true;
}

int stop_wait(struct pollfd *fds, unsigned int nr, unsigned int ms,
              struct err *e)
{
    struct timespec time = { .tv_sec = ms / 1000,
                             .tv_nsec = ms % 1000 * 1000000L };
    sigset_t ours, before;
    int rc = 0;

    for ( unsigned int i = 0; i < nr; i++ )
        fds[i].revents = 0;
    sigemptyset(&ours);
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        sigaddset(&ours, signals[i]);
    /* Blocked between the question and the sleep: ppoll lets them in. */
    sigprocmask(SIG_BLOCK, &ours, &before);
    if ( !stop_asked() && snapshots == taken )
        rc = ppoll(fds, nr, &time, &before);
    for ( unsigned int i = 0; rc < 0 && i < nr; i++ )
        fds[i].revents = 0;
    if ( rc < 0 )
        rc = errno == EINTR ? 0 : err_sys(e, -errno, "cannot wait");
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc < 0 ? rc : 0;
}
