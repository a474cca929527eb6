/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace: capture Xen's trace buffers into a file.
 *
 * Errors of all other files arrive here and are printed once.  Exit codes: 0,
 * the capture ended as requested; 1, an error; 2, a wrong call.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/err.h"
#include "common/fault.h"
#include "common/num.h"
#include "xentrace/collect.h"
#include "xentrace/watchdog.h"
#include "xentrace/hypervisor.h"
#include "xentrace/list-events.h"
#include "xentrace/options.h"
#include "xentrace/service.h"
#include "xentrace/stop-signals.h"
#include "xentrace/capture-summary.h"
#include "xentrace/request-client.h"
#include "xentrace/writer.h"

/* Fail if rings were given up during the capture. */
static int check_rings(const struct collect *c, struct err *e)
{
    unsigned int given_up = 0;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        given_up += c->rings.ring[cpu].given_up;
    return given_up ? err_set(e, -EBADMSG, "%u ring%s not read to the end",
                              given_up, given_up == 1 ? " was" : "s were") : 0;
}

/* A capture works without a control socket. */
static void open_requests(struct options *o, struct request_server *s)
{
    struct err why = ERR_INIT;

    o->plan.requests = NULL;
    if ( !o->control )
        return;
    if ( !request_server_open(s, o->output.path, &why) )
        o->plan.requests = s;
    else
        log_warning(&o->log, "no control socket for xentrace status and stop: "
                    "%s (--no-control: none is wanted)", why.text);
}

/* The answer to `xentrace stop`, when the file is complete. */
static void close_requests(const struct collect *c, const struct writer *w,
                           const struct err *e)
{
    struct request_server *s = c->plan->requests;
    char text[CONTROL_MESSAGE_MAX];
    struct request *r;

    if ( !s )
        return;
    capture_summary_format(c, w, s->output, text, sizeof(text));
    while ( (r = request_server_find(s, REQUEST_STOP)) != NULL )
        request_server_answer(s, r, text, e->code ? e : NULL);
    request_server_close(s);
}

static int write_trace(struct collect *c, struct writer *w, struct err *e)
{
    int rc = collect_run(c, w, e);
    int closed = writer_close(w, e);

    rc = rc ? rc : closed;
    if ( c->pipeline_is_open )
        capture_summary_print(c, w, c->log);
    return rc ? rc : check_rings(c, e);
}

static int run_capture(struct options *o, struct hv *hv, struct writer *w,
                       struct err *e)
{
    struct request_server requests = REQUEST_SERVER_INIT;
    struct collect c;
    int rc;

    rc = collect_open(&c, &o->plan, hv, &o->log, e);
    if ( rc )
        return rc;
    rc = writer_open(w, &o->output, e);
    if ( !rc )
    {
        open_requests(o, &requests);
        rc = write_trace(&c, w, e);
        close_requests(&c, w, e);
    }
    collect_close(&c);
    return rc;
}

/* Xen's masks are coarse: report how many further events are selected. */
static void report_mask(const struct options *o)
{
    uint32_t mask = o->events.mask;
    unsigned int others = mask_events_count(mask) - o->events.names;

    if ( o->events.names )
        log_info(&o->log, "the smallest mask that selects these events is %#x, "
                 "which also selects %u other%s", mask, others,
                 num_plural(others));
}

/* The receivers of the message that tracing has begun. */
struct listener
{
    struct service service;
    struct log *log;
};

static void notify_ready(void *listener)
{
    struct listener *l = listener;

    service_ready(&l->service, l->log);
}

static int run_program(struct options *o, struct err *e)
{
    struct listener listener = { .log = &o->log };
    struct writer *w = fault_calloc(1, sizeof(*w));
    struct watchdog watchdog = { .pid = 0 };
    struct hv *hv = NULL;
    int rc = w ? 0 : err_sys(e, -ENOMEM, "cannot allocate a writer");

    report_mask(o);
    if ( !rc )
        rc = stop_init(e);
    if ( !rc )
        rc = service_start(&listener.service, o->daemon, e);
    o->plan.ready = notify_ready;
    o->plan.ready_arg = &listener;
    if ( !rc && !o->plan.leave_enabled )
        rc = watchdog_start(&watchdog, o->hypervisor, &o->address, e);
    if ( !rc )
        rc = hv_open(&hv, o->hypervisor, &o->address, e);
    if ( !rc )
        rc = triggers_find_domains(&o->triggers, hv, e);
    if ( !rc )
        rc = run_capture(o, hv, w, e);
    hv_close(hv);
    watchdog_end(&watchdog);
    free(w);
    return rc;
}

int main(int argc, char **argv)
{
    struct options options = { .log = LOG_INIT("xentrace") };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int rc;

    rc = fault_arm_env(&e);
    if ( !rc )
        rc = xentrace_options_parse(&options, argc, argv, &next, &e);
    if ( !rc && next == OPTS_RUN && options.list )
        rc = list_events(options.pattern, stdout, &e);
    else if ( !rc && next == OPTS_RUN && options.request.kind != REQUEST_NONE )
        rc = request_run(&options.request, stdout, &e);
    else if ( !rc && next == OPTS_RUN && options.from_dump.path )
        rc = from_dump_run(&options.from_dump, &options.output,
                           options.arguments, options.plan.comment,
                           &options.log, &e);
    else if ( !rc && next == OPTS_RUN )
        rc = run_program(&options, &e);
    xentrace_options_fini(&options);
    if ( rc )
        log_err(&options.log, LOG_LEVEL_ERROR, &e);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
