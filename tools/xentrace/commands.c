/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of commands.  Without a command, xentrace records, as Xen's own
 * xentrace does.
 */
#include "xentrace/commands.h"

#include <errno.h>
#include <string.h>

#include "libxentrace/catalogue.h"
#include "xentrace/options.h"

#define OPTIONS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* flight FILE: the name is left to the parser. */
static int take_flight(void *config, int nr, char **args, struct err *e)
{
    (void)config;
    (void)args;
    return nr ? 0 : err_usage(e, "flight: give the FILE to write to, as in "
                              "xentrace flight trace.bin");
}

/* status, stop: the optional FILE is left to the parser. */
static int take_status(void *config, int nr, char **args, struct err *e)
{
    struct options *o = config;

    (void)nr;
    (void)args;
    (void)e;
    o->request.kind = REQUEST_STATUS;
    return 0;
}

static int take_stop(void *config, int nr, char **args, struct err *e)
{
    struct options *o = config;

    (void)nr;
    (void)args;
    (void)e;
    o->request.kind = REQUEST_STOP;
    return 0;
}

static int take_text(struct options *o, enum request_kind kind, char **args,
                     struct err *e)
{
    const char *word = control_request_word(kind);

    o->request.kind = kind;
    o->request.text = args[0];
    if ( strlen(args[0]) > CONTROL_TEXT_MAX )
        return err_usage(e, "%s: give a TEXT of at most %u bytes", word,
                         CONTROL_TEXT_MAX);
    if ( !control_is_one_line(args[0]) )
        return err_usage(e, "%s: TEXT has a control character; give one line",
                         word);
    return 1;
}

/* snapshot [TEXT [FILE]] */
static int take_snapshot_text(void *config, int nr, char **args, struct err *e)
{
    struct options *o = config;

    o->request.kind = REQUEST_SNAPSHOT;
    return nr ? take_text(o, REQUEST_SNAPSHOT, args, e) : 0;
}

/* mark TEXT [FILE] */
static int take_mark(void *config, int nr, char **args, struct err *e)
{
    if ( !nr || !*args[0] )
        return err_usage(e, "mark: give a TEXT, as in xentrace mark 'backup "
                         "begins'");
    return take_text(config, REQUEST_MARK, args, e);
}

/* list [PATTERN] */
static int take_list(void *config, int nr, char **args, struct err *e)
{
    struct options *o = config;

    (void)e;
    o->list = true;
    o->pattern = nr ? args[0] : NULL;
    return nr ? 1 : 0;
}

const struct command xentrace_commands[XENTRACE_NR_COMMANDS] = {
    { .name = "record", .args = "[FILE]",
      .help = "trace into FILE until Ctrl-C, or for the time of -T",
      .details = "Enables tracing, and writes the records of all pcpus.  This "
        "is what xentrace does without a command, too.  Without FILE, or with "
        "-, the trace is written to standard output.",
      .related = OPTIONS("evt-mask", "cpu-mask", "time-interval",
                         "trace-buf-size", "compress", "rotate-size",
                         "rotate-time", "keep", "comment", "stats") },
    { .name = "flight", .args = "FILE",
      .help = "keep the newest records in Xen, for `snapshot`",
      .details = "Lets Xen keep the newest records in its rings, and writes "
        "them to FILE.1, FILE.2, ... on xentrace snapshot or SIGUSR1, and to "
        "FILE at the end.  To write them when a vcpu waits for "
        "too long, use record with --snapshot-on.",
      .options = OPTIONS("--flight-recorder"), .take = take_flight,
      .related = OPTIONS("evt-mask", "cpu-mask", "trace-buf-size", "keep",
                         "on-snapshot", "daemon") },
    { .name = "status", .args = "[FILE]",
      .help = "list the captures that run",
      .details = "Prints process id, output, records, losses and snapshots of "
        "each running xentrace of this user.  FILE, the output of one, or "
        "--pid chooses it.",
      .take = take_status, .related = OPTIONS("pid") },
    { .name = "stop", .args = "[FILE]",
      .help = "end a capture, and wait until its file is complete",
      .details = "Does the same as SIGTERM, and prints the file, its size and "
        "the number of lost records.  If several captures run, FILE or --pid "
        "chooses one.",
      .take = take_stop, .related = OPTIONS("pid") },
    { .name = "snapshot", .args = "[TEXT [FILE]]",
      .help = "write the newest records of a capture to a file",
      .details = "Does the same as SIGUSR1 for flight, -M and --snapshot-on: "
        "writes a snapshot, and prints its name.  TEXT becomes the comment of "
        "the snapshot, which xenalyze info prints.  If several captures run, "
        "FILE (the output of one) or --pid chooses one.",
      .take = take_snapshot_text, .related = OPTIONS("pid") },
    { .name = "mark", .args = "TEXT [FILE]",
      .help = "write a note into a capture, with its time",
      .details = "xenalyze info prints the marks of a trace.  If several "
        "captures run, FILE (the output of one) or --pid chooses one.",
      .take = take_mark, .related = OPTIONS("pid") },
    { .name = "list", .args = "[PATTERN]",
      .help = "events and classes for -e and --snapshot-on",
      .details = "Prints a line for each class and event: its name, its number "
        "and its fields.  PATTERN is a list of classes (hvm, sched:min), "
        "names with wildcards ('sched_*') and numbers.",
      .take = take_list, .suggest = xt_catalogue_print_names },
};
