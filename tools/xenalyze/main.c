/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenalyze: say what is in a trace.
 *
 * This file joins the rooms (source, counts, report), speaks to the user and
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
#include "libxentrace/source.h"
#include "xenalyze/report/report.h"

#define NAME "xenalyze"

struct config
{
    bool summary;   /* and as long as it is the only report, the default */
};

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Reports" },
    { .name = "summary", .letter = 's', .type = OPT_FLAG,
      .at = offsetof(struct config, summary),
      .help = "counts, time and losses; the default" },
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

static int print(const struct xt_counts *c, const char *name, struct err *e)
{
    if ( c->size && !c->total.windows )
        return err_set(e, -EINVAL, "%s is no trace: there is no window in it",
                       name);
    report_summary(c, name, stdout);
    if ( fflush(stdout) || ferror(stdout) )
        return err_sys(e, -errno, "cannot write the report");
    return 0;
}

static int analyze(const char *path, struct err *e)
{
    const char *name = strcmp(path, "-") ? path : "standard input";
    struct xt_source *source;
    struct xt_counts counts;
    const void *bytes;
    size_t size;
    int rc = xt_source_open(&source, path, e);

    if ( rc )
        return rc;
    bytes = xt_source_bytes(source, &size);
    rc = xt_counts_init(&counts, bytes, size);
    if ( rc )
        err_sys(e, rc, "cannot count what is in %s", name);
    else
        rc = print(&counts, name, e);
    xt_counts_fini(&counts);
    xt_source_close(source);
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
        rc = analyze(argv[first], &e);
    if ( rc )
        err_print(NAME, &e);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
