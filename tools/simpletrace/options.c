/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options.  QEMU's simpletrace.py takes two names, events and
 * trace: so the first of several names declares events, unless it is a trace.
 */
#include "config.h"

#include "simpletrace/options.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "common/num.h"

static const char *const styles[] = { "text", "log", "qemu", "qemu-raw",
                                      "json", "csv", "stats", "locks",
                                      "9p", NULL };
static const char *const times[] = { "auto", "wall", "clock", "start", "delta",
                                     NULL };
static const char *const whens[] = { "auto", "always", "never", NULL };
static const char *const ids[] = { "auto", "all", "enabled", NULL };

static int append_text(const struct opt *o, const char *text, void *config,
                       struct err *e)
{
    struct st_list *list = (void *)((char *)config + o->at);

    assert(list->nr <= ST_MAX_NAMES);
    if ( list->nr == ST_MAX_NAMES )
        return err_usage(e, "--%s may be given at most %u times", o->name,
                         ST_MAX_NAMES);
    list->text[list->nr++] = (char *)text;
    return 0;
}

#define AT(field) offsetof(struct st_options, field)

static const struct opt opts[] = {
    { .name = "events", .letter = 'e', .type = OPT_CALL, .arg = "FILE",
      .at = AT(files), .parse = append_text,
      .help = "read declarations of events; may be given again" },
    { .name = "no-header", .type = OPT_FLAG, .at = AT(no_header),
      .help = "accept a trace without a header, as SystemTap writes" },
    { .name = "ids", .type = OPT_CHOICE, .arg = "WHICH", .choices = ids,
      .preset = "auto", .at = AT(ids),
      .help = "events that ids count in a trace without names: all or "
              "enabled ones" },
    { .type = OPT_GROUP, .help = "Output" },
    { .name = "style", .letter = 's', .type = OPT_CHOICE, .arg = "STYLE",
      .choices = styles, .preset = "text", .at = AT(style),
      .help = "output format" },
    { .name = "time", .letter = 't', .type = OPT_CHOICE, .arg = "TIME",
      .choices = times, .preset = "auto", .at = AT(time),
      .help = "time of day, clock, or time since first or last record" },
    { .name = "follow", .letter = 'f', .type = OPT_FLAG, .at = AT(follow),
      .help = "wait for more records at the end, until interrupted" },
    { .name = "color", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = AT(colour), .choices = whens,
      .help = "colour style text; auto: on a terminal without NO_COLOR" },
    { .name = "pager", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = AT(pager), .choices = whens,
      .help = "use $PAGER, or less; auto: on a terminal" },
    { .name = "progress", .type = OPT_FLAG, .preset = "yes",
      .at = AT(progress), .help = "print progress on standard error" },
    { .type = OPT_GROUP, .help = "Filters" },
    { .name = "name", .letter = 'N', .type = OPT_CALL, .arg = "PATTERN",
      .at = AT(select.names), .parse = append_text,
      .help = "only these events; -PATTERN: exclude; may be given again" },
    { .name = "from", .type = OPT_TIME, .arg = "TIME", .at = AT(select.from),
      .help = "only records from this time after the first" },
    { .name = "to", .type = OPT_TIME, .arg = "TIME", .min = 1,
      .at = AT(select.to),
      .help = "only records before this time after the first" },
    { .name = "pid", .letter = 'p', .type = OPT_U64, .arg = "PID",
      .min = 1, .at = AT(select.pid), .help = "only records of this process" },
    { .name = "tid", .type = OPT_U64, .arg = "TID", .min = 1,
      .at = AT(select.tid), .help = "only records of this thread" },
    { .type = OPT_GROUP, .help = "After a crash" },
    { .name = "recover", .type = OPT_FILE, .arg = "FILE", .at = AT(recover),
      .help = "print nothing: write the complete trace of a killed program, "
              "TRACE and TRACE.rings, to FILE, and remove the rings" },
    { .type = OPT_GROUP, .help = "Messages" },
    LOG_OPTS(struct st_options, log),
};

static const struct program program = {
    .name = "simpletrace",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [EVENTS] TRACE...",
    .summary = "print traces that the simple back end of trace points wrote",
    .footer = "TRACE may be - for standard input.  EVENTS is a file that "
              "declares events, for\ntraces that do not contain "
              "declarations.\n"
              "\n"
              "  simpletrace trace-4711\n"
              "  simpletrace --style=qemu trace-events-all trace-4711\n"
              "  simpletrace --recover=whole trace-4711.rings\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 1,
    .max_args = UINT_MAX,
};

static int refuse_span(const struct st_filter *f, struct err *e)
{
    char from[NUM_CLOCK_MAX], to[NUM_CLOCK_MAX];

    *num_duration(from, f->from) = '\0';
    *num_duration(to, f->to) = '\0';
    return err_usage(e, "--from %s and --to %s: the end is before the begin",
                     from, to);
}

int st_options_read(struct st_options *o, int argc, char **argv,
                    enum opts_next *next, struct err *e)
{
    int first, rc;

    *o = (struct st_options){ .log = LOG_INIT("simpletrace") };
    rc = opts_parse(&program, argc, argv, o, &first, next, e);
    if ( rc || *next != OPTS_RUN )
        return rc;
    o->traces = argv + first;
    o->nr_traces = argc - first;
    if ( o->recover && o->nr_traces > 1 )
        return err_usage(e, "--recover takes the rings of one process: "
                         "remove %s", o->traces[1]);
    if ( o->select.to && o->select.to < o->select.from )
        return refuse_span(&o->select, e);
    if ( !o->files.nr && o->nr_traces > 1 && !st_is_trace(*o->traces) )
    {
        o->files.text[o->files.nr++] = *o->traces++;
        o->nr_traces--;
    }
    return 0;
}
