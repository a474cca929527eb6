/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal handlers are a property of the process, and so are these variables.
 */
#define _GNU_SOURCE /* ppoll */

#include "xentrace/stop-signals.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1 };

#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* Counters, written by count_signal() only. */
static volatile sig_atomic_t stop_requests, snapshot_requests;
static sig_atomic_t snapshots_taken; /* requests that were handled */
static volatile sig_atomic_t first_signal; /* the first stop request */

static void count_signal(int number)
{
    if ( number == SIGUSR1 && snapshot_requests < SIG_ATOMIC_MAX )
        snapshot_requests++;
    if ( number == SIGUSR1 )
        return;
    if ( !stop_requests )
        first_signal = number;
    if ( stop_requests < SIG_ATOMIC_MAX )
        stop_requests++;
}

/* nohup(1): a signal that is ignored at the start stays ignored. */
static bool is_ignored(int number)
{
    struct sigaction old;

    return number == SIGHUP && !sigaction(number, NULL, &old) &&
           old.sa_handler == SIG_IGN;
}

/*
 * No SA_RESTART: a blocked write to a pipe has to return.  SIGPIPE is ignored,
 * because the write fails with EPIPE.
 */
int stop_init(struct err *e)
{
    struct sigaction act = { .sa_handler = count_signal };
    struct sigaction ignore = { .sa_handler = SIG_IGN };

    sigemptyset(&act.sa_mask);
    /* A handler does not interrupt another handler. */
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        sigaddset(&act.sa_mask, signals[i]);
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        if ( !is_ignored(signals[i]) && sigaction(signals[i], &act, NULL) )
            return err_sys(e, -errno, "cannot catch signals");
    if ( sigaction(SIGPIPE, &ignore, NULL) )
        return err_sys(e, -errno, "cannot ignore SIGPIPE");
    return 0;
}

int stop_after(uint64_t ns, struct err *e)
{
    /* Rounded up, because setitimer() takes 0 as never. */
    uint64_t us = ns / 1000 + (ns % 1000 != 0);
    struct itimerval t = {
        .it_value = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 },
    };

    if ( setitimer(ITIMER_REAL, &t, NULL) )
        return err_sys(e, -errno, "cannot set a timer");
    return 0;
}

bool stop_is_requested(void)
{
    return stop_requests > 0;
}

bool stop_is_forced(void)
{
    return stop_requests > 1;
}

bool stop_by_time(void)
{
    return first_signal == SIGALRM;
}

bool stop_snapshot_is_requested(void)
{
    return snapshot_requests != snapshots_taken;
}

bool stop_take_snapshot_request(void)
{
    assert(snapshots_taken <= snapshot_requests);
    if ( snapshots_taken == snapshot_requests )
        return false;
    snapshots_taken = snapshot_requests;
    return true;
}

int stop_wait(struct pollfd *fds, unsigned int nr, unsigned int ms,
              struct err *e)
{
    struct timespec time = { .tv_sec = ms / 1000,
                             .tv_nsec = ms % 1000 * 1000000L };
    sigset_t caught, before;
    int rc = 0;

    assert(fds || !nr);
    for ( unsigned int i = 0; i < nr; i++ )
        fds[i].revents = 0;
    sigemptyset(&caught);
    for ( size_t i = 0; i < NR_SIGNALS; i++ )
        sigaddset(&caught, signals[i]);
    /* Blocked from the test to the sleep; ppoll() unblocks the signals. */
    sigprocmask(SIG_BLOCK, &caught, &before);
    if ( !stop_is_requested() && snapshot_requests == snapshots_taken )
        rc = ppoll(fds, nr, &time, &before);
    for ( unsigned int i = 0; rc < 0 && i < nr; i++ )
        fds[i].revents = 0;
    if ( rc < 0 )
        rc = errno == EINTR ? 0 : err_sys(e, -errno, "cannot wait");
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc < 0 ? rc : 0;
}
