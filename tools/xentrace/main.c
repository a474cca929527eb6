/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace: capture Xen's trace buffers into a file.
 *
 * This file speaks to the user; the rooms it joins do not.  The letters of
 * the options and what they mean are those of Xen's own xentrace, so that
 * scripts go on to work.  Exit codes: 0 a capture that ended as asked, 1
 * anything that went wrong, also with the options.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/err.h"
#include "common/fault.h"
#include "common/log.h"
#include "common/opts.h"
#include "xentrace/collect.h"
#include "xentrace/hypervisor.h"
#include "xentrace/mask.h"
#include "xentrace/stop.h"
#include "xentrace/writer.h"

#define NAME "xentrace"

struct config
{
    struct collect_plan plan;
    struct mask_events events;
    uint64_t log_thresh;
    const char *hypervisor;
    struct hv_where where;
    struct log log;
};

static int parse_events(const struct opt *o, const char *text, void *config,
                        struct err *e)
{
    struct config *c = config;

    (void)o;
    return mask_events(text, &c->events, e);
}

#define AT(field) .at = offsetof(struct config, field)

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "What is traced" },
    { .name = "evt-mask", .letter = 'e', .type = OPT_CALL, .arg = "MASK",
      .parse = parse_events,
      .help = "hvm, sched:min, sched_wake, all, or a number; adds up" },
    { .name = "cpu-mask", .letter = 'c', .type = OPT_TEXT, .arg = "CPUS",
      AT(plan.cpus), .help = "pcpus: 0,2-5,8- or 0x3f or all" },
    { .name = "trace-buf-size", .letter = 'S', .type = OPT_UINT,
      .arg = "PAGES", AT(plan.pages), .max = 65535,
      .help = "ring of each pcpu, where there is none yet; 32 if not given" },

    { .type = OPT_GROUP, .help = "When" },
    { .name = "time-interval", .letter = 'T', .type = OPT_TIME,
      .arg = "TIME", AT(plan.time_ns),
      .help = "stop after that time, in seconds or as 500ms, 2m" },
    { .name = "poll-sleep", .letter = 's', .type = OPT_UINT, .arg = "MS",
      AT(plan.sleep_ms), .preset = "100", .min = 1, .max = 3600000,
      .help = "look at the rings at least so often" },
    { .name = "log-thresh", .letter = 't', .type = OPT_U64, .arg = "N",
      AT(log_thresh), .help = "does nothing, as ever" },
    { .name = "discard-buffers", .letter = 'D', .type = OPT_FLAG,
      AT(plan.discard), .help = "forget what the rings hold at the start" },
    { .name = "dont-disable-tracing", .letter = 'x', .type = OPT_FLAG,
      AT(plan.leave_enabled), .help = "let Xen trace on at the end" },
    { .name = "start-disabled", .letter = 'X', .type = OPT_FLAG,
      AT(plan.start_disabled), .help = "do not start tracing, only read" },

    { .type = OPT_GROUP, .help = "Where" },
    { .name = "hypervisor", .type = OPT_TEXT, .arg = "NAME", AT(hypervisor),
      .help = "xen or xensim; if not given, what is found first" },
    { .name = "socket", .type = OPT_TEXT, .arg = "PATH", AT(where.socket),
      .help = "of xensim, if it is not in its usual place" },

    { .type = OPT_GROUP, .help = "What is said" },
    LOG_OPTS(struct config, log),
};

static const struct program program = {
    .name = NAME,
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [FILE]",
    .summary = "capture Xen's trace buffers",
    .footer = "Without FILE, or with -, the trace goes to standard output.\n"
              "\n"
              "  xentrace -D -e all -T 5 trace.bin\n"
              "  xenalyze --summary trace.bin\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .max_args = 1,
};

/* One line a pcpu that lost something: it is the first thing to look for. */
static void print_lost(const struct collect *c, const struct log *log)
{
    uint64_t total = 0;

    for ( unsigned int cpu = 0; c->lost && cpu < c->nr_cpus; cpu++ )
    {
        total += c->lost[cpu];
        if ( c->lost[cpu] )
            log_warning(log, "pcpu %u lost %" PRIu64 " records", cpu,
                        c->lost[cpu]);
    }
    if ( c->lost && !total )
        log_info(log, "no record was lost");
}

/* How many rings did not make it to the end. */
static unsigned int print_sum(const struct collect *c, const struct writer *w,
                              const struct log *log)
{
    unsigned int given_up = 0, seen = 0;

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        given_up += c->rings.ring[cpu].given_up;
        seen += c->rings.ring[cpu].windows > 0;
    }
    log_info(log, "%" PRIu64 " bytes in %" PRIu64 " windows from %u pcpus",
             w->bytes, w->windows, seen);
    print_lost(c, log);
    return given_up;
}

static int capture(const struct config *config, struct hv *hv,
                   const char *path, struct err *e)
{
    unsigned int given_up = 0;
    struct collect c;
    struct writer w;
    int rc, closed;

    rc = collect_open(&c, &config->plan, hv, &config->log, e);
    if ( rc )
        return rc;
    rc = writer_open(&w, path, stop_insisted, e);
    if ( rc )
        goto out;
    rc = collect_run(&c, &w, e);
    closed = writer_close(&w, e);
    if ( c.rings.hv )
        given_up = print_sum(&c, &w, &config->log);
    if ( !rc )
        rc = closed;
    if ( !rc && given_up )
        rc = err_set(e, -EBADMSG, "%u rings were not read to the end",
                     given_up);
 out:
    collect_close(&c);
    return rc;
}

/* Xen's masks are coarse: say what comes along with what was asked for. */
static void say_mask(const struct config *config)
{
    uint32_t mask = config->events.mask;

    if ( config->events.names )
        log_info(&config->log, "the smallest mask that lets these events pass "
                 "is %#x, which lets %u others pass as well", mask,
                 mask_events_count(mask) - config->events.names);
}

static int run(struct config *config, const char *path, struct err *e)
{
    struct hv *hv = NULL;
    int rc = mask_events_check(config->events.mask, e);

    config->plan.evt_mask = config->events.mask;
    if ( !rc )
        say_mask(config);
    if ( !rc )
        rc = stop_init(e);
    if ( !rc )
        rc = hv_open(&hv, config->hypervisor, &config->where, e);
    if ( !rc )
        rc = capture(config, hv, path, e);
    hv_close(hv);
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { .log = LOG_INIT(NAME) };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int first, rc;

    rc = fault_arm_env(&e);
    if ( !rc )
        rc = opts_parse(&program, argc, argv, &config, &first, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = run(&config, first < argc ? argv[first] : NULL, &e);
    if ( rc )
        err_print(NAME, &e);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
