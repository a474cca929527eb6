/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_format: print the trace on standard input by the rules in a file.
 * Xen had a script of this name up to 4.18, with the same arguments.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/fault.h"
#include "xenalyze/not-trace.h"
#include "xenalyze/outputs.h"

#define NAME "xentrace_format"

static const char *const orders[] = { "time", "file", NULL };

static const struct opt opts[] = {
    { .name = "mhz", .letter = 'c', .type = OPT_U64, .arg = "MHZ", .min = 1,
      .max = 1000000, .at = offsetof(struct config, mhz),
      .help = "print time stamps in seconds, at this clock rate" },
    { .name = "order", .type = OPT_CHOICE, .arg = "ORDER", .preset = "time",
      .at = offsetof(struct config, order), .choices = orders,
      .help = "order of the lines; file includes headers of windows" },
    { .name = "threads", .type = OPT_UINT, .arg = "N", .min = 1, .max = 64,
      .at = offsetof(struct config, threads), .preset = "2",
      .help = "number of threads" },
};

static const struct program program = {
    .name = NAME,
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] RULES",
    .summary = "print a trace as text, by a file of rules",
    .footer = "The trace is read from standard input.\n"
              "\n"
              "  xentrace_format formats <trace.bin >trace.txt\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 1,
    .max_args = 1,
};

static int format_trace(struct config *config, struct err *e)
{
    struct run run = {
        .config = config, .name = "standard input", .out = stdout,
    };
    int rc = isatty(STDIN_FILENO)
             ? err_usage(e, "no trace: send one to standard input, as in "
                         NAME " %.100s <trace.bin", config->rules)
             : xt_trace_open(&run.trace, "-", 0, e);

    if ( rc )
        return rc;
    rc = formats_pass(&run, e);
    if ( rc == PASS_NO_RECORD )
        rc = not_trace_explain(&run, e);
    xt_trace_close(run.trace);
    if ( !rc && (fflush(stdout) || ferror(stdout)) )
        rc = err_sys(e, -errno, "cannot write the text");
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { 0 };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int first, rc = fault_arm_env(&e);

    if ( !rc )
        rc = opts_parse(&program, argc, argv, &config, &first, &next, &e);
    if ( !rc && next == OPTS_RUN )
    {
        config.rules = argv[first];
        rc = format_trace(&config, &e);
    }
    if ( rc )
        err_print(NAME, &e);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
