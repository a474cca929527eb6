/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenalyze: say what is in a trace.
 *
 * This file speaks to the user and chooses the exit code: 0 if the input was
 * read, however damaged it is; 1 if it could not be read, is no trace, or the
 * output got lost.  What is done is in options.c and outputs.c.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/fault.h"
#include "xenalyze/options.h"
#include "xenalyze/outputs.h"

static const char *trace_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

static int analyze(struct config *config, struct err *e)
{
    struct run run = {
        .config = config, .name = trace_name(config->path), .out = stdout,
    };
    int rc = xt_trace_open(&run.trace, config->path, 0, e);

    if ( rc )
        return rc;
    outputs_choose(config);
    rc = outputs_run(&run, e);
    xt_trace_close(run.trace);
    if ( !rc && (fflush(stdout) || ferror(stdout)) )
        rc = err_sys(e, -errno, "cannot write the report");
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { 0 };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int rc = fault_arm_env(&e);

    if ( !rc )
        rc = options_parse(&config, argc, argv, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = analyze(&config, &e);
    if ( rc )
        err_print("xenalyze", &e);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
