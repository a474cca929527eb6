/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options.  An option that asks for an output is a flag here, and
 * a row in outputs.c that says what is run for it.
 */
#include "config.h"

#include "xenalyze/options.h"

#include <stddef.h>

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Reports" },
    { .name = "summary", .letter = 's', .type = OPT_FLAG,
      .at = offsetof(struct config, summary),
      .help = "counts, time and losses; the default" },

    { .type = OPT_GROUP, .help = "Records" },
    { .name = "dump-all", .letter = 'a', .type = OPT_FLAG,
      .at = offsetof(struct config, dump_all),
      .help = "a line for each record, in the order of time" },
    { .name = "dump-raw-process", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_raw_process),
      .help = "the same in hex; with --dump-all, before each line" },
    { .name = "dump-show-power-states", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_show_power_states),
      .help = "in the dump, the C-state of idle pcpus" },
    { .name = "records", .type = OPT_FLAG,
      .at = offsetof(struct config, records),
      .help = "pcpu, cycles, name and fields of each record" },

    { .type = OPT_GROUP, .help = "Trace" },
    { .name = "cpu-hz", .type = OPT_HZ, .arg = "HZ", .min = 1,
      .at = offsetof(struct config, hz),
      .help = "cycles a second, if the trace does not say (2.4G)" },
};

static const struct program program = {
    .name = "xenalyze",
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

int options_parse(struct config *config, int argc, char **argv,
                  enum opts_next *next, struct err *e)
{
    int first;
    int rc = opts_parse(&program, argc, argv, config, &first, next, e);

    if ( rc || *next != OPTS_RUN )
        return rc;
    config->path = argv[first];
    return 0;
}
