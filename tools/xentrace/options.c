/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of xentrace: one table, and the checks that the table cannot
 * express.  The letters and their meaning are those of Xen's own xentrace, so
 * that scripts continue to work.
 */
#include "config.h"

#include "xentrace/options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xentrace/window-fifo.h"
#include "xentrace/stop-signals.h"

#define MEMORY_PRESET (64u << 20)
#define FOOTER_MAX 1024u
#define ZSTD_LEVEL 1  /* fast enough for the rings; recompress later for size */

static int parse_events(const struct opt *o, const char *text, void *config,
                        struct err *e)
{
    struct options *options = config;

    (void)o;
    return mask_events(text, &options->events, e);
}

static int parse_trigger(const struct opt *o, const char *text, void *config,
                         struct err *e)
{
    struct options *options = config;

    (void)o;
    return triggers_parse(&options->triggers, text, e);
}

#define AT(field) .at = offsetof(struct options, field)

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

    { .type = OPT_GROUP, .help = "Where it goes" },
    { .name = "memory-buffer", .letter = 'M', .type = OPT_SIZE,
      .arg = "SIZE", AT(plan.memory), .max = 1ull << 46,
      .help = "keep the newest of it in memory, write that at the end" },
    { .name = "flight-recorder", .type = OPT_FLAG, AT(plan.flight_recorder),
      .help = "as -M, but let Xen keep the newest, if it can" },
    { .name = "snapshot-on", .type = OPT_CALL, .arg = "TRIGGER",
      .parse = parse_trigger,
      .help = "write a snapshot of what -M holds when TRIGGER (see below) "
              "happens" },
    { .name = "snapshot-before", .type = OPT_TIME, .arg = "TIME",
      AT(plan.before_ns),
      .help = "leave out what is older than that before it" },
    { .name = "snapshot-after", .type = OPT_TIME, .arg = "TIME",
      AT(plan.after_ns), .help = "go on for so long before writing" },
    { .name = "snapshots", .type = OPT_UINT, .arg = "N", AT(plan.max_snapshots),
      .help = "end after so many" },
    { .name = "buffer", .type = OPT_SIZE, .arg = "SIZE", AT(plan.buffer),
      .preset = "64M", .min = WINDOW_FIFO_MIN, .max = 1ull << 46,
      .help = "memory for what waits for the disk" },
    { .name = "plain", .type = OPT_FLAG, AT(output.plain),
      .help = "only what Xen's own xentrace writes, without notes and sums" },
    { .name = "compress", .letter = 'z', .type = OPT_FLAG, AT(compress),
      .help = "write zstd frames" },
    { .name = "reserve-disk-space", .letter = 'r', .type = OPT_U64,
      .arg = "MB", AT(reserve_mb), .max = 1ull << 40,
      .help = "stop while so much of the disk is still free" },
    { .name = "rotate-size", .type = OPT_SIZE, .arg = "SIZE",
      AT(output.rotate_bytes), .min = 4096,
      .help = "begin another file after so much: FILE.1, FILE.2, ..." },
    { .name = "rotate-time", .type = OPT_TIME, .arg = "TIME",
      AT(output.rotate_ns), .min = 1000000,
      .help = "begin another file after that time" },
    { .name = "keep", .type = OPT_UINT, .arg = "N", AT(output.keep),
      .help = "of FILE.1, FILE.2, ... keep only the newest" },

    { .type = OPT_GROUP, .help = "Of which Xen" },
    { .name = "hypervisor", .type = OPT_TEXT, .arg = "NAME", AT(hypervisor),
      .help = "xen or xensim; if not given, what is found first" },
    { .name = "socket", .type = OPT_TEXT, .arg = "PATH", AT(address.socket),
      .help = "of xensim, if it is not in its usual place" },

    { .type = OPT_GROUP, .help = "What is said" },
    { .name = "stats", .type = OPT_FLAG, AT(plan.stats),
      .help = "how it goes, once a second" },
    { .name = "daemon", .type = OPT_FLAG, AT(daemon),
      .help = "go into the background once it traces" },
    LOG_OPTS(struct options, log),
};

static const struct program program = {
    .name = "xentrace",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [FILE]",
    .summary = "capture Xen's trace buffers",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .max_args = 1,
};

/* --- combinations of options ------------------------------------------- */

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") && strcmp(path, "/dev/stdout");
}

/* Options about snapshots need a memory buffer. */
static int check_snapshots(struct options *o, struct err *e)
{
    struct collect_plan *p = &o->plan;

    if ( p->memory && p->memory < WINDOW_FIFO_MIN )
        return err_set(e, -EINVAL, "--memory-buffer %llu: less than %u bytes "
                       "hold nothing", (unsigned long long)p->memory,
                       WINDOW_FIFO_MIN);
    if ( (o->triggers.nr || p->flight_recorder) && !p->memory )
        p->memory = MEMORY_PRESET;
    if ( !p->memory && (p->before_ns || p->after_ns || p->max_snapshots) )
        return err_set(e, -EINVAL, "--snapshot-before, --snapshot-after and "
                       "--snapshots need -M or --snapshot-on");
    if ( o->triggers.nr && p->flight_recorder )
        return err_set(e, -EINVAL, "--snapshot-on looks at records as they "
                       "come, and with --flight-recorder none come: use -M");
    if ( o->triggers.nr && !is_file(o->output.path) )
        return err_set(e, -EINVAL, "--snapshot-on needs a file to name the "
                       "snapshots after");
    if ( o->triggers.nr )
        p->triggers = &o->triggers;
    return 0;
}

static int check_options(struct options *o, struct err *e)
{
    int rc = check_snapshots(o, e);
    bool rotates = o->output.rotate_bytes || o->output.rotate_ns;

    if ( rc )
        return rc;
    if ( o->daemon && !is_file(o->output.path) )
        return err_set(e, -EINVAL, "--daemon needs a file to write to");
    if ( rotates && o->plan.memory )
        return err_set(e, -EINVAL, "-M writes at the end, and --rotate-size "
                       "and --rotate-time are about before: leave one away");
    if ( rotates && !is_file(o->output.path) )
        return err_set(e, -EINVAL, "--rotate-size and --rotate-time need a "
                       "file to be named after");
    if ( o->output.keep && !rotates && !o->plan.memory )
        return err_set(e, -EINVAL, "--keep is about files of --rotate-size, "
                       "--rotate-time, or snapshots of -M: give one of them");
    o->output.numbered = rotates;
    o->output.reserve = o->reserve_mb << 20;
    o->output.level = o->compress ? ZSTD_LEVEL : 0;
    o->output.is_forced = stop_is_forced;
    o->plan.evt_mask = o->events.mask;
    o->plan.arguments = o->arguments;
    return mask_events_check(o->events.mask, e);
}

/* The end of --help, with the table of triggers. */
static void write_footer(char *footer, size_t size)
{
    snprintf(footer, size,
             "Without FILE, or with -, the trace goes to standard output.\n"
             "\n"
             "  xentrace -D -e all -T 5 trace.bin\n"
             "  xenalyze --summary trace.bin\n"
             "\n"
             "Triggers of --snapshot-on:\n");
    triggers_help(footer, size);
}

/* Join the arguments with spaces. */
static char *join_arguments(int argc, char **argv)
{
    size_t length = 1;
    char *text, *p;

    for ( int i = 1; i < argc; i++ )
        length += strlen(argv[i]) + 1;
    p = text = fault_calloc(1, length);
    for ( int i = 1; text && i < argc; i++ )
        p = stpcpy(stpcpy(p, i > 1 ? " " : ""), argv[i]);
    assert(!text || p < text + length);
    return text;
}

int xentrace_options_parse(struct options *o, int argc, char **argv,
                           enum opts_next *next, struct err *e)
{
    char footer[FOOTER_MAX];
    struct program p = program;
    int first, rc;

    write_footer(footer, sizeof(footer));
    p.footer = footer;
    *o = (struct options){ .log = LOG_INIT("xentrace") };
    o->arguments = join_arguments(argc, argv);
    rc = opts_parse(&p, argc, argv, o, &first, next, e);
    if ( rc || *next != OPTS_RUN )
        return rc;
    o->output.path = first < argc ? argv[first] : NULL;
    return check_options(o, e);
}

void xentrace_options_fini(struct options *o)
{
    free(o->arguments);
    o->arguments = NULL;
}
