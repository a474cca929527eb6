/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenalyze: say what is in a trace.
 *
 * This file joins the rooms (traces, counts, report), speaks to the user and
 * chooses the exit code: 0 if the input was read, however damaged it is; 1
 * if it could not be read, is no trace, or the output got lost.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/fault.h"
#include "common/opts.h"
#include "libxentrace/counts.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/report/report.h"

#define NAME "xenalyze"

struct config
{
    bool summary;   /* the default, if nothing else is asked for */
    bool dump;
};

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Reports" },
    { .name = "summary", .letter = 's', .type = OPT_FLAG,
      .at = offsetof(struct config, summary),
      .help = "counts, time and losses; the default" },
    { .name = "dump-all", .letter = 'a', .type = OPT_FLAG,
      .at = offsetof(struct config, dump),
      .help = "a line for each record, in the order of the file" },
};

static const struct program program = {
    .name = NAME,
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] FILE",
    .summary = "say what is in a trace of Xen",
    .footer = "FILE may be -, standard input.\n"
              "\n"
              "  xentrace -D -e all -T 5 trace.bin\n"
              "  xenalyze --summary trace.bin\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 1,
    .max_args = 1,
};

/* What goes on while a trace is read, once, whatever is made of it. */
struct analysis
{
    const char *name;
    struct xt_trace *trace;
    bool summarize;
    struct xt_counts counts;
    struct report_dump *dump;   /* NULL: nobody wants it */
};

static int begin(struct analysis *a, const struct config *config,
                 struct err *e)
{
    struct xt_info info;
    int rc = xt_counts_begin(&a->counts);

    a->summarize = config->summary || !config->dump;
    if ( rc || !config->dump )
        return rc;
    rc = xt_trace_info(a->trace, &info, e);
    return rc ? rc : report_dump_begin(&a->dump, &info.dialect, stdout);
}

static int read_windows(struct analysis *a, struct err *e)
{
    struct xt_records records;
    struct xt_window w;
    int rc;

    while ( (rc = xt_trace_next_window(a->trace, &w, e)) > 0 )
    {
        xt_trace_records(a->trace, &w, &records);
        if ( a->dump )
            report_dump_window(a->dump, &w);
        rc = xt_counts_window(&a->counts, &w, records.damage);
        if ( rc )
            return rc;
    }
    return rc;
}

static int end(struct analysis *a, struct err *e)
{
    xt_counts_end(&a->counts, xt_trace_position(a->trace),
                  xt_trace_damage(a->trace));
    report_dump_end(a->dump);
    a->dump = NULL;
    if ( a->counts.size && !a->counts.total.windows )
        return err_set(e, -EINVAL, "%s is no trace: there is no window in it",
                       a->name);
    if ( a->summarize )
        report_summary(&a->counts, a->name, stdout);
    if ( fflush(stdout) || ferror(stdout) )
        return err_sys(e, -errno, "cannot write the report");
    return 0;
}

static int analyze(const struct config *config, const char *path,
                   struct err *e)
{
    struct analysis a = {
        .name = strcmp(path, "-") ? path : "standard input",
    };
    int rc = xt_trace_open(&a.trace, path, 0, e);

    if ( rc )
        return rc;
    rc = begin(&a, config, e);
    if ( !rc )
        rc = read_windows(&a, e);
    if ( !rc )
        rc = end(&a, e);
    if ( rc )
        err_sys(e, rc, "cannot analyze %s", a.name);
    report_dump_end(a.dump);
    xt_counts_fini(&a.counts);
    xt_trace_close(a.trace);
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { 0 };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int first, rc;

    rc = fault_arm_env(&e);
    if ( !rc )
        rc = opts_parse(&program, argc, argv, &config, &first, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = analyze(&config, argv[first], &e);
    if ( rc )
        err_print(NAME, &e);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
