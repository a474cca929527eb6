/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options.  An option that asks for an output is a flag here, and
 * a row in outputs.c that says what is run for it.
 *
 * Those with a sign as another short spelling have it since stock's numbering
 * of options runs into the printable characters, and its --help lists them.
 */
#include "config.h"

#include "xenalyze/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xenalyze/lines/lines.h"

static const char *const layouts[] = { "auto", "4.17", "master", NULL };
static const char *const orders[] = { "time", "file", NULL };

static const char *const whens[] = { "auto", "always", "never", NULL };

#define FACTS(field) offsetof(struct config, facts.field)

#define SCATTER(text, kind, say)                                            \
    { .name = "scatterplot-" text, .type = OPT_FLAG,                        \
      .at = FACTS(scatter[kind]), .help = say }

#define SCATTER_WHICH(text, kind, what, say)                                \
    { .name = "scatterplot-" text, .type = OPT_CALL, .arg = what,           \
      .at = FACTS(which[kind]), .parse = facts_parse_which, .help = say }

#define INTERVAL(text, kind, say)                                           \
    { .name = "interval-" text, .type = OPT_FLAG,                           \
      .at = FACTS(interval[kind]), .help = say }

#define INTERVAL_IDS(text, kind, what, say)                                 \
    { .name = "interval-" text, .type = OPT_CALL, .arg = what,              \
      .at = FACTS(ids[kind]), .parse = facts_parse_ids, .help = say }

#define IGNORED_FLAG(text, sign)                                            \
    { .name = text, .also = sign, .type = OPT_FLAG,                         \
      .at = FACTS(ignored_flag),                                            \
      .help = "accepted, since stock has it; not needed", .hidden = true }

#define IGNORED(text, sign)                                                 \
    { .name = text, .also = sign, .type = OPT_UINT, .arg = "N",             \
      .at = FACTS(ignored),                                                 \
      .help = "accepted, since stock has it; not needed", .hidden = true }

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Reports" },
    { .name = "summary", .letter = 's', .type = OPT_FLAG,
      .at = offsetof(struct config, summary),
      .help = "what domains, vcpus and guests did; the default" },
    { .name = "report-pcpu", .also = '%', .type = OPT_FLAG, .at = FACTS(pcpus),
      .help = "time of each pcpu running, idle and unknown" },
    { .name = "report-latency", .type = OPT_FLAG, .at = FACTS(latency),
      .help = "waiting for a pcpu: how long, and who ran instead" },
    { .name = "report-exits", .type = OPT_FLAG, .at = FACTS(exits),
      .help = "what exits cost, by domain and reason" },
    { .name = "json", .type = OPT_FLAG, .at = FACTS(json),
      .help = "all that these know, and points and intervals that are "
              "asked for, for programs" },
    { .name = "csv", .type = OPT_FLAG, .at = FACTS(csv),
      .help = "the same as tables" },
    { .name = "sort", .type = OPT_CHOICE, .arg = "KEY",
      .at = FACTS(request.sort),
      .choices = (const char *const[]){ SORT_WORDS, NULL },
      .preset = "auto", .help = "order of rows in tables; auto: name, and "
                                "with --top total" },
    { .name = "top", .type = OPT_UINT, .arg = "N", .at = FACTS(request.top),
      .min = 1, .max = 10000,
      .help = "the first so many rows of each table" },
    { .name = "sample-size", .also = '#', .type = OPT_UINT, .arg = "N",
      .at = FACTS(request.sample_size), .preset = "1024",
      .help = "0: no percentiles; others make no difference" },
    { .name = "mmio-enumeration-skip-vga", .also = '"', .type = OPT_UINT,
      .arg = "0|1", .at = FACTS(request.no_mmio_vga), .preset = "1", .max = 1,
      .help = "leave out MMIO to the window of a VGA card" },
    { .name = "symbol-file", .also = '\'', .type = OPT_TEXT, .arg = "FILE",
      .at = FACTS(symbol_file),
      .help = "names for addresses: System.map, or an ELF file" },
    { .name = "default-guest-paging-levels", .also = '&', .type = OPT_UINT,
      .arg = "N", .at = FACTS(levels), .preset = "2", .min = 2, .max = 4,
      .help = "of guests in 32-bit mode, until a record says it" },
    { .name = "with-cr3-enumeration", .type = OPT_FLAG,
      .at = FACTS(request.cr3),
      .help = "what guests had in CR3, and what that time went to" },
    { .name = "with-interrupt-eip-enumeration", .type = OPT_CALL,
      .arg = "VECTOR", .at = FACTS(request), .parse = facts_parse_eips,
      .help = "where in the guest these interrupts hit" },
    { .name = "histogram-interrupt-eip", .type = OPT_CALL,
      .arg = "VECTOR[,BYTES]", .at = FACTS(request),
      .parse = facts_parse_histogram,
      .help = "the same as a histogram, bars of so many bytes" },
    { .name = "show-default-domain-summary", .also = '!', .type = OPT_FLAG,
      .at = FACTS(request.show_default),
      .help = "vcpus before any record says who they are, too" },

    { .type = OPT_GROUP, .help = "Scatterplots: a line for each point" },
    SCATTER("runstate", SCATTER_RUNSTATE, "changes of runstates"),
    SCATTER("runstate-time", SCATTER_RUNSTATE_TIME,
            "how long runstates lasted"),
    SCATTER("pcpu", SCATTER_PCPU, "where vcpus begin to run"),
    SCATTER("rdtsc", SCATTER_RDTSC, "what guests read from the TSC"),
    SCATTER("irq", SCATTER_IRQ, "which pcpu handled an interrupt"),
    SCATTER_WHICH("interrupt-eip", SCATTER_INTERRUPT_EIP, "VECTOR",
                  "where in the guest interrupts hit"),
    SCATTER_WHICH("extint-cycles", SCATTER_EXTINT_CYCLES, "VECTOR",
                  "what exits for interrupts cost"),
    SCATTER_WHICH("io", SCATTER_IO, "PORT", "what accesses to a port cost"),
    SCATTER("unpin-promote", SCATTER_UNPIN_PROMOTE,
            "what becomes of shadow page tables"),
    SCATTER("cr3-switch", SCATTER_CR3_SWITCH, "what guests load into CR3"),
    SCATTER("wake-to-halt", SCATTER_WAKE_TO_HALT,
            "how long guests run after a wake-up"),
    SCATTER("vmexit-eip", SCATTER_VMEXIT_EIP, "where guests exit"),

    { .name = "plot", .type = OPT_TEXT, .arg = "FILE", .at = FACTS(plot),
      .help = "draw it instead, into .svg or .png; or who ran where" },
    { .name = "gnuplot", .type = OPT_TEXT, .arg = "FILE",
      .at = FACTS(gnuplot), .help = "the same as a script for gnuplot" },

    { .type = OPT_GROUP, .help = "Intervals: a line for each" },
    { .name = "interval", .letter = 'i', .type = OPT_TIME, .arg = "TIME",
      .at = FACTS(interval_length), .preset = "1", .min = 1,
      .help = "how long they are" },
    INTERVAL_IDS("domain-total-time", INTERVAL_DOMAIN_TIME, "DOM[,DOM...]",
                 "share of time that these run"),
    INTERVAL("domain-total-time-all", INTERVAL_DOMAIN_TIME_ALL,
             "the same, of all"),
    INTERVAL_IDS("domain-short-summary", INTERVAL_DOMAIN_SUMMARY, "DOM",
                 "what its exits were for"),
    INTERVAL_IDS("domain-guest-interrupt", INTERVAL_DOMAIN_INTERRUPT, "DOM",
                 "interrupts that it got, by vector"),
    { .name = "interval-domain-grant-maps", .also = ' ', .type = OPT_CALL,
      .arg = "DOM", .at = FACTS(ids[INTERVAL_DOMAIN_GRANT_MAPS]),
      .parse = facts_parse_ids, .help = "grants that it mapped" },
    INTERVAL_IDS("cr3-schedule-time", INTERVAL_CR3_TIME, "FRAME[,FRAME...]",
                 "share of time with these in CR3"),
    INTERVAL("cr3-schedule-time-all", INTERVAL_CR3_TIME_ALL,
             "the same, of all"),
    INTERVAL("cr3-schedule-ordered", INTERVAL_CR3_ORDERED,
             "the same, longest first"),
    INTERVAL_IDS("cr3-short-summary", INTERVAL_CR3_SUMMARY, "FRAME",
                 "what exits with it in CR3 were for"),

    IGNORED("tolerance", '+'),
    IGNORED("sample-max", '$'),
    IGNORED_FLAG("svm-mode", '('),
    IGNORED_FLAG("tsc-loop-fatal", ','),
    IGNORED_FLAG("dump-trace-volume-on-lost-record", 0),
    IGNORED_FLAG("with-pio-enumeration", 0),
    IGNORED_FLAG("with-mmio-enumeration", 0),

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
    { .name = "dump-ipi-latency", .type = OPT_FLAG, .at = FACTS(ipis),
      .help = "above a report, how long interrupts between vcpus took" },
    { .name = "dump-show-power-states", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_show_power_states),
      .help = "in the dump, the C-state of idle pcpus" },
    { .name = "records", .type = OPT_FLAG,
      .at = offsetof(struct config, records),
      .help = "pcpu, cycles, name and fields of each record" },
    { .name = "count", .type = OPT_FLAG, .at = offsetof(struct config, count),
      .help = "how many records of each event, most of them first" },
    { .name = "formats", .type = OPT_TEXT, .arg = "FILE",
      .at = offsetof(struct config, rules),
      .help = "by rules, as xentrace_format does" },
    { .name = "order", .type = OPT_CHOICE, .arg = "ORDER", .preset = "time",
      .at = offsetof(struct config, order), .choices = orders,
      .help = "of records and lines by rules" },
    { .name = "threads", .type = OPT_UINT, .arg = "N", .min = 1, .max = 64,
      .at = offsetof(struct config, threads), .preset = "2",
      .help = "that work on it" },
    { .name = "info", .type = OPT_FLAG, .at = offsetof(struct config, info),
      .help = "what the file holds: windows, events, losses, damage" },

    { .type = OPT_GROUP, .help = "Which records" },
    { .name = "time", .type = OPT_TEXT, .arg = "A..B",
      .at = offsetof(struct config, time),
      .help = "1.5..2, -10ms.., 12:00:03..12:00:05, or cycles: 1234c.." },
    { .name = "pcpu", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, pcpus), .help = "0,4-7" },
    { .name = "domain", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, domains), .help = "0,3-5,idle" },
    { .name = "vcpu", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, vcpus), .help = "d1v0,d1v1" },
    { .name = "event", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, events),
      .help = "names, patterns, classes, ids: sched_*,hvm,0x28004" },

    { .type = OPT_GROUP, .help = "Terminal" },
    { .name = "color", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = offsetof(struct config, colour), .choices = whens,
      .help = "colours in the dump; auto: on a terminal without NO_COLOR" },
    { .name = "pager", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = offsetof(struct config, pager), .choices = whens,
      .help = "through $PAGER, or less; auto: on a terminal" },
    { .name = "progress", .also = '*', .type = OPT_FLAG, .preset = "yes",
      .at = offsetof(struct config, progress),
      .help = "on a terminal, how far it is and how long it takes" },

    { .type = OPT_GROUP, .help = "Trace" },
    { .name = "follow", .type = OPT_FLAG,
      .at = offsetof(struct config, follow),
      .help = "at the end of the file wait for more" },
    { .name = "cpu-hz", .also = ')', .type = OPT_HZ, .arg = "HZ", .min = 1,
      .at = offsetof(struct config, hz),
      .help = "cycles a second, if the trace does not say (2.4G)" },
    { .name = "layout", .type = OPT_CHOICE, .arg = "VERSION",
      .at = offsetof(struct config, layout), .choices = layouts,
      .preset = "auto",
      .help = "which Xen's layouts of records, if the trace does not give "
              "that away" },

    { .type = OPT_GROUP, .help = "What is said" },
    LOG_OPTS(struct config, log),
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

/* Does this file hold rules (formats(5)), and no trace? */
static bool holds_rules(const char *path)
{
    char text[4096];
    struct stat st;
    ssize_t size;
    int fd;

    /* Who opened a named pipe and closed it again has broken it. */
    if ( stat(path, &st) || !S_ISREG(st.st_mode) )
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if ( fd < 0 )
        return false;
    size = read(fd, text, sizeof(text));
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
    config->facts_wanted = facts_wanted(&config->facts);
    return take_arguments(config, argc - first, argv + first, e);
}
