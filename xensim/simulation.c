/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time runs in batches of events. Between batches the main thread
 * polls the control socket and the signals.
 *
 * With an external reader the clock stands still until tracing is on, and
 * again whenever a ring is more than half full, until the reader has drained
 * the ring. So xentrace sees a machine exactly as fast as the reader. A reader
 * without progress for READER_TIMEOUT_NS is not waited for any longer; records
 * are lost then, as on a real machine.
 *
 * Without an external reader the rings are drained here, by the same rule or
 * at the interval of --drain.
 */
#include "xensim/simulation.h"

#include "xensim/control/control-server.h"
#include "xensim/file-metadata.h"
#include "xensim/local-drain.h"
#include "xensim/program-trace.h"
#include "xensim/supervisor.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define BATCH_EVENTS 4096
#define POLL_MS 10
#define READER_TIMEOUT_NS 3000000000ull
#define RING_PAGES 32

static int report_ready(const struct options *o, struct err *e)
{
    ssize_t done;

    if ( o->ready_fd == NO_FD )
        return 0;
    done = write(o->ready_fd, "\n", 1);
    close(o->ready_fd);
    return done == 1 ? 0 : err_sys(e, -errno, "--ready-fd %u", o->ready_fd);
}

static int start_command(const struct simulation *p, struct err *e)
{
    if ( !p->options->command )
        return 0;
    return supervisor_start_command(p->supervisor, p->options->command,
                                    p->path, e);
}

/* ---- real time -------------------------------------------------------- */

static int run_real_time(struct simulation *p, int *status, struct err *e)
{
    const struct options *o = p->options;
    int rc = report_ready(o, e);

    ASSERT(p->control);
    if ( !rc )
        rc = supervisor_limit(p->supervisor, o->duration, e);
    if ( !rc )
        rc = start_command(p, e);
    if ( !rc )
        *status = supervisor_run(p->supervisor, p->control);
    return rc;
}

/* ---- virtual time, with a reader -------------------------------------- */

static uint64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Wait until tracing is on. Return true if the run is over. */
static bool wait_for_trace(struct simulation *p)
{
    bool over = false;

    while ( !over && !local_drain_trace_is_on() )
        over = supervisor_poll(p->supervisor, p->control, -1);
    return over;
}

static bool wait_for_reader(struct simulation *p)
{
    uint64_t until = monotonic_ns() + READER_TIMEOUT_NS;
    bool over = false;

    while ( !over && local_drain_ring_half_full() &&
            local_drain_trace_is_on() && monotonic_ns() < until )
        over = supervisor_poll(p->supervisor, p->control, POLL_MS);
    return over;
}

/* Return true if the run was stopped, false if the duration is over. */
static bool run_batches(struct simulation *p)
{
    uint64_t ns = p->options->duration ?: UINT64_MAX / 4096;
    unsigned long virqs = xensim_virqs();
    bool over = false, more = true;

    while ( !over && more )
    {
        more = workload_advance(p->workload, ns, BATCH_EVENTS);
        over = supervisor_poll(p->supervisor, p->control, 0);
        if ( !over && virqs != xensim_virqs() )
            over = wait_for_reader(p);
        virqs = xensim_virqs();
    }
    return over;
}

static int run_with_reader(struct simulation *p, int *status, struct err *e)
{
    int rc = report_ready(p->options, e);
    bool over = false;

    ASSERT(p->control);
    if ( !rc )
        rc = start_command(p, e);
    if ( rc )
        return rc;
    if ( p->options->command )
        over = wait_for_trace(p);
    if ( !over )
        over = run_batches(p);
    if ( !over )
        over = supervisor_end(p->supervisor);
    while ( !over )
        over = supervisor_poll(p->supervisor, p->control, -1);
    *status = p->supervisor->status;
    return 0;
}

/* ---- virtual time, without one ---------------------------------------- */

/* The end of this batch: the next drain, or the end of the run. */
static uint64_t batch_end(const struct options *o, uint64_t now)
{
    uint64_t next = o->drain ? (now / o->drain + 1) * o->drain : o->duration;

    ASSERT(next > now || now >= o->duration);
    return next < o->duration ? next : o->duration;
}

/*
 * A domain's name is in the file before the domain's first record.  The names
 * are asked for after each batch, and not only before a drain: a domain may
 * live from one drain to the next.
 */
static int write_output(struct simulation *p, struct file_metadata *m,
                        bool drain, struct err *e)
{
    int rc = file_metadata_update(m, p->output);

    if ( !rc && drain )
        rc = local_drain_write(p->output);
    return rc ? err_sys(e, rc, "--output %s", p->options->output) : 0;
}

/* Each VIRQ says that a ring is half full. */
static int run_and_drain(struct simulation *p, struct file_metadata *m,
                         struct err *e)
{
    const struct options *o = p->options;
    unsigned long virqs = xensim_virqs();
    bool over = false, more = true;
    uint64_t until = 0;
    int rc = 0;

    while ( !rc && !over && (more || until < o->duration) )
    {
        if ( !more || !until )
            until = batch_end(o, until);
        more = workload_advance(p->workload, until, BATCH_EVENTS);
        rc = write_output(p, m, o->drain ? !more : virqs != xensim_virqs(), e);
        virqs = xensim_virqs();
        over = supervisor_poll(p->supervisor, NULL, 0);
    }
    return rc;
}

static int run_without_reader(struct simulation *p, int *status, struct err *e)
{
    struct file_metadata m;
    int rc = local_drain_start(RING_PAGES, e);

    ASSERT(p->output && !p->control);
    if ( rc )
        return rc;
    rc = file_metadata_begin(&m, p->options,
                             workload_first_clock(p->workload), p->output);
    if ( rc )
        err_sys(e, rc, "--output %s", p->options->output);
    else if ( p->programs && program_trace_begin(p->options, p->programs) )
        rc = err_sys(e, -EIO, "--programs %s", p->options->programs);
    else
        rc = run_and_drain(p, &m, e);
    local_drain_stop();
    if ( !rc )
        rc = write_output(p, &m, true, e);
    *status = p->supervisor->status;
    return rc;
}

int simulation_run(struct simulation *p, int *status, struct err *e)
{
    int rc = workload_begin(p->workload);

    if ( rc )
        return err_sys(e, rc, "cannot start the devices");
    if ( p->output )
        rc = run_without_reader(p, status, e);
    else if ( p->options->virtual_time )
        rc = run_with_reader(p, status, e);
    else
        rc = run_real_time(p, status, e);
    workload_end(p->workload);
    return rc;
}
