/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensim: a hypervisor in user space, as far as trace rings go.
 *
 *     xen/common/trace.c            unchanged, on the headers of include/
 *     runtime/                      the machine it believes to run on
 *     workload/                     what happens on that machine
 *     control/                      dom0's way in: a socket
 *
 * main() puts them together, and takes them apart in reverse order.
 */
#include "xensim/control/control.h"
#include "xensim/hypercall.h"
#include "xensim/options.h"
#include "xensim/place.h"
#include "xensim/report.h"
#include "xensim/supervise.h"
#include "xensim/workload/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define LOGLEVEL_ALL 4

static struct workload *make_workload(const struct options *o)
{
    struct workload_config config = {
        .cpus = o->cpus, .rate = o->rate, .interrupts = o->interrupts,
        .nmis = o->nmis, .hotplug_ns = o->hotplug, .seed = o->seed,
    };

    return workload_new(&config);
}

static int power_on(const struct options *o, struct workload *w,
                    struct err *e)
{
    struct xensim_config config = {
        .cpus = o->cpus, .online = o->online,
        .frames = o->memory >> PAGE_SHIFT, .boot = o->boot,
        .loglevel = o->verbose ? LOGLEVEL_ALL : 0, .threads = true,
        .park = o->park, .scatter = o->scatter, .guest = workload_guest(w),
    };
    const char *bad = NULL;
    int rc = xensim_start(&config, &bad);

    if ( bad )
        return err_set(e, rc, "--boot: '%s': no such parameter, or not a "
                       "value for it; there are tbuf_size=PAGES and "
                       "tevt_mask=MASK", bad);
    if ( rc )
        return err_sys(e, rc, "cannot power on %u pcpus with %" PRIu64
                       " MiB", o->cpus, o->memory >> 20);
    hypercall_boot();
    return 0;
}

static int tell_ready(const struct options *o, struct err *e)
{
    ssize_t done;

    if ( o->ready_fd == NO_FD )
        return 0;
    done = write(o->ready_fd, "\n", 1);
    close(o->ready_fd);
    return done == 1 ? 0 : err_sys(e, -errno, "--ready-fd %u", o->ready_fd);
}

/* The socket listens, the devices fire: play.  *status: exit code. */
static int play(const struct options *o, struct workload *w,
                struct control *c, struct supervisor *s, const char *path,
                int *status, struct err *e)
{
    int rc = workload_start_devices(w);

    if ( rc )
        return err_sys(e, rc, "cannot start the devices");
    rc = tell_ready(o, e);
    if ( !rc )
        rc = supervisor_limit(s, o->duration, e);
    if ( !rc && o->command )
        rc = supervisor_start_command(s, o->command, path, e);
    if ( !rc )
        *status = supervise(s, c);
    workload_stop_devices(w);
    return rc;
}

static int run_machine(const struct options *o, struct workload *w,
                       struct supervisor *s, int *status, struct err *e)
{
    struct control *c = NULL;
    struct place place;
    int rc = place_init(&place, o->socket, o->command, e);

    if ( rc )
        return rc;
    rc = power_on(o, w, e);
    if ( rc )
        goto out_place;
    rc = control_open(&c, place.path, e);
    if ( rc )
        goto out_power;
    rc = play(o, w, c, s, place.path, status, e);
    control_close(c);
out_power:
    xensim_stop();
out_place:
    place_fini(&place);
    return rc;
}

static int run(const struct options *o, int *status, struct err *e)
{
    struct supervisor s;
    struct report report;
    struct workload *w;
    int rc = supervisor_init(&s, e);

    if ( rc )
        return rc;
    rc = report_open(&report, o->report, e);
    if ( rc )
        goto out_supervisor;
    w = make_workload(o);
    rc = w ? run_machine(o, w, &s, status, e)
           : err_set(e, -ENOMEM, "no memory for %u pcpus", o->cpus);
    rc = report_close(&report, rc ? NULL : w, e) ?: rc;
    workload_free(w);
out_supervisor:
    supervisor_fini(&s);
    return rc;
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    struct options o;
    enum opts_next next;
    int status = EXIT_SUCCESS;

    if ( options_parse(&o, argc, argv, &next, &e) )
        goto failed;
    if ( next == OPTS_EXIT )
        return EXIT_SUCCESS;
    if ( run(&o, &status, &e) )
        goto failed;
    return status;

failed:
    err_print("xensim", &e);
    return EXIT_FAILURE;
}
