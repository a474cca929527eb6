/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time is played a piece at a time, and between two pieces the socket
 * and the signals get a look.
 *
 * With a reader the clock stands still until somebody traces, and whenever a
 * ring is more than half full, until the reader has been there: a real
 * xentrace sees a machine that is exactly as fast as it can follow.  Only
 * one that does nothing for seconds is not waited for; then records are lost,
 * as on a real machine.
 *
 * Without one the rings are drained here, by the same rule, or as often as
 * the user says.
 */
#include "xensim/play.h"

#include "xensim/control/control.h"
#include "xensim/drain.h"
#include "xensim/supervise.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define PIECE_EVENTS    4096
#define LOOK_MS         10
#define PATIENCE_NS     3000000000ull
#define RING_PAGES      32

static int tell_ready(const struct options *o, struct err *e)
{
    ssize_t done;

    if ( o->ready_fd == NO_FD )
        return 0;
    done = write(o->ready_fd, "\n", 1);
    close(o->ready_fd);
    return done == 1 ? 0 : err_sys(e, -errno, "--ready-fd %u", o->ready_fd);
}

static int start_command(const struct play *p, struct err *e)
{
    if ( !p->options->command )
        return 0;
    return supervisor_start_command(p->supervisor, p->options->command,
                                    p->path, e);
}

/* ---- real time -------------------------------------------------------- */

static int play_real(struct play *p, int *status, struct err *e)
{
    const struct options *o = p->options;
    int rc = tell_ready(o, e);

    if ( !rc )
        rc = supervisor_limit(p->supervisor, o->duration, e);
    if ( !rc )
        rc = start_command(p, e);
    if ( !rc )
        *status = supervise(p->supervisor, p->control);
    return rc;
}

/* ---- virtual time, with a reader -------------------------------------- */

static uint64_t real_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* True: it is over. */
static bool wait_for_trace(struct play *p)
{
    bool over = false;

    while ( !over && !drain_is_wanted() )
        over = supervise_for(p->supervisor, p->control, -1);
    return over;
}

static bool wait_for_reader(struct play *p)
{
    uint64_t until = real_now() + PATIENCE_NS;
    bool over = false;

    while ( !over && drain_is_urgent() && drain_is_wanted() &&
            real_now() < until )
        over = supervise_for(p->supervisor, p->control, LOOK_MS);
    return over;
}

/* True: it is over; false: the time is. */
static bool play_pieces(struct play *p)
{
    uint64_t ns = p->options->duration ?: UINT64_MAX / 4096;
    unsigned long virqs = xensim_virqs();
    bool over = false, more = true;

    while ( !over && more )
    {
        more = workload_play(p->workload, ns, PIECE_EVENTS);
        over = supervise_for(p->supervisor, p->control, 0);
        if ( !over && virqs != xensim_virqs() )
            over = wait_for_reader(p);
        virqs = xensim_virqs();
    }
    return over;
}

static int play_virtual(struct play *p, int *status, struct err *e)
{
    int rc = tell_ready(p->options, e);
    bool over = false;

    if ( !rc )
        rc = start_command(p, e);
    if ( rc )
        return rc;
    if ( p->options->command )
        over = wait_for_trace(p);
    if ( !over )
        over = play_pieces(p);
    if ( !over )
        over = supervise_end(p->supervisor);
    while ( !over )
        over = supervise_for(p->supervisor, p->control, -1);
    *status = p->supervisor->status;
    return 0;
}

/* ---- virtual time, without one ---------------------------------------- */

/* When this piece ends: at its end, or when it is time to drain. */
static uint64_t end_of_piece(const struct options *o, uint64_t now)
{
    uint64_t next = o->drain ? (now / o->drain + 1) * o->drain : o->duration;

    return next < o->duration ? next : o->duration;
}

static int drain_to(struct play *p, struct err *e)
{
    int rc = drain_all(p->output);

    return rc ? err_sys(e, rc, "--output %s", p->options->output) : 0;
}

/* A ring is half full when somebody was told so. */
static int play_and_drain(struct play *p, struct err *e)
{
    const struct options *o = p->options;
    unsigned long virqs = xensim_virqs();
    bool over = false, more = true;
    uint64_t until = 0;
    int rc = 0;

    while ( !rc && !over && (more || until < o->duration) )
    {
        if ( !more || !until )
            until = end_of_piece(o, until);
        more = workload_play(p->workload, until, PIECE_EVENTS);
        if ( o->drain ? !more : virqs != xensim_virqs() )
            rc = drain_to(p, e);
        virqs = xensim_virqs();
        over = supervise_for(p->supervisor, NULL, 0);
    }
    return rc;
}

static int play_alone(struct play *p, int *status, struct err *e)
{
    int rc = drain_begin(RING_PAGES, e);

    if ( rc )
        return rc;
    rc = play_and_drain(p, e);
    drain_end();
    if ( !rc )
        rc = drain_to(p, e);
    *status = p->supervisor->status;
    return rc;
}

int play(struct play *p, int *status, struct err *e)
{
    int rc = workload_begin(p->workload);

    if ( rc )
        return err_sys(e, rc, "cannot start the devices");
    if ( p->output )
        rc = play_alone(p, status, e);
    else if ( p->options->virtual_time )
        rc = play_virtual(p, status, e);
    else
        rc = play_real(p, status, e);
    workload_end(p->workload);
    return rc;
}
