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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/commands.h"
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

/* Conditions with usual limits, for the shell completion. */
static void suggest_triggers(FILE *out)
{
    fputs("runnable>20ms exit>5ms lost>1000 ", out);
    xt_catalogue_print_names(out);
}

static void suggest_hypervisors(FILE *out)
{
    fputs("xen xensim ", out);
}

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Selecting events" },
    { .name = "evt-mask", .letter = 'e', .type = OPT_CALL, .arg = "MASK",
      .parse = parse_events, .common = true,
      .suggest = xt_catalogue_print_names, .list = true,
      .help = "events, as in hvm,sched:min,sched_wake or all" },
    { .name = "cpu-mask", .letter = 'c', .type = OPT_TEXT, .arg = "CPUS",
      AT(plan.cpus), .common = true,
      .help = "pcpus to trace: 0,2-5,8- or 0x3f or all" },
    { .name = "trace-buf-size", .letter = 'S', .type = OPT_UINT,
      .arg = "PAGES", AT(plan.pages), .max = 65535,
      .help = "size of each pcpu's ring, if there is none yet; default 32" },

    { .type = OPT_GROUP, .help = "Timing" },
    { .name = "time-interval", .letter = 'T', .type = OPT_TIME,
      .arg = "TIME", AT(plan.time_ns), .common = true,
      .help = "stop after TIME: seconds, or as in 500ms, 2m" },
    { .name = "poll-sleep", .letter = 's', .type = OPT_UINT, .arg = "MS",
      AT(plan.sleep_ms), .preset = "100", .min = 1, .max = 3600000,
      .help = "read the rings at least every MS milliseconds" },
    { .name = "log-thresh", .letter = 't', .type = OPT_U64, .arg = "N",
      AT(log_thresh),
      .help = "ignored; accepted for old scripts" },
    { .name = "discard-buffers", .letter = 'D', .type = OPT_FLAG,
      AT(plan.discard), .common = true,
      .help = "discard the records in the rings at the start" },
    { .name = "dont-disable-tracing", .letter = 'x', .type = OPT_FLAG,
      AT(plan.leave_enabled),
      .help = "leave tracing enabled at the end" },
    { .name = "share-rings", .type = OPT_FLAG, AT(plan.share_rings),
      .help = "begin even if another program reads the rings: each gets a part "
              "of the records" },
    { .name = "keep-masks", .type = OPT_FLAG, AT(plan.keep_masks),
      .help = "leave the masks of -e and -c in Xen at the end, for later "
              "captures" },
    { .name = "start-disabled", .letter = 'X', .type = OPT_FLAG,
      AT(plan.start_disabled),
      .help = "do not enable tracing, only read the rings" },

    { .type = OPT_GROUP, .help = "Output" },
    { .name = "memory-buffer", .letter = 'M', .type = OPT_SIZE,
      .arg = "SIZE", AT(plan.memory), .min = WINDOW_FIFO_MIN,
      .max = 1ull << 46, .or_zero = true, .common = true,
      .help = "keep the newest records in memory" },
    { .name = "flight-recorder", .type = OPT_FLAG, AT(plan.flight_recorder),
      .help = "as -M, but let Xen keep the newest records, if it can" },
    { .name = "snapshot-on", .type = OPT_CALL, .arg = "TRIGGER",
      .parse = parse_trigger, .common = true, .suggest = suggest_triggers,
      .help = "write a snapshot when TRIGGER (see below) fires" },
    { .name = "snapshot-before", .type = OPT_TIME, .arg = "TIME",
      AT(plan.before_ns),
      .help = "limit a snapshot to TIME before its trigger; default 10s; 0: "
              "no limit" },
    { .name = "snapshot-after", .type = OPT_TIME, .arg = "TIME",
      AT(plan.after_ns),
      .help = "continue for TIME after a trigger, then write" },
    { .name = "snapshot-every", .type = OPT_TIME, .arg = "TIME",
      AT(plan.every_ns),
      .help = "write at most one snapshot in TIME, unless a case is twice as "
              "bad; default 60s" },
    { .name = "on-snapshot", .type = OPT_TEXT, .arg = "COMMAND",
      AT(plan.on_snapshot),
      .help = "run COMMAND after each snapshot; $XENTRACE_FILE and "
              "$XENTRACE_CAUSE are its name and reason" },
    { .name = "snapshots", .type = OPT_UINT, .arg = "N", AT(plan.max_snapshots),
      .help = "stop after N snapshots" },
    { .name = "buffer", .type = OPT_SIZE, .arg = "SIZE", AT(plan.buffer),
      .preset = "64M", .min = WINDOW_FIFO_MIN, .max = 1ull << 46,
      .help = "memory for records that wait for the disk" },
    { .name = "comment", .type = OPT_TEXT, .arg = "TEXT", AT(plan.comment),
      .help = "write TEXT into the metadata, for xenalyze --info" },
    { .name = "plain", .type = OPT_FLAG, AT(output.plain),
      .help = "write exactly what Xen's own xentrace writes: no metadata, "
              "no checksums" },
    { .name = "compress", .letter = 'z', .type = OPT_FLAG, AT(compress),
      .help = "write zstd frames" },
    { .name = "reserve-disk-space", .letter = 'r', .type = OPT_U64,
      .arg = "MB", AT(reserve_mb), .max = 1ull << 40,
      .help = "stop when the disk has less than MB MiB left" },
    { .name = "rotate-size", .type = OPT_SIZE, .arg = "SIZE",
      AT(output.rotate_bytes), .min = 4096,
      .help = "start another file before one exceeds SIZE: FILE.1, FILE.2, "
              "..." },
    { .name = "rotate-time", .type = OPT_TIME, .arg = "TIME",
      AT(output.rotate_ns), .min = 1000000,
      .help = "start another file after TIME" },
    { .name = "keep", .type = OPT_UINT, .arg = "N", AT(output.keep),
      .help = "keep only N of FILE.1, FILE.2, ...: the newest, or of "
              "snapshots (default 16) the worst; 0: all" },

    { .type = OPT_GROUP, .help = "Hypervisor" },
    { .name = "hypervisor", .type = OPT_TEXT, .arg = "NAME", AT(hypervisor),
      .suggest = suggest_hypervisors,
      .help = "trace xen or xensim; default: the first one found" },
    { .name = "socket", .type = OPT_FILE, .arg = "PATH", AT(address.socket),
      .help = "socket of xensim, if not in its default place" },

    { .type = OPT_GROUP, .help = "Crash dumps" },
    { .name = "from-dump", .type = OPT_FILE, .arg = "VMCORE",
      AT(from_dump.path), .help = "write the records in the trace buffers of "
      "a crash dump to FILE" },
    { .name = "symbols", .type = OPT_FILE, .arg = "XEN-SYMS",
      AT(from_dump.symbols),
      .help = "symbols of the dump's Xen, if its trace buffers are stock's" },

    { .type = OPT_GROUP, .help = "Running captures" },
    { .name = "pid", .type = OPT_UINT, .arg = "N", AT(request.pid), .min = 1,
      .max = INT_MAX,
      .help = "choose a capture for status, stop, snapshot and mark" },
    { .name = "control", .type = OPT_FLAG, AT(control), .preset = "yes",
      .help = "listen for these commands (--no-control: do not)" },

    { .type = OPT_GROUP, .help = "Messages" },
    { .name = "stats", .type = OPT_FLAG, AT(plan.stats),
      .help = "print the progress once a second" },
    { .name = "daemon", .type = OPT_FLAG, AT(daemon),
      .help = "continue in the background once tracing has begun" },
    LOG_OPTS(struct options, log),
};

static const struct program program = {
    .name = "xentrace",
    .version = PACKAGE_VERSION,
    .synopsis = "[COMMAND] [OPTION...] [FILE]",
    .summary = "capture Xen's trace buffers",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .max_args = 1,
    .commands = xentrace_commands,
    .nr_commands = XENTRACE_NR_COMMANDS,
};

/* --- combinations of options ------------------------------------------- */

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") && strcmp(path, "/dev/stdout");
}

/* Values of options that are not given; their presets depend on others. */
#define TIME_UNSET UINT64_MAX
#define KEEP_UNSET UINT_MAX

#define BEFORE_PRESET 10000000000u
#define EVERY_PRESET 60000000000u
#define KEEP_PRESET 16u

static void set_presets(struct options *o)
{
    struct collect_plan *p = &o->plan;

    if ( p->before_ns == TIME_UNSET )
        p->before_ns = BEFORE_PRESET;
    if ( p->every_ns == TIME_UNSET )
        p->every_ns = EVERY_PRESET;
    if ( o->output.keep == KEEP_UNSET )
        o->output.keep = p->memory ? KEEP_PRESET : 0;
    p->keep = o->output.keep;
}

/* Options about snapshots need a memory buffer. */
static int check_snapshots(struct options *o, struct err *e)
{
    struct collect_plan *p = &o->plan;
    bool has_before = p->before_ns != TIME_UNSET;

    if ( (o->triggers.nr || p->flight_recorder) && !p->memory )
        p->memory = MEMORY_PRESET;
    if ( !p->memory && (has_before || p->after_ns || p->max_snapshots) )
        return err_usage(e, "--snapshot-before, --snapshot-after and "
                         "--snapshots need -M or --snapshot-on");
    if ( !p->memory && p->on_snapshot )
        return err_usage(e, "--on-snapshot needs -M or --snapshot-on");
    if ( !o->triggers.nr && p->every_ns != TIME_UNSET )
        return err_usage(e, "--snapshot-every needs --snapshot-on");
    if ( o->triggers.nr && p->flight_recorder )
        return err_usage(e, "--snapshot-on cannot check records that "
                         "stay in Xen's rings: use -M instead of "
                         "--flight-recorder");
    if ( o->triggers.nr && !is_file(o->output.path) )
        return err_usage(e, "--snapshot-on needs a file name: snapshots "
                         "are FILE.1, FILE.2, ...");
    if ( o->triggers.nr )
        p->triggers = &o->triggers;
    return 0;
}

/* Also before the hypervisor is opened: there may be none. */
static int check_destination(const struct options *o, struct err *e)
{
    if ( is_file(o->output.path) || !isatty(STDOUT_FILENO) )
        return 0;
    return err_usage(e, "FILE is missing: a trace is binary, and standard "
                     "output is a terminal; give a file, as in xentrace -T 5 "
                     "trace.bin, or see xentrace --help");
}

/* A dump is read at once, and completely. */
static int check_dump(const struct options *o, bool rotates, struct err *e)
{
    const struct collect_plan *p = &o->plan;

    if ( !o->from_dump.path )
        return o->from_dump.symbols ? err_usage(e, "--symbols needs "
                                                "--from-dump") : 0;
    if ( o->events.mask || p->cpus || p->pages || p->time_ns || p->discard ||
         p->memory || rotates || o->daemon || o->hypervisor )
        return err_usage(e, "--from-dump writes all that a dump has, to one "
                         "file: give it without options of a capture");
    return 0;
}

static int check_options(struct options *o, struct err *e)
{
    int rc = check_snapshots(o, e);
    bool rotates = o->output.rotate_bytes || o->output.rotate_ns;

    if ( !rc )
        rc = check_dump(o, rotates, e);
    if ( rc )
        return rc;
    rc = check_destination(o, e);
    if ( rc )
        return rc;
    if ( o->plan.comment && strlen(o->plan.comment) > XT_META_TEXT_MAX )
        return err_usage(e, "--comment: give at most %u bytes",
                         XT_META_TEXT_MAX);
    if ( o->plan.comment && o->output.plain )
        return err_usage(e, "--comment needs metadata, which --plain omits");
    if ( o->daemon && !is_file(o->output.path) )
        return err_usage(e, "--daemon needs a file to write to");
    if ( rotates && o->plan.memory )
        return err_usage(e, "-M writes only at the end: do not combine "
                         "it with --rotate-size or --rotate-time");
    if ( rotates && !is_file(o->output.path) )
        return err_usage(e, "--rotate-size and --rotate-time need a "
                         "file name: files are FILE.1, FILE.2, ...");
    if ( o->output.keep && o->output.keep != KEEP_UNSET && !rotates &&
         !o->plan.memory )
        return err_usage(e, "--keep limits the files of --rotate-size, "
                         "--rotate-time or -M: give one of these options");
    set_presets(o);
    o->output.numbered = rotates;
    o->output.reserve = o->reserve_mb << 20;
    o->output.level = o->compress ? ZSTD_LEVEL : 0;
    o->output.is_forced = stop_is_forced;
    o->output.log = &o->log;
    o->plan.evt_mask = o->events.mask;
    o->plan.arguments = o->arguments;
    return mask_events_check(o->events.mask, e);
}

static int check_request(struct options *o, struct err *e)
{
    o->request.file = o->output.path;
    if ( o->request.file && o->request.pid )
        return err_usage(e, "%.100s: give either --pid or FILE",
                         o->request.file);
    return 0;
}

/* The end of --help, with the table of triggers. */
static void write_footer(char *footer, size_t size)
{
    static const char end[] =
        "\n"
        "Without FILE, or with -, the trace is written to standard output.\n"
        "\n"
        "  xentrace record -D -e all -T 5 trace.bin\n"
        "  xenalyze summary trace.bin\n";
    size_t used;

    snprintf(footer, size, "Triggers of --snapshot-on:\n");
    triggers_help(footer, size);
    used = strlen(footer);
    assert(used + sizeof(end) <= size);
    memcpy(footer + used, end, sizeof(end));
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
    *o = (struct options){
        .log = LOG_INIT("xentrace"), .output.keep = KEEP_UNSET,
        .plan = { .before_ns = TIME_UNSET, .every_ns = TIME_UNSET },
    };
    o->arguments = join_arguments(argc, argv);
    rc = opts_parse(&p, argc, argv, o, &first, next, e);
    if ( rc || *next != OPTS_RUN )
        return rc;
    o->output.path = first < argc ? argv[first] : NULL;
    if ( o->request.kind != REQUEST_NONE )
        return check_request(o, e);
    if ( o->request.pid )
        return err_usage(e, "--pid is for status, stop, snapshot and mark");
    if ( o->list )
        return first < argc ? err_usage(e, "%s: list takes one pattern; "
                                        "separate items by commas",
                                        argv[first]) : 0;
    return check_options(o, e);
}

void xentrace_options_fini(struct options *o)
{
    free(o->arguments);
    o->arguments = NULL;
}
