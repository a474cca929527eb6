/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of commands.  Without a command, xentrace records, as Xen's own
 * xentrace does.
 */
#include "xentrace/commands.h"

#include <errno.h>

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
      .help = "keep the newest records in Xen; SIGUSR1 writes FILE.1, ...",
      .details = "Lets Xen keep the newest records in its rings, and writes "
        "them on SIGUSR1 and at the end.  To write them when a vcpu waits for "
        "too long, use record with --snapshot-on.",
      .options = OPTIONS("--flight-recorder"), .take = take_flight,
      .related = OPTIONS("evt-mask", "cpu-mask", "trace-buf-size", "keep",
                         "on-snapshot", "daemon") },
    { .name = "list", .args = "[PATTERN]",
      .help = "events and classes for -e and --snapshot-on",
      .details = "Prints a line for each class and event: its name, its number "
        "and its fields.  PATTERN is a list of classes (hvm, sched:min), "
        "names with wildcards ('sched_*') and numbers.",
      .take = take_list },
};
