/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of opts-example.h. */
#include <errno.h>
#include <string.h>

#include "opts-example.h"

#define AT(field) .at = offsetof(struct example, field)

static int parse_call(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    (void)o;
    (void)e;
    ((struct example *)config)->called += text == NULL;
    return 0;
}

/* Three errors: one with a reason, one without, one for too many. */
static int parse_mask(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    struct example *x = config;

    (void)o;
    if ( !strcmp(text, "bad") )
        return err_set(e, -EINVAL, "--mask %s: really bad", text);
    if ( !strcmp(text, "silent") )
        return -EPERM;
    if ( x->nr_masks == sizeof(x->masks) / sizeof(x->masks[0]) )
        return err_set(e, -E2BIG, "--mask: too many");

    x->masks[x->nr_masks++] = text;
    return 0;
}

static const char *const formats[] = { "json", "text", "csv", NULL };

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Numbers" },
    { .name = "cpus", .letter = 'c', .type = OPT_UINT, .arg = "N", AT(cpus),
      .min = 1, .max = 1024, .preset = "4", .help = "how many pcpus to play" },
    { .name = "start", .type = OPT_U64, AT(start),
      .help = "first number of all" },
    { .name = "ring-size", .letter = 'S', .type = OPT_SIZE, .arg = "BYTES",
      AT(ring), .min = 4096, .max = 1 << 30, .preset = "1M",
      .help = "what each pcpu's ring holds; it is rounded up to whole pages, "
              "and shared by all that run on it" },
    { .name = "wait", .letter = 's', .type = OPT_TIME, .arg = "TIME",
      AT(wait), .min = 1000000, .help = "the pause between two looks" },
    { .name = "cpu-hz", .type = OPT_HZ, .arg = "HZ", AT(hz),
      .help = "the TSC's frequency" },
    { .type = OPT_GROUP, .help = "Others" },
    { .name = "quiet", .letter = 'q', .type = OPT_FLAG, AT(quiet),
      .help = "say nothing" },
    { .name = "colour", .type = OPT_FLAG, AT(colour), .preset = "yes",
      .help = "use [colours]: it's prettier" },
    { .name = "format", .letter = 'f', .type = OPT_CHOICE, AT(format),
      .choices = formats, .preset = "text", .help = "what to write" },
    { .name = "output-file-of-the-whole-run", .letter = 'o', .type = OPT_TEXT,
      .arg = "FILE", AT(output), .help = "where to write it" },
    { .name = "call", .letter = 'V', .type = OPT_CALL, .parse = parse_call,
      .help = "count this" },
    { .name = "mask", .letter = 'e', .type = OPT_CALL, .arg = "MASK",
      .parse = parse_mask, .help = "collect this" },
    { .name = "secret", .type = OPT_FLAG, AT(quiet), .hidden = true,
      .help = "for tests" },
    { .letter = '0', .type = OPT_U64, .arg = "N", AT(start),
      .help = "as --start" },
};

static const struct program program = {
    .name = "demo-program",
    .version = "1.2.3",
    .synopsis = "[OPTION...] FILE [FILE]",
    .summary = "Shows what an option table can do, and is here to be tried by "
               "the tests of shells and scripts.",
    .footer = "Example:\n  demo-program --cpus=8 run.trc",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 1,
    .max_args = 2,
};

const struct program *example_program(void)
{
    return &program;
}
