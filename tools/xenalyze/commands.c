/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of commands.  Commands with options that depend on their positional
 * arguments have a parser: over, plot, points, export, and record listings.
 */
#include "xenalyze/commands.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/closest-word.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/options.h"
#include "xenalyze/report-options.h"

#define OPTIONS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* True if the word has to be the trace: a file, a path, standard input. */
static bool is_trace(const char *word)
{
    return strchr(word, '/') || !strcmp(word, "-") || !access(word, F_OK);
}

/*
 * The index of the first argument among the words, up to its '='; or the usage
 * error of the command.
 */
static int choose_word(const char *const *words, const char *command, int nr,
                       char **args, struct err *e)
{
    int i = nr ? closest_word_find(words, args[0], strcspn(args[0], "=")) : -1;
    struct err unknown = ERR_INIT;

    assert(*words && nr >= 0);
    if ( i >= 0 )
        return i;
    if ( !nr || is_trace(args[0]) )
        return closest_word_refuse(words, command, NULL, e);
    closest_word_refuse(words, command, args[0], nr < 2 ? &unknown : e);
    return nr < 2 ? err_usage(e, "%s; or no such file", unknown.text) : -EINVAL;
}

/* --- over ----------------------------------------------------------------- */

struct quantity
{
    enum interval_kind kind;
    bool per_domain;            /* needs --domain */
};

static const char *const quantity_words[] = {
    "run", "wait", "exits", "interrupts", "grants", "cr3", NULL,
};

static const struct quantity quantities[] = {
    { INTERVAL_DOMAIN_TIME_ALL, false }, { INTERVAL_DOMAIN_WAIT_ALL, false },
    { INTERVAL_DOMAIN_SUMMARY, true },
    { INTERVAL_DOMAIN_INTERRUPT, true }, { INTERVAL_DOMAIN_GRANT_MAPS, true },
    { INTERVAL_CR3_TIME_ALL, false },
};

/* over WHAT FILE */
static int take_quantity(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;
    struct report_config *r = &config->reports;
    int i = choose_word(quantity_words, "over", nr, args, e);
    int rc;

    if ( i < 0 )
        return i;
    if ( quantities[i].per_domain && !config->domains )
        return err_usage(e, "over %s: give a domain with --domain", args[0]);
    if ( quantities[i].per_domain )
    {
        const struct opt o = {
            .name = "domain", .at = offsetof(struct config, reports.ids) +
                                    quantities[i].kind * sizeof(r->ids[0]),
        };

        rc = report_parse_ids(&o, config->domains, config, e);
        return rc ? rc : 1;
    }
    r->interval[quantities[i].kind] = true;
    return 1;
}

/* --- plot and points ------------------------------------------------------ */

#define KIND_WORD(kind, text, ...) [SCATTER_##kind + 1] = text,
#define KIND_OPTION(kind, text, argument, ...)                              \
    [SCATTER_##kind + 1] = sizeof(argument) > 1 ? argument : NULL,

static const char *const kind_words[] = {
    [0] = "timeline",
    SCATTER_TABLE(KIND_WORD)
    NULL
};

/* The argument of a kind, as in io=PORT; or NULL. */
static const char *const kind_arguments[] = { SCATTER_TABLE(KIND_OPTION) };

static int set_kind(struct config *config, const char *word, int i,
                    struct err *e)
{
    const char *value = word + strcspn(word, "=");
    const char *argument = i ? kind_arguments[i] : NULL;
    uint64_t number;

    if ( argument && !*value )
        return err_usage(e, "%s: needs its %s, as in %s=%s", word, argument,
                         word, argument);
    if ( !argument && *value )
        return err_usage(e, "%s: takes no value", word);
    if ( argument && opts_number(value + 1, &number) )
        return err_usage(e, "%s: %s is no number", word, value + 1);
    if ( argument )
    {
        const struct opt o = {
            .name = word, .at = offsetof(struct config, reports.which) +
                                (i - 1) * sizeof(config->reports.which[0]),
        };

        return report_parse_which(&o, value + 1, config, e);
    }
    if ( i )
        config->reports.scatter[i - 1] = true;
    return 0;
}

/*
 * plot [KIND] FILE.  A single word is the file if there is one of this name, or
 * if it cannot be a kind.
 */
static int take_plot(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;
    const char *word = nr ? args[0] : "-";
    int i = closest_word_find(kind_words, word, strcspn(word, "=")), rc;

    config->draws = true;
    config->picture = kind_words[0];
    if ( is_trace(word) ? nr < 2 || i < 0 : nr < 2 && strchr(word, '.') )
        return 0;
    i = choose_word(kind_words, "plot", nr, args, e);
    if ( i < 0 )
        return i;
    config->picture = kind_words[i];
    rc = set_kind(config, args[0], i, e);
    return rc ? rc : 1;
}

/* points KIND FILE */
static int take_points(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;
    int i = choose_word(kind_words + 1, "points", nr, args, e);
    int rc;

    if ( i < 0 )
        return i;
    config->picture = kind_words[i + 1];
    rc = set_kind(config, args[0], i + 1, e);
    return rc ? rc : 1;
}

/* --- listings and export -------------------------------------------------- */

/*
 * A word without a file behind it, or with a dot, which no event has, may be
 * meant as a file.  If it is no event either, the error says both.
 */
static int check_events(const char *word, int nr, struct err *e)
{
    const struct filter_texts texts = { .events = word,
                                        .has_dump_name = dump_has_name };
    static const char option[] = "--event: ";
    struct err unknown = ERR_INIT;
    const char *text = unknown.text;
    struct filter *f = NULL;
    int rc = nr < 2 || strchr(word, '.') ? filter_new(&f, &texts, &unknown) : 0;

    filter_free(f);
    if ( rc != -EINVAL )
        return 0;
    text += strncmp(text, option, strlen(option)) ? 0 : strlen(option);
    return err_usage(e, "no such file; and as an event, %s", text);
}

/* dump [EVENTS] FILE: a first word that is no file selects events. */
static int take_events(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;
    int rc;

    if ( !nr || is_trace(args[0]) || (nr < 2 && isatty(STDIN_FILENO)) )
        return 0;
    if ( config->events )
        return err_usage(e, "%s: no such file; events are given by --event "
                         "already", args[0]);
    rc = check_events(args[0], nr, e);
    config->events = args[0];
    return rc ? rc : 1;
}

static const char *const form_words[] = {
    "json", "csv", VIEWER_WORDS NULL,
};

/* export FORM FILE */
static int take_form(void *state, int nr, char **args, struct err *e)
{
    struct config *config = state;
    struct report_config *r = &config->reports;
    int i = choose_word(form_words, "export", nr, args, e), rc;
    struct report_file file = { .path = "-" };

    if ( i < 0 )
        return i;
    r->json |= i == 0;
    r->csv |= i == 1;
    if ( i < 2 )
        return 1;
    file.format = viewer_find(form_words[i], strlen(form_words[i]));
    if ( file.format->has_records )
    {
        rc = report_set_records(r, &file, e);
        return rc ? rc : 1;
    }
    if ( r->nr_exports == REPORT_MAX_EXPORTS )
        return err_usage(e, "export %s: too many files of --export", args[0]);
    r->exports[r->nr_exports++] = file;
    return 1;
}

/* --- the table ------------------------------------------------------------ */

/* Commands are for people; the options of stock keep the form of stock. */
#define TABLE "--style=table"

#define SELECTION "time", "domain", "vcpu", "pcpu"

const struct command xenalyze_commands[XENALYZE_NR_COMMANDS] = {
    { .name = "summary", .args = "FILE",
      .help = "where the time of domains, vcpus and pcpus went",
      .options = OPTIONS("--summary"),
      .related = OPTIONS(SELECTION, "top", "sort", "output") },
    { .name = "why", .args = "[VCPU] FILE",
      .help = "why a vcpu is slow: the causes, and what helps",
      .details = "VCPU is a vcpu or a domain, as in d1v0, web1/0 or web1; "
        "without VCPU, the vcpu that waits most is explained.",
      .options = OPTIONS("--why"), .values = "vcpu",
      .related = OPTIONS("time", "top", "json", "output") },
    { .name = "latency", .args = "FILE",
      .help = "how long vcpus waited for a pcpu, and who ran instead",
      .details = "Reports scheduling latency after wake-ups and preemptions, "
        "the vcpus that ran instead, and the longest waits.",
      .options = OPTIONS("--report-latency"),
      .related = OPTIONS(SELECTION, "top", "sort", "output") },
    { .name = "exits", .args = "FILE",
      .help = "cost of VM exits, by domain and reason; storms",
      .options = OPTIONS("--report-exits", "--report-storms"),
      .related = OPTIONS(SELECTION, "top", "sort", "symbol-file", "output") },
    { .name = "pcpus", .args = "FILE", .help = "how busy each pcpu was",
      .options = OPTIONS("--report-pcpu", TABLE),
      .related = OPTIONS("time", "pcpu", "top", "sort", "output") },
    { .name = "wakeups", .args = "FILE",
      .help = "which vcpus wake which, and how long these wait",
      .options = OPTIONS("--report-wakeups"),
      .related = OPTIONS(SELECTION, "top", "sort", "output") },
    { .name = "io", .args = "FILE",
      .help = "is dom0 the bottleneck for the I/O of guests?",
      .details = "Follows round trips of I/O through split drivers, from the "
        "guest's event to the backend in dom0 and back, and reports the share "
        "of each step and the longest round trips.",
      .options = OPTIONS("--report-io"),
      .related = OPTIONS("time", "top", "sort", "output") },
    { .name = "compare", .args = "A B",
      .help = "what trace B has more or less of than A, beyond noise",
      .details = "Compares domains of the same name in two traces, or with "
        "--time and --against in two spans of one trace: shares of time, "
        "latency, exits, I/O, interrupts.  Prints differences beyond noise, "
        "most expensive first.",
      .options = OPTIONS("--compare"),
      .related = OPTIONS(SELECTION, "against", "all-rows", "top", "json",
                         "output") },
    { .name = "over", .args = "WHAT FILE",
      .help = "values over time: run, wait, exits, grants and others",
      .details = "WHAT is run, wait, exits, interrupts, grants or cr3.  Prints "
        "a line for each interval: the share of time that each domain runs, or "
        "that its vcpus wait for a pcpu; or, of the domain given with "
        "--domain, the time by purpose of its exits, its interrupts by vector, "
        "or the grants it mapped; or the share of time with each frame in "
        "CR3.",
      .options = OPTIONS(TABLE),
      .related = OPTIONS(SELECTION, "every", "top", "output"),
      .take = take_quantity, .words = quantity_words },
    { .name = "plot", .args = "[KIND] FILE",
      .help = "draw a picture: timeline, runstate, irq and others",
      .details = "Draws into the file given with -o, or into KIND.svg.  The "
        "default is the timeline: the vcpus on each pcpu.  Kinds: runstate, "
        "runstate-time, pcpu, rdtsc, irq, interrupt-eip=VECTOR, "
        "extint-cycles=VECTOR, io=PORT, unpin-promote, cr3-switch, "
        "wake-to-halt, vmexit-eip.",
      .related = OPTIONS(SELECTION, "output", "theme"),
      .take = take_plot, .words = kind_words },
    { .name = "points", .args = "KIND FILE",
      .help = "the points of such a picture as text",
      .related = OPTIONS(SELECTION, "output"),
      .take = take_points, .words = kind_words + 1 },
    { .name = "dump", .args = "[EVENTS] FILE",
      .help = "a line for each record, or of EVENTS: sched_*,hvm",
      .details = "Prints records in order of time with their fields explained. "
        "EVENTS are names, patterns, classes or numbers, as for --event.  The "
        "traces of several hosts are merged by the wall clocks of these.",
      .options = OPTIONS("--dump-all", TABLE),
      .related = OPTIONS(SELECTION, "event", "output"),
      .take = take_events, .suggest = xt_catalogue_print_names },
    { .name = "records", .args = "[EVENTS] FILE",
      .help = "the same as fields by name, for programs",
      .options = OPTIONS("--records"),
      .related = OPTIONS(SELECTION, "event", "order", "output"),
      .take = take_events, .suggest = xt_catalogue_print_names },
    { .name = "count", .args = "FILE",
      .help = "number of records of each event",
      .options = OPTIONS("--count"),
      .related = OPTIONS(SELECTION, "event", "top", "sort", "output") },
    { .name = "info", .args = "FILE",
      .help = "the file itself: size, time, losses, damage",
      .options = OPTIONS("--info", TABLE),
      .related = OPTIONS("top", "json", "csv", "output") },
    { .name = "cut", .args = "FILE",
      .help = "a part of the trace as a trace: --time=1..2 -o PART",
      .details = "Writes the selected records, and those that the states of "
        "vcpus at the begin follow from; reports of the part are those of the "
        "trace with the same --time.",
      .options = OPTIONS("--cut=-"),
      .related = OPTIONS(SELECTION, "event", "output") },
    { .name = "index", .args = "FILE",
      .help = "make --time fast in a long trace: writes FILE.xti",
      .details = "With the index, a report of a short time takes a fraction of "
        "a second, wherever the time is; without, all of the trace before it "
        "is read, and for info and count, all of the trace.  A report with "
        "--time writes an index of another state of the file anew.",
      .options = OPTIONS("--index") },
    { .name = "export", .args = "FORM FILE",
      .help = "for programs (json) and viewers (html, perfetto)",
      .details = "FORM is json or csv for all numbers, described in "
        "xenalyze-json(5); html for a page with a timeline and tables; "
        "perfetto, perfetto-compact, fxt or chrome for a timeline; speedscope "
        "or collapsed for a flame graph of VM exits; trace.dat for all records "
        "in the form of trace-cmd and KernelShark; ctf for a folder with them, "
        "for babeltrace2 and Trace Compass.  A page or a timeline may show "
        "the traces of several hosts.",
      .related = OPTIONS(SELECTION, "top", "output"),
      .take = take_form, .words = form_words },
};
