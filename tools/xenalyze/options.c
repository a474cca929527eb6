/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options.  An option that asks for an output is a flag here, and
 * a row in outputs.c that says what is run for it.
 */
#include "config.h"

#include "xenalyze/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xenalyze/report/formats.h"

static const char *const orders[] = { "time", "file", NULL };

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
    { .name = "dump-raw-reads", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_raw_reads),
      .help = "in hex, in the order of the file, with offsets" },
    { .name = "dump-no-processing", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_no_processing),
      .help = "the same, and nothing else" },
    { .name = "dump-show-power-states", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_show_power_states),
      .help = "in the dump, the C-state of idle pcpus" },
    { .name = "records", .type = OPT_FLAG,
      .at = offsetof(struct config, records),
      .help = "pcpu, cycles, name and fields of each record" },
    { .name = "formats", .type = OPT_TEXT, .arg = "FILE",
      .at = offsetof(struct config, rules),
      .help = "by rules, as xentrace_format does" },
    { .name = "order", .type = OPT_CHOICE, .arg = "ORDER", .preset = "time",
      .at = offsetof(struct config, order), .choices = orders,
      .help = "of records and lines by rules" },
    { .name = "threads", .type = OPT_UINT, .arg = "N", .min = 1, .max = 64,
      .at = offsetof(struct config, threads), .preset = "2",
      .help = "that make text" },

    { .type = OPT_GROUP, .help = "Trace" },
    { .name = "cpu-hz", .type = OPT_HZ, .arg = "HZ", .min = 1,
      .at = offsetof(struct config, hz),
      .help = "cycles a second, if the trace does not say (2.4G)" },
};

static const struct program program = {
    .name = "xenalyze",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [RULES] [FILE]",
    .summary = "say what is in a trace of Xen",
    .footer = "Without FILE, or if it is -, standard input is read.\n"
              "\n"
              "  xentrace -D -e all -T 5 trace.bin\n"
              "  xenalyze --summary trace.bin\n"
              "  cat trace.bin | xenalyze formats > trace.txt\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 0,
    .max_args = 2,
};

static bool is_regular(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Does this file hold rules (formats(5)), and no trace? */
static bool holds_rules(const char *path)
{
    char text[4096];
    ssize_t size;
    int fd;

    if ( !strcmp(path, "-") )
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if ( fd < 0 )
        return false;
    size = is_regular(fd) ? read(fd, text, sizeof(text)) : 0;
    close(fd);
    return size > 0 && formats_suspected(text, size);
}

/* RULES and FILE, of which any may be absent. */
static int take_arguments(struct config *config, int nr, char **args,
                          struct err *e)
{
    if ( nr && !config->rules && holds_rules(args[0]) )
    {
        config->rules = *args++;
        nr--;
    }
    config->formats = config->rules;
    config->path = nr ? args[0] : "-";
    if ( nr > 1 )
        return err_set(e, -EINVAL, "%s: one trace at a time, or rules for it "
                       "and then the trace", args[1]);
    if ( !nr && isatty(STDIN_FILENO) )
        return err_set(e, -EINVAL, "no trace: name a file, or send one to "
                       "standard input");
    return 0;
}

int options_parse(struct config *config, int argc, char **argv,
                  enum opts_next *next, struct err *e)
{
    int first;
    int rc = opts_parse(&program, argc, argv, config, &first, next, e);

    if ( rc || *next != OPTS_RUN )
        return rc;
    return take_arguments(config, argc - first, argv + first, e);
}
