/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options.  The option of an output sets a flag in struct config;
 * outputs.c maps the flag to the pass that serves the output.
 *
 * Some short options are punctuation characters: stock numbers its options up
 * to the printable characters and lists these in its --help.
 */
#include "config.h"

#include "xenalyze/options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output-file.h"
#include "xenalyze/commands.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/programs/programs.h"
#include "xenalyze/report-options.h"

static const char *const layouts[] = { "auto", "4.17", "master", NULL };
static const char *const vendors[] = { "auto", "intel", "amd", NULL };
static const char *const value_kinds[] = { "none", "domain", "vcpu", "pcpu",
                                          NULL };
static const char *const orders[] = { "time", "file", NULL };

static const char *const styles[] = { "stock", "table", NULL };
static const char *const viewers[] = { VIEWER_WORDS NULL };
static const char *const themes[] = { "auto", "light", "dark", NULL };

static const char *const whens[] = { "auto", "always", "never", NULL };

#define REPORTS(field) offsetof(struct config, reports.field)

/* A scatterplot with an argument has a parser, which also sets the flag. */
#define SCATTER_OPTION(kind, text, argument, say, ...)                      \
    { .name = "scatterplot-" text,                                          \
      .type = sizeof(argument) > 1 ? OPT_CALL : OPT_FLAG,                   \
      .arg = sizeof(argument) > 1 ? argument : NULL,                        \
      .at = sizeof(argument) > 1 ? REPORTS(which[SCATTER_##kind])           \
                                 : REPORTS(scatter[SCATTER_##kind]),        \
      .parse = sizeof(argument) > 1 ? report_parse_which : NULL,            \
      .help = say },

#define INTERVAL(text, kind, say)                                           \
    { .name = "interval-" text, .type = OPT_FLAG,                           \
      .at = REPORTS(interval[kind]), .help = say }

#define INTERVAL_IDS(text, kind, what, say)                                 \
    { .name = "interval-" text, .type = OPT_CALL, .arg = what,              \
      .at = REPORTS(ids[kind]), .parse = report_parse_ids, .help = say }

#define IGNORED_FLAG(text, sign)                                            \
    { .name = text, .also = sign, .type = OPT_FLAG,                         \
      .at = REPORTS(ignored_flag),                                            \
      .help = "accepted for compatibility; no effect", .hidden = true }

#define IGNORED(text, sign)                                                 \
    { .name = text, .also = sign, .type = OPT_UINT, .arg = "N",             \
      .at = REPORTS(ignored),                                                 \
      .help = "accepted for compatibility; no effect", .hidden = true }

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "Reports" },
    { .name = "summary", .letter = 's', .type = OPT_FLAG,
      .at = REPORTS(summary),
      .help = "activity of domains, vcpus and guests; the default in a pipe" },
    { .name = "report-overview", .type = OPT_FLAG, .at = REPORTS(overview),
      .help = "one screen: time, waits, exits, data quality; the default on a "
              "terminal" },
    { .name = "report-pcpu", .also = '%', .type = OPT_FLAG,
      .at = REPORTS(pcpus),
      .help = "time that each pcpu was running, idle and unknown" },
    { .name = "report-latency", .type = OPT_FLAG, .at = REPORTS(latency),
      .help = "scheduling latency: how long vcpus waited, and for whom" },
    { .name = "report-exits", .type = OPT_FLAG, .at = REPORTS(exits),
      .help = "cost of VM exits, by domain, reason and handler" },
    { .name = "report-storms", .type = OPT_FLAG, .at = REPORTS(storms),
      .help = "times with far more VM exits of one reason than usual" },
    { .name = "report-wakeups", .type = OPT_FLAG, .at = REPORTS(wakeups),
      .help = "which vcpus wake which, and how long these then wait" },
    { .name = "report-migrations", .type = OPT_FLAG, .at = REPORTS(migrations),
      .help = "moves of vcpus between pcpus: how often, and how far" },
    { .name = "report-timers", .type = OPT_FLAG, .at = REPORTS(timers),
      .help = "how late timers of HVM guests were, and for which reason" },
    { .name = "report-interrupts", .type = OPT_FLAG,
      .at = REPORTS(interrupts),
      .help = "the way of interrupts and events to vcpus, and their cost" },
    { .name = "check-scheduler", .type = OPT_FLAG,
      .at = REPORTS(check_scheduler),
      .help = "rules of the scheduler; exit code 1 if one is broken" },
    { .name = "allow-late", .type = OPT_TIME, .arg = "TIME",
      .at = REPORTS(allow_late), .min = 1, .max = 1000000000,
      .help = "with --check-scheduler, lateness that breaks no rule; default "
              "1ms" },
    { .name = "report-io", .type = OPT_FLAG, .at = REPORTS(io),
      .help = "I/O through dom0: share of each step, from event to answer" },
    { .name = "why", .type = OPT_FLAG, .at = REPORTS(why),
      .help = "why a vcpu is slow: --why d1v0 FILE, --why web1 FILE; or the "
              "slowest vcpu" },
    { .name = "critical-path", .type = OPT_TEXT, .arg = "VCPU",
      .at = REPORTS(critical_path),
      .help = "what a vcpu's time was needed for, through the vcpus that it "
              "was blocked for" },
    { .name = "compare", .type = OPT_FLAG,
      .at = offsetof(struct config, compare),
      .help = "differences of the second FILE from the first, beyond noise" },
    { .name = "against", .type = OPT_TEXT, .arg = "C..D",
      .at = offsetof(struct config, against),
      .help = "with --compare, time span of the second trace; of one FILE, "
              "compare its span --time with C..D" },
    { .name = "all-rows", .type = OPT_FLAG,
      .at = offsetof(struct config, all_rows),
      .help = "with --compare, include differences within noise" },
    { .name = "json", .type = OPT_FLAG, .at = REPORTS(json),
      .help = "print all numbers as JSON, with the selected points and "
              "intervals" },
    { .name = "csv", .type = OPT_FLAG, .at = REPORTS(csv),
      .help = "print all numbers as comma-separated tables" },
    { .name = "json-schema", .type = OPT_FLAG, .at = REPORTS(json_schema),
      .help = "print the JSON Schema of --json and exit" },
    { .name = "output", .letter = 'o', .type = OPT_FILE, .arg = "FILE",
      .at = offsetof(struct config, output), .common = true,
      .help = "write to FILE; for a picture .svg, .png, .pdf or .gp" },
    { .name = "sort", .type = OPT_CHOICE, .arg = "KEY",
      .at = REPORTS(request.sort),
      .choices = (const char *const[]){ SORT_WORDS, NULL },
      .preset = "auto", .help = "sort tables by KEY; auto: by name, or by "
                                "total with --top" },
    { .name = "top", .type = OPT_UINT, .arg = "N",
      .at = REPORTS(request.top), .max = 10000,
      .help = "limit tables to N rows; 0: print all rows" },
    { .name = "style", .type = OPT_CHOICE, .arg = "STYLE",
      .at = REPORTS(request.style), .choices = styles, .preset = "stock",
      .help = "stock: lines of stock; table: headings, names, units (the "
              "default of commands)" },
    { .name = "sample-size", .also = '#', .type = OPT_UINT, .arg = "N",
      .at = REPORTS(request.sample_size), .preset = "1024",
      .help = "0: no percentiles; other values change nothing" },
    { .name = "mmio-enumeration-skip-vga", .also = '"', .type = OPT_UINT,
      .arg = "0|1", .at = REPORTS(request.no_mmio_vga), .preset = "1",
      .max = 1, .help = "leave out MMIO to the VGA window" },
    { .name = "symbol-file", .also = '\'', .type = OPT_FILE, .arg = "FILE",
      .at = REPORTS(symbol_file),
      .help = "names for addresses: System.map, or an ELF file" },
    { .name = "default-guest-paging-levels", .also = '&', .type = OPT_UINT,
      .arg = "N", .at = REPORTS(levels), .preset = "2", .min = 2, .max = 4,
      .help = "paging levels of 32-bit guests, until a record has them" },
    { .name = "with-cr3-enumeration", .type = OPT_FLAG,
      .at = REPORTS(request.cr3),
      .help = "CR3 values of guests, and the time spent with each" },
    { .name = "with-interrupt-eip-enumeration", .type = OPT_CALL,
      .arg = "VECTOR", .at = REPORTS(request), .parse = report_parse_eips,
      .help = "guest addresses that interrupts with this vector hit" },
    { .name = "histogram-interrupt-eip", .type = OPT_CALL,
      .arg = "VECTOR[,BYTES]", .at = REPORTS(request),
      .parse = report_parse_histogram,
      .help = "guest addresses that interrupts with this vector hit, as a "
              "histogram with bars of BYTES" },
    { .name = "show-default-domain-summary", .also = '!', .type = OPT_FLAG,
      .at = REPORTS(request.show_default),
      .help = "include vcpus that no record names yet" },

    { .type = OPT_GROUP, .help = "Scatterplots: a line for each point" },
    SCATTER_TABLE(SCATTER_OPTION)

    { .name = "plot", .type = OPT_FILE, .arg = "FILE", .at = REPORTS(plot),
      .help = "draw the scatterplot, or without one the timeline of pcpus, "
              "into FILE.svg, FILE.png or FILE.pdf" },
    { .name = "gnuplot", .type = OPT_FILE, .arg = "FILE",
      .at = REPORTS(gnuplot),
      .help = "draw the scatterplot, or the timeline, as a gnuplot script" },
    { .name = "theme", .type = OPT_CHOICE, .arg = "THEME",
      .at = REPORTS(plot_theme), .choices = themes, .preset = "auto",
      .help = "page of the picture; auto: as the reader of SVG prefers, or "
              "light" },

    { .type = OPT_GROUP, .help = "Files for viewers" },
    { .name = "export", .type = OPT_CALL, .arg = "FORMAT:FILE",
      .at = REPORTS(exports), .parse = report_parse_export,
      .choices = viewers, .file_follows = true,
      .help = "write a page for a browser (html), a timeline (perfetto, fxt, "
              "chrome), a flame graph of VM exits (speedscope, collapsed), or "
              "records (trace.dat; ctf, a folder)" },

    { .type = OPT_GROUP, .help = "Intervals: a line for each" },
    { .name = "interval", .letter = 'i', .type = OPT_TIME, .arg = "TIME",
      .at = REPORTS(interval_length), .min = 1,
      .help = "length of an interval (default: 1)" },
    { .name = "every", .type = OPT_TIME, .arg = "TIME",
      .at = REPORTS(interval_length), .min = 1,
      .help = "the same as --interval: --every=100ms" },
    INTERVAL_IDS("domain-total-time", INTERVAL_DOMAIN_TIME, "DOM[,DOM...]",
                 "share of time that these domains run"),
    INTERVAL("domain-total-time-all", INTERVAL_DOMAIN_TIME_ALL,
             "share of time that each domain runs"),
    INTERVAL("domain-wait-time-all", INTERVAL_DOMAIN_WAIT_ALL,
             "time that the vcpus of each domain wait for a pcpu"),
    INTERVAL_IDS("domain-short-summary", INTERVAL_DOMAIN_SUMMARY, "DOM",
                 "time of a domain by purpose of its exits"),
    INTERVAL_IDS("domain-guest-interrupt", INTERVAL_DOMAIN_INTERRUPT, "DOM",
                 "interrupts of a domain, by vector"),
    { .name = "interval-domain-grant-maps", .also = ' ', .type = OPT_CALL,
      .arg = "DOM", .at = REPORTS(ids[INTERVAL_DOMAIN_GRANT_MAPS]),
      .parse = report_parse_ids, .help = "grants that a domain mapped" },
    INTERVAL_IDS("cr3-schedule-time", INTERVAL_CR3_TIME, "FRAME[,FRAME...]",
                 "share of time with these frames in CR3"),
    INTERVAL("cr3-schedule-time-all", INTERVAL_CR3_TIME_ALL,
             "share of time with each frame in CR3"),
    INTERVAL("cr3-schedule-ordered", INTERVAL_CR3_ORDERED,
             "share of time with each frame in CR3, longest first"),
    INTERVAL_IDS("cr3-short-summary", INTERVAL_CR3_SUMMARY, "FRAME",
                 "time with a frame in CR3, by purpose of exits"),

    IGNORED("tolerance", '+'),
    IGNORED("sample-max", '$'),
    IGNORED_FLAG("tsc-loop-fatal", ','),
    IGNORED_FLAG("dump-trace-volume-on-lost-record", 0),
    IGNORED_FLAG("with-pio-enumeration", 0),
    IGNORED_FLAG("with-mmio-enumeration", 0),

    { .type = OPT_GROUP, .help = "Records" },
    { .name = "dump-all", .letter = 'a', .type = OPT_FLAG,
      .at = offsetof(struct config, dump_all),
      .help = "print a line for each record, in time order" },
    { .name = "dump-raw-process", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_raw_process),
      .help = "print each record in hex, in time order; with --dump-all, "
              "before the line of the record" },
    { .name = "dump-raw-reads", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_raw_reads),
      .help = "print records in hex, in file order, with offsets" },
    { .name = "dump-no-processing", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_no_processing),
      .help = "same as --dump-raw-reads, without other outputs" },
    { .name = "dump-ipi-latency", .type = OPT_FLAG, .at = REPORTS(ipi_latency),
      .help = "print the latency of IPIs between vcpus, above a report" },
    { .name = "dump-show-power-states", .type = OPT_FLAG,
      .at = offsetof(struct config, dump_show_power_states),
      .help = "in the dump, show C-states of idle pcpus" },
    { .name = "records", .type = OPT_FLAG,
      .at = offsetof(struct config, records),
      .help = "print pcpu, cycles, name and fields of each record" },
    { .name = "count", .type = OPT_FLAG, .at = offsetof(struct config, count),
      .help = "number of records of each event" },
    { .name = "formats", .type = OPT_FILE, .arg = "FILE",
      .at = offsetof(struct config, rules),
      .help = "format records by the rules in FILE, as xentrace_format does" },
    { .name = "order", .type = OPT_CHOICE, .arg = "ORDER", .preset = "time",
      .at = offsetof(struct config, order), .choices = orders,
      .help = "order of --records and --formats" },
    { .name = "threads", .type = OPT_UINT, .arg = "N", .min = 1, .max = 64,
      .at = offsetof(struct config, threads), .preset = "2",
      .help = "number of threads" },
    { .name = "info", .type = OPT_FLAG, .at = offsetof(struct config, info),
      .help = "contents of the file: windows, events, losses, damage" },

    { .name = "cut", .type = OPT_FILE, .arg = "FILE",
      .at = offsetof(struct config, cut_path),
      .help = "write the selected part as a trace, with the states at its "
              "begin" },

    { .name = "index", .type = OPT_FLAG, .at = offsetof(struct config, index),
      .help = "write an index beside the trace: reports with --time, --info "
              "and --count become faster" },

    { .type = OPT_GROUP, .help = "Selection" },
    { .name = "time", .type = OPT_TEXT, .arg = "A..B",
      .at = offsetof(struct config, time),
      .common = true,
      .help = "select a time: 1.5..2, -10ms.., 12:00:03.." },
    { .name = "pcpu", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, pcpus), .values = "pcpu", .list = true,
      .help = "select pcpus: 0,4-7" },
    { .name = "domain", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, domains), .common = true,
      .values = "domain", .list = true,
      .help = "select domains: web1,0,idle; also --vcpu=d1v0, --pcpu=0-3" },
    { .name = "vcpu", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, vcpus), .values = "vcpu", .list = true,
      .help = "select vcpus: d1v0,d1v1,web1/0" },
    { .name = "event", .type = OPT_TEXT, .arg = "LIST",
      .at = offsetof(struct config, events),
      .common = true, .suggest = xt_catalogue_print_names, .list = true,
      .help = "select events by name, class or id: sched_*,hvm,0x28004" },

    { .type = OPT_GROUP, .help = "Terminal" },
    { .name = "color", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = offsetof(struct config, colour), .choices = whens,
      .help =
          "colours in the dump; auto: on a terminal unless NO_COLOR is set" },
    { .name = "pager", .type = OPT_CHOICE, .arg = "WHEN", .preset = "auto",
      .at = offsetof(struct config, pager), .choices = whens,
      .help = "use $PAGER, or less; auto: on a terminal" },
    { .name = "progress", .also = '*', .type = OPT_FLAG, .preset = "yes",
      .at = offsetof(struct config, progress),
      .help = "on a terminal, show progress and time left" },

    { .type = OPT_GROUP, .help = "Trace" },
    { .name = "follow", .type = OPT_FLAG,
      .at = offsetof(struct config, follow),
      .help = "wait for more records at the end of the file" },
    { .name = "program-events", .type = OPT_FILE, .arg = "FILE",
      .at = offsetof(struct config, program_events),
      .help = "declarations of the events in traces of programs, such as "
              "QEMU's trace-events-all" },
    { .name = "cpu-hz", .also = ')', .type = OPT_HZ, .arg = "HZ", .min = 1,
      .at = offsetof(struct config, hz),
      .help = "TSC frequency, for a trace without a frequency (2.4G)" },
    { .name = "layout", .type = OPT_CHOICE, .arg = "VERSION",
      .at = offsetof(struct config, layout), .choices = layouts,
      .preset = "auto",
      .help = "Xen version that wrote the records, if the trace does not "
              "show it" },

    { .name = "vendor", .type = OPT_CHOICE, .arg = "VENDOR",
      .at = offsetof(struct config, vendor), .choices = vendors,
      .preset = "auto",
      .help = "CPU vendor, whose exit reasons the trace has" },
    { .name = "svm-mode", .also = '(', .type = OPT_FLAG,
      .at = offsetof(struct config, svm_mode), .help = "same as --vendor=amd" },

    { .name = "complete-values", .type = OPT_CHOICE, .arg = "KIND",
      .at = offsetof(struct config, complete_values), .choices = value_kinds,
      .preset = "none", .hidden = true,
      .help = "print names of the trace, for shell completion" },

    { .type = OPT_GROUP, .help = "Messages" },
    LOG_OPTS(struct config, log),
};

/* The first of several arguments may be the vcpu of --why. */
static bool takes_vcpu(const void *config)
{
    return ((const struct config *)config)->reports.why;
}

static void warn_hidden_command(const void *state, const char *name)
{
    const struct config *config = state;

    log_warning(&config->log, "%s is read as a file, since there is a file of "
                "this name; write ./%s, or run the command in another folder",
                name, name);
}

static const struct program program = {
    .name = "xenalyze",
    .version = PACKAGE_VERSION,
    .synopsis = "[COMMAND] [OPTION...] [FILE...]",
    .summary = "analyze a trace of the Xen hypervisor; - or no FILE is "
               "standard input",
    .footer = "  xentrace -D -e all -T 5 trace.bin && xenalyze latency "
              "trace.bin\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .min_args = 0,
    .max_args = UINT_MAX,
    .commands = xenalyze_commands,
    .nr_commands = XENALYZE_NR_COMMANDS,
    .args_exist = true,
    .takes_word = takes_vcpu,
    .hides_command = warn_hidden_command,
};

/* Is this a file of rules (formats(5)) rather than a trace? */
static bool holds_rules(const char *path)
{
    char text[4096];
    struct stat st;
    ssize_t size;
    int fd;

    /* Opening and closing a named pipe would break the pipe for its writer. */
    if ( stat(path, &st) || !S_ISREG(st.st_mode) )
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if ( fd < 0 )
        return false;
    size = read(fd, text, sizeof(text));
    close(fd);
    return size > 0 && formats_suspected(text, size);
}

/* The file of a picture: -o FILE, or KIND.svg. */
static int choose_picture(struct config *config, struct err *e)
{
    static char name[64];
    enum plot_format format;
    const char *end;

    if ( config->reports.plot || config->reports.gnuplot )
        return err_usage(e, "plot: leave out --%s; --output names the file of "
                         "the picture",
                         config->reports.plot ? "plot" : "gnuplot");
    snprintf(name, sizeof(name), "%s.svg", config->picture);
    if ( !config->output )
        config->output = name;
    end = strrchr(config->output, '.');
    if ( end && !strcmp(end, ".gp") )
        config->reports.gnuplot = config->output;
    else if ( plot_find_format(config->output, &format) )
        config->reports.plot = config->output;
    else
        return err_usage(e, "--output %s: the name of a picture ends in .svg, "
                         ".png, .pdf or .gp", config->output);
    return 0;
}

/* The folder of an export: of --export, or -o FOLDER. */
static int choose_folder(struct config *config, struct err *e)
{
    if ( !config->reports.ctf || strcmp(config->reports.ctf_path, "-") )
        return 0;
    if ( !config->output )
        return err_usage(e, "export ctf: the output is a folder: name it with "
                         "-o");
    config->reports.ctf_path = config->output;
    config->output = NULL;
    return 0;
}

/* Two traces, one of them maybe standard input; or two spans of one trace. */
static int check_compared(const struct config *config, struct err *e)
{
    const char **paths = config->paths;
    size_t nr = config->nr_paths;

    if ( nr > 2 )
        return err_usage(e, "%s: a comparison takes two traces", paths[2]);
    if ( nr == 2 && !strcmp(paths[0], "-") && !strcmp(paths[1], "-") )
        return err_usage(e, "standard input can be only one of both traces");
    if ( nr == 2 || (nr == 1 && config->time && config->against) )
        return 0;
    return err_usage(e, "a comparison needs two traces, A B, or two spans of "
                     "one: --time=0..5 --against=5..10 FILE");
}

/* Does standard input hold data?  A device such as /dev/null does not. */
static bool stdin_holds_data(void)
{
    struct stat st;

    return !fstat(STDIN_FILENO, &st) &&
           (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode));
}

static bool is_command(const char *word)
{
    assert(word);
    for ( size_t i = 0; i < XENALYZE_NR_COMMANDS; i++ )
        if ( !strcmp(xenalyze_commands[i].name, word) )
            return true;
    return false;
}

/* A command, or the vcpu of --why, behind a file is no second file. */
static int check_words(const struct config *config, int nr, char **args,
                       struct err *e)
{
    assert(nr >= 0);
    for ( int i = 1; i < nr && !access(args[0], F_OK); i++ )
        if ( access(args[i], F_OK) &&
             (is_command(args[i]) || takes_vcpu(config)) )
            return err_usage(e, "%s: no such file; it comes before files: "
                             "xenalyze %s%s %s", args[i],
                             is_command(args[i]) ? "" : "why ", args[i],
                             args[0]);
    return 0;
}

/* Takes the optional arguments RULES or VCPU, and FILE. */
static int take_arguments(struct config *config, int nr, char **args,
                          struct err *e)
{
    if ( nr && !config->compare && !config->rules && holds_rules(args[0]) )
    {
        config->rules = *args++;
        nr--;
    }
    if ( (nr > 1 || (nr && stdin_holds_data())) && takes_vcpu(config) &&
         strcmp(args[0], "-") && access(args[0], F_OK) )
    {
        config->reports.why_vcpu = *args++;
        nr--;
    }
    config->formats = config->rules;
    config->cut = config->cut_path;
    config->path = nr ? args[0] : "-";
    if ( config->reports.json_schema )
        return 0;
    if ( nr > 1 && config->follow && !config->compare )
        return err_usage(e, "%s: --follow reads one file", args[1]);
    config->paths = (const char **)args;
    config->nr_paths = nr;
    if ( config->compare )
        return check_compared(config, e);
    if ( !nr && isatty(STDIN_FILENO) )
        return err_usage(e, "no trace: name a file, or send one to "
                         "standard input");
    return 0;
}

/*
 * Traces of programs go behind those of Xen.  Both keep their order; standard
 * input is a trace of Xen.
 */
static int split_programs(struct config *config, struct err *e)
{
    size_t nr = 0, at = 0;
    const char *path;

    while ( at < config->nr_paths - config->nr_programs )
    {
        path = config->paths[at];
        if ( !programs_is_trace(path) )
        {
            at++;
            continue;
        }
        memmove(config->paths + at, config->paths + at + 1,
                (config->nr_paths - at - 1) * sizeof(*config->paths));
        config->paths[config->nr_paths - 1] = path;
        config->nr_programs++;
    }
    nr = config->nr_paths - config->nr_programs;
    config->programs = config->paths + nr;
    if ( config->nr_programs && !nr && !stdin_holds_data() )
        return err_usage(e, "%s is the trace of a program: name a trace of Xen "
                         "beside it", config->programs[0]);
    config->path = nr ? config->paths[0] : "-";
    config->nr_paths = nr;
    return 0;
}

/* Error if the output is the trace. */
static int refuse_trace(const struct config *config, const char *output,
                        struct err *e)
{
    struct stat st;

    for ( size_t n = 0; output && n < config->nr_paths + 1; n++ )
        if ( !(n < config->nr_paths ? stat(config->paths[n], &st)
                                    : fstat(STDIN_FILENO, &st)) &&
             output_file_replaces(output, &st) )
            return err_usage(e, "%s is the trace: give the output another "
                             "name", output);
    return 0;
}

/* Would b, written after a, replace it?  Devices and pipes take both. */
static bool replaces_output(const char *a, const char *b)
{
    struct stat st;

    assert(a && b);
    if ( a == b || !strcmp(b, "-") )
        return false;
    return stat(a, &st) ? !strcmp(a, b) : output_file_replaces(b, &st);
}

/* An output must not replace a trace, nor another output. */
static int check_outputs(const struct config *config, struct err *e)
{
    const char *outputs[5 + REPORT_MAX_EXPORTS] = {
        config->output, config->reports.plot, config->reports.gnuplot,
        config->cut_path, config->reports.trace_dat_path,
    };
    size_t nr = 5;
    int rc = 0;

    for ( size_t i = 0; i < config->reports.nr_exports; i++ )
        outputs[nr++] = config->reports.exports[i].path;
    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        rc = refuse_trace(config, outputs[i], e);
        for ( size_t n = 0; !rc && outputs[i] && n < i; n++ )
            if ( outputs[n] && replaces_output(outputs[n], outputs[i]) )
                rc = err_usage(e, "%s: another output has this name: choose "
                               "another one", outputs[i]);
    }
    return rc;
}

int options_parse(struct config *config, int argc, char **argv,
                  enum opts_next *next, struct err *e)
{
    int first, rc;

    config->reports.request.top = OPTIONS_TOP_AUTO;
    rc = opts_parse(&program, argc, argv, config, &first, next, e);

    if ( rc || *next != OPTS_RUN )
        return rc;
    if ( !config->draws && config->output && !strcmp(config->output, "-") )
        config->output = NULL;
    if ( config->draws )
        rc = choose_picture(config, e);
    rc = rc ? rc : choose_folder(config, e);
    if ( rc )
        return rc;
    config->reports_wanted = report_is_wanted(&config->reports);
    rc = check_words(config, argc - first, argv + first, e);
    rc = rc ? rc : take_arguments(config, argc - first, argv + first, e);
    rc = rc ? rc : check_outputs(config, e);
    return rc || config->compare || config->reports.json_schema
           ? rc : split_programs(config, e);
}
