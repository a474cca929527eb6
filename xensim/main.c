/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensim: a hypervisor in user space, as far as trace buffers need one.
 *
 *     xen/common/trace.c    unchanged, compiled with the headers of include/
 *     runtime/              the machine below the hypervisor
 *     workload/             domains, vcpus and a scheduler on the machine
 *     control/              a socket: the interface of dom0
 *
 * main() starts these parts, and stops them in reverse order.
 */
#include "xensim/control/control-server.h"
#include "xensim/hypercall.h"
#include "xensim/options.h"
#include "xensim/outfile.h"
#include "xensim/simulation.h"
#include "xensim/socket-dir.h"
#include "xensim/supervisor.h"
#include "xensim/workload/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define LOGLEVEL_ALL    4
#define LOGLEVEL_ERRORS 1

/* Files named by options, open during the run. */
struct files
{
    struct output_file truth, report, output, programs;
};

static int make_workload(const struct options *o, const struct supervisor *s,
                         const struct files *f, struct workload **w,
                         struct err *e)
{
    struct workload_config config = {
        .cpus = o->cpus, .virtual_time = o->virtual_time,
        .scheduler = o->scheduler, .runq_cpus = o->runq_cpus,
        .ratelimit = o->ratelimit, .tickle_idle = o->tickle_idle,
        .vendor = o->vendor, .layout = o->layout,
        .nested = o->nested, .cstates = o->cstates,
        .cstate_exit = o->cstate_exit, .timer_slack = o->timer_slack,
        .rate = o->rate,
        .interrupts = o->interrupts, .interrupt_cpus = o->interrupt_cpus,
        .nmis = o->nmis, .storm = o->storm, .stall = o->stall,
        .stall_for = o->stall_for,
        .hotplug = o->hotplug, .skew = o->skew, .drift = o->drift,
        .jump = o->jump, .seed = o->seed, .dom_configs = o->dom_configs,
        .nr_dom_configs = o->nr_dom_configs, .truth = f->truth.out,
        .programs = f->programs.out,
        .is_stopped = supervisor_is_notified, .is_stopped_arg = s,
    };

    return workload_new(w, &config, e);
}

/* With --output there is no user at a console, so only errors are printed. */
static unsigned int choose_loglevel(const struct options *o)
{
    if ( o->verbose )
        return LOGLEVEL_ALL;
    return o->output ? LOGLEVEL_ERRORS : 0;
}

static int power_on(const struct options *o, struct workload *w,
                    struct err *e)
{
    struct xensim_config config = {
        .cpus = o->cpus, .online = o->online,
        .frames = o->memory >> PAGE_SHIFT, .boot = o->boot,
        .loglevel = choose_loglevel(o), .threads = !o->virtual_time,
        .park = o->park, .scatter = o->scatter,
        .guest = workload_guest(w),
    };
    const char *bad = NULL;
    int rc;

    workload_set_clock(w);
    rc = xensim_start(&config, &bad);
    if ( bad )
        return err_usage(e, "--boot: '%s': no such parameter, or not a value "
                         "for it; there are tbuf_size=PAGES and "
                         "tevt_mask=MASK", bad);
    if ( rc )
        return err_sys(e, rc, "cannot power on %u pcpus with %" PRIu64
                       " MiB", o->cpus, o->memory >> 20);
    hypercall_boot();
    return 0;
}

/*
 * Return 0 with *c = NULL if --output drains the rings: no client, no socket.
 */
static int open_control(const struct options *o, struct control **c,
                        const char *path, struct err *e)
{
    *c = NULL;
    return o->output ? 0 : control_open(c, path, e);
}

static int run_machine(struct simulation *p, int *status, struct err *e)
{
    const struct options *o = p->options;
    struct socket_dir place;
    int rc = socket_dir_init(&place, o->socket, o->command, e);

    if ( rc )
        return rc;
    rc = power_on(o, p->workload, e);
    if ( rc )
        goto out_place;
    rc = open_control(o, &p->control, place.path, e);
    if ( rc )
        goto out_power;
    p->path = place.path;
    rc = simulation_run(p, status, e);
    if ( p->control )
        control_close(p->control);
out_power:
    xensim_stop();
out_place:
    socket_dir_fini(&place);
    return rc;
}

static int run_workload(const struct options *o, const struct files *f,
                        struct supervisor *s, int *status, struct err *e)
{
    struct simulation p = { .options = o, .supervisor = s,
                      .output = f->output.out,
                      .programs = f->programs.out };
    int rc = make_workload(o, s, f, &p.workload, e);

    if ( rc )
        return rc;
    rc = run_machine(&p, status, e);
    if ( !rc && f->report.out )
        workload_report(p.workload, f->report.out);
    workload_free(p.workload);
    return rc;
}

static int run_xensim(const struct options *o, int *status, struct err *e)
{
    struct supervisor s;
    struct files f = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 } };
    int rc = supervisor_init(&s, e);

    if ( !rc )
        rc = outfile_open(&f.truth, o->truth, e);
    if ( !rc )
        rc = outfile_open(&f.report, o->report, e);
    if ( !rc )
        rc = outfile_open(&f.output, o->output, e);
    if ( !rc )
        rc = outfile_open(&f.programs, o->programs, e);
    if ( !rc )
        rc = run_workload(o, &f, &s, status, e);
    rc = outfile_close(&f.programs, rc, e);
    rc = outfile_close(&f.output, rc, e);
    rc = outfile_close(&f.report, rc, e);
    rc = outfile_close(&f.truth, rc, e);
    supervisor_fini(&s);
    return rc;
}

int main(int argc, char **argv)
{
    struct err e = ERR_INIT;
    struct options o;
    enum opts_next next;
    int status = EXIT_SUCCESS;
    int rc = options_parse(&o, argc, argv, &next, &e);

    if ( !rc && next == OPTS_RUN )
        rc = run_xensim(&o, &status, &e);
    options_fini(&o);
    if ( !rc )
        return status;
    err_print("xensim", &e);
    return err_exit_code(&e);
}
