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

/* A whole input, and what to do with it. */
struct input
{
    const char *name;
    const void *bytes;
    size_t size;
};

static int dump(const struct input *in, struct err *e)
{
    int rc = report_dump(in->bytes, in->size, stdout);

    return rc ? err_sys(e, rc, "cannot dump %s", in->name) : 0;
}

static int summarize(const struct input *in, struct err *e)
{
    struct xt_counts counts;
    int rc = xt_counts_init(&counts, in->bytes, in->size);

    if ( rc )
        err_sys(e, rc, "cannot count what is in %s", in->name);
    else if ( counts.size && !counts.total.windows )
        rc = err_set(e, -EINVAL, "%s is no trace: there is no window in it",
                     in->name);
    else
        report_summary(&counts, in->name, stdout);
    xt_counts_fini(&counts);
    return rc;
}

static int print(const struct config *config, const struct input *in,
                 struct err *e)
{
    int rc = 0;

    if ( config->dump )
        rc = dump(in, e);
    if ( !rc && (config->summary || !config->dump) )
        rc = summarize(in, e);
    if ( !rc && (fflush(stdout) || ferror(stdout)) )
        rc = err_sys(e, -errno, "cannot write the report");
    return rc;
}

static int analyze(const struct config *config, const char *path,
                   struct err *e)
{
    struct input in = { .name = strcmp(path, "-") ? path : "standard input" };
    struct xt_source *source;
    int rc = xt_source_open(&source, path, e);

    if ( rc )
        return rc;
    in.bytes = xt_source_bytes(source, &in.size);
    rc = print(config, &in, e);
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
        rc = analyze(&config, argv[first], &e);
    if ( rc )
        err_print(NAME, &e);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
