/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-storms: times in which a vcpu had far more VM exits or interrupts of
 * one kind than usual, and phases of its exits: a table each.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define VCPU_WIDTH 12u
#define REASON_WIDTH 35
#define RATE_WIDTH 7u
#define REASON_MAX 80

struct storms_report
{
    struct exit_storms storms;
    const struct report_request *request;
};

static bool storms_are_requested(const struct report_config *c)
{
    return c->storms;
}

static int storms_open(struct report_pass *p, void **state, struct err *e)
{
    struct storms_report *r = *state = fault_calloc(1, sizeof(*r));

    (void)e;
    if ( !r )
        return -ENOMEM;
    r->request = &p->request;
    exit_storms_init(&r->storms);
    exit_storms_select_pcpus(&r->storms, p->wants_pcpu, p->filter);
    report_add_sink(p, exit_storms_sink(&r->storms));
    return 0;
}

static bool storms_have_failed(const void *state)
{
    const struct storms_report *r = state;

    return r->storms.failed;
}

static void storms_free(void *state)
{
    struct storms_report *r = state;

    if ( r )
        exit_storms_fini(&r->storms);
    free(r);
}

/* --- text ----------------------------------------------------------------- */

static const char *const kind_names[STORM_KINDS] = {
    [STORM_EXIT] = "exit", [STORM_PORT] = "port", [STORM_MEMORY] = "memory",
    [STORM_VECTOR] = "vector", [STORM_INJECTION] = "guest interrupt",
};

/* "IO_INSTRUCTION: port 0x3f8", "HLT", "guest interrupt 0xec". */
static void format_storm(const struct exit_storm *storm, char text[REASON_MAX])
{
    enum storm_kind kind = storm_get_kind(storm->key);
    uint64_t detail = storm_get_detail(storm->key);
    char number[EXIT_REPORT_NAME];

    assert(kind < STORM_KINDS);
    if ( kind == STORM_INJECTION )
        snprintf(text, REASON_MAX, "%s 0x%" PRIx64, kind_names[kind], detail);
    else if ( kind == STORM_EXIT )
        snprintf(text, REASON_MAX, "%s",
                 exit_report_name(storm_get_cause(storm->key), number));
    else
        snprintf(text, REASON_MAX, "%s: %s 0x%" PRIx64,
                 exit_report_name(storm_get_cause(storm->key), number),
                 kind_names[kind], detail);
}

/* An injection is no exit, and has no time in Xen. */
static bool has_cost(const struct exit_storm *storm)
{
    assert(storm->running);
    return storm_get_kind(storm->key) != STORM_INJECTION;
}

/*
 * Ends a line with a span of time, at which there is room for 30 columns; a
 * symbol has a line of its own.
 */
static void print_place(const struct storms_report *r,
                        const struct storm_place *p, FILE *out)
{
    char symbol[SYMBOLS_TEXT_MAX];

    if ( storm_place_is_known(p) )
        fprintf(out, ", %.0f%% at 0x%" PRIx64,
                stats_share(p->exits, p->all), p->rip);
    fprintf(out, "\n");
    if ( storm_place_is_known(p) && r->request->symbols )
        fprintf(out, "  %s\n",
                symbols_text(r->request->symbols, p->rip, symbol));
}

static void print_storm(const struct storms_report *r,
                        const struct exit_storm *storm, FILE *out)
{
    char name[XT_LABEL_MAX], reason[REASON_MAX], rate[NUM_CLOCK_MAX];

    assert(storm->from <= storm->to);
    xt_vcpu_column(r->request->names, storm->domain, storm->vcpu, VCPU_WIDTH,
                   name);
    format_storm(storm, reason);
    fprintf(out, " %-*s %-*.*s", utf8_width(name, VCPU_WIDTH), name,
            REASON_WIDTH, REASON_WIDTH, reason);
    *num_u64_fit(rate, storm_per_second(&r->storms, storm), RATE_WIDTH) = '\0';
    fprintf(out, " %s", rate);
    *num_u64_fit(rate, storm->typical, RATE_WIDTH) = '\0';
    fprintf(out, " %s", rate);
    if ( has_cost(storm) )
        fprintf(out, " %7.1f%%\n", stats_share(storm->cycles, storm->running));
    else
        fprintf(out, " %8s\n", "-");
    fprintf(out, "  %" PRIu64 " time%s: ", storm->events,
            num_plural(storm->events));
    text_print_span(&r->storms.clock, storm->from, storm->to, out);
    print_place(r, &storm->place, out);
    if ( storm->cut_before || storm->cut_after )
        fprintf(out, "  records were lost beside it\n");
}

/* Without a storm: was the trace fit for the search? */
static const char *explain_no_storm(const struct exit_storms *s)
{
    assert(!s->nr_storms);
    if ( !s->has_events )
        return "not searched: the trace has no VM exits";
    return s->nr_windows ? "none" : "not searched: no scheduler events";
}

static void print_limits(const struct exit_storms *s, FILE *out)
{
    assert(s->nr_storms <= s->all_storms);
    if ( !s->nr_storms )
        fprintf(out, " %s\n", explain_no_storm(s));
    if ( s->all_storms > s->nr_storms )
        fprintf(out, " more storms, which cost less: %" PRIu64 "\n",
                s->all_storms - s->nr_storms);
    if ( s->nr_brief )
        fprintf(out, " vcpus that ran in fewer than %u windows, not searched: "
                "%" PRIu64 "\n", STORM_TYPICAL, s->nr_brief);
    if ( s->nr_folded )
        fprintf(out, " vcpus with more than %u ports, pages and vectors, "
                "which are not told apart: %" PRIu64 "\n", STORM_DETAILS,
                s->nr_folded);
    if ( s->nr_unknown )
        fprintf(out, " records lost: %" PRIu64 " of %" PRIu64 " windows not "
                "searched\n", s->nr_unknown, s->nr_windows);
}

static void print_phase(const struct storms_report *r,
                        const struct exit_phase *phase, FILE *out)
{
    uint64_t hz = xt_clock_hz(&r->storms.clock);
    double seconds = (double)phase->running / (double)hz;
    char name[XT_LABEL_MAX], number[EXIT_REPORT_NAME], rate[NUM_CLOCK_MAX];

    assert(phase->from < phase->to && hz);
    xt_vcpu_column(r->request->names, phase->domain, phase->vcpu, VCPU_WIDTH,
                   name);
    *num_u64_fit(rate, seconds > 0 ? (uint64_t)((double)phase->exits / seconds)
                                   : 0, RATE_WIDTH) = '\0';
    fprintf(out, " %-*s %-*.*s %s %6.1f%% %7.1f%%\n",
            utf8_width(name, VCPU_WIDTH), name, REASON_WIDTH, REASON_WIDTH,
            phase->exits ? exit_report_name(phase->top, number) : "-", rate,
            stats_share(phase->top_exits, phase->exits),
            stats_share(phase->cycles, phase->running));
    fprintf(out, "  %" PRIu64 " exit%s: ", phase->exits,
            num_plural(phase->exits));
    text_print_span(&r->storms.clock, phase->from, phase->to, out);
    print_place(r, &phase->place, out);
}

/* A vcpu with one rate in the whole trace has no row in the table. */
static void print_phases(const struct storms_report *r, FILE *out)
{
    const struct exit_storms *s = &r->storms;
    size_t n = sort_limit(r->request, s->nr_phases);

    if ( !n )
        return;
    fprintf(out, "--- Phases of VM exits: from one change of the rate to the "
            "next ---\n %-*s %-*s %*s %7s %8s\n", VCPU_WIDTH, "vcpu",
            REASON_WIDTH, "top reason", RATE_WIDTH, "/s run", "share",
            "in Xen");
    for ( size_t i = 0; i < n; i++ )
        print_phase(r, &s->phases[i], out);
    if ( s->all_phases > s->nr_phases )
        fprintf(out, " more phases, not kept: %" PRIu64 "\n",
                s->all_phases - s->nr_phases);
}

static int storms_print(struct report_pass *p, void *state)
{
    const struct storms_report *r = state;
    const struct exit_storms *s = &r->storms;
    size_t n = sort_limit(r->request, s->nr_storms);
    char text[NUM_CLOCK_MAX];

    if ( report_lacks_events(p, &report_exits) )
        return 0;
    fprintf(p->out, "--- Storms: at least %u times the vcpu's usual rate, "
            "windows of %s ---\n", STORM_TIMES,
            text_duration(&s->clock, s->width, text));
    if ( n )
        fprintf(p->out, " %-*s %-*s %*s %*s %8s\n", VCPU_WIDTH, "vcpu",
                REASON_WIDTH, "reason", RATE_WIDTH, "/s run", RATE_WIDTH,
                "usual", "in Xen");
    for ( size_t i = 0; i < n; i++ )
        print_storm(r, &s->storms[i], p->out);
    print_limits(s, p->out);
    print_phases(r, p->out);
    return 0;
}

/* --- export --------------------------------------------------------------- */

static uint64_t place_percent(const struct storm_place *p)
{
    return (uint64_t)(stats_share(p->exits, p->all) + .5);
}

static struct export_value place_symbol(const struct storms_report *r,
                                        const struct storm_place *p,
                                        char text[SYMBOLS_TEXT_MAX])
{
    bool is_known = storm_place_is_known(p) && r->request->symbols;

    return export_text(is_known
                       ? symbols_text(r->request->symbols, p->rip, text)
                       : NULL);
}

/* The values of PLACE_COLUMNS. */
#define PLACE_VALUES(r, place, symbol) \
    export_optional(storm_place_is_known(place), (place)->rip), \
    export_optional(storm_place_is_known(place), place_percent(place)), \
    place_symbol(r, place, symbol)

static void walk_storms(struct export *x, void *state)
{
    const struct storms_report *r = state;
    char number[EXIT_REPORT_NAME], symbol[SYMBOLS_TEXT_MAX];

    assert(r->storms.nr_storms <= STORMS_MAX);
    for ( uint32_t i = 0; i < r->storms.nr_storms; i++ )
    {
        const struct exit_storm *s = &r->storms.storms[i];
        enum storm_kind kind = storm_get_kind(s->key);

        EXPORT_ROW(x, export_number(s->domain), export_number(s->vcpu),
                   export_text(has_cost(s) ? exit_report_name(
                       storm_get_cause(s->key), number) : NULL),
                   export_text(kind_names[kind]),
                   export_optional(kind != STORM_EXIT,
                                   storm_get_detail(s->key)),
                   export_number(s->from), export_number(s->to),
                   export_number(s->events),
                   export_number(storm_per_second(&r->storms, s)),
                   export_number(s->typical),
                   export_optional(has_cost(s), s->cycles),
                   export_number(s->running), export_number(s->cut_before),
                   export_number(s->cut_after),
                   PLACE_VALUES(r, &s->place, symbol));
    }
}

static void walk_phases(struct export *x, void *state)
{
    const struct storms_report *r = state;
    char number[EXIT_REPORT_NAME], symbol[SYMBOLS_TEXT_MAX];

    for ( uint32_t i = 0; i < r->storms.nr_phases; i++ )
    {
        const struct exit_phase *p = &r->storms.phases[i];

        EXPORT_ROW(x, export_number(p->domain), export_number(p->vcpu),
                   export_number(p->from), export_number(p->to),
                   export_number(p->exits), export_number(p->cycles),
                   export_number(p->running),
                   export_text(p->exits ? exit_report_name(p->top, number)
                                        : NULL),
                   export_number(p->top_exits),
                   PLACE_VALUES(r, &p->place, symbol));
    }
}

static void walk_search(struct export *x, void *state)
{
    const struct storms_report *r = state;
    const struct exit_storms *s = &r->storms;

    assert(s->nr_unknown <= s->nr_windows);
    EXPORT_ROW(x, export_number(s->width), export_number(s->nr_windows),
               export_number(s->nr_unknown), export_number(s->nr_brief),
               export_number(s->nr_folded), export_number(s->all_storms),
               export_number(s->all_phases));
}

#define PLACE_COLUMNS \
    EXPORT_OPTIONAL("rip", COUNT, "the guest's address of most of these " \
                    "exits, by a sample of one exit per window; absent: at " \
                    "most one sample, or no two alike"), \
    EXPORT_OPTIONAL("rip_percent", COUNT, "exits at this address, in " \
                    "percent"), \
    EXPORT_OPTIONAL("symbol", TEXT, "the symbol of the address (--symbol-file)")

static const struct export_column storm_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("reason", TEXT, "the exit reason; absent: no exits, but "
                    "interrupts for the guest"),
    EXPORT_COLUMN("kind", TEXT, "exit; port or memory: of emulated accesses; "
                  "vector: of the host's interrupts; or guest interrupt"),
    EXPORT_OPTIONAL("at", COUNT, "the port, the address of the page of "
                    "memory, or the vector"),
    EXPORT_COLUMN("from", MOMENT, "begin of the first window"),
    EXPORT_COLUMN("to", MOMENT, "end of the last window"),
    EXPORT_COLUMN("events", COUNT, "exits or interrupts in the storm"),
    EXPORT_COLUMN("per_second", COUNT, "the same per second that the vcpu "
                  "ran"),
    EXPORT_COLUMN("usual_per_second", COUNT, "the usual rate of the vcpu: the "
                  "median of all windows in which it ran"),
    EXPORT_OPTIONAL("in_xen", DURATION, "time of the exits in Xen, on a pcpu"),
    EXPORT_COLUMN("running", DURATION, "time that the vcpu ran, with the time "
                  "in Xen"),
    EXPORT_COLUMN("lost_before", COUNT, "1: records are lost in the window "
                  "before, so the begin is unknown"),
    EXPORT_COLUMN("lost_after", COUNT, "1: records are lost in the window "
                  "after, so the end is unknown"),
    PLACE_COLUMNS,
};

static const struct export_column phase_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("from", MOMENT, "begin of the first window"),
    EXPORT_COLUMN("to", MOMENT, "end of the last window"),
    EXPORT_COLUMN("exits", COUNT, "VM exits in the phase"),
    EXPORT_COLUMN("in_xen", DURATION, "time of the exits in Xen, on a pcpu"),
    EXPORT_COLUMN("running", DURATION, "time that the vcpu ran, with the time "
                  "in Xen"),
    EXPORT_OPTIONAL("reason", TEXT, "the exit reason with the most exits; "
                    "absent: no exits"),
    EXPORT_COLUMN("reason_exits", COUNT, "exits with this reason"),
    PLACE_COLUMNS,
};

static const struct export_column search_columns[] = {
    EXPORT_COLUMN("window", DURATION, "the length of a window"),
    EXPORT_COLUMN("windows", COUNT, "windows in which a vcpu ran, or its "
                  "state is unknown; of all vcpus"),
    EXPORT_COLUMN("unknown", COUNT, "windows of these with lost records, "
                  "which are not searched"),
    EXPORT_COLUMN("brief", COUNT, "vcpus that ran in fewer than 10 windows, "
                  "which are not searched; of several captures: in each"),
    EXPORT_COLUMN("folded", COUNT, "vcpus with more than 128 ports, pages and "
                  "vectors, which are not told apart; of several captures: in "
                  "one"),
    EXPORT_COLUMN("storms", COUNT, "storms found; the 64 that cost most are "
                  "in exit_storms"),
    EXPORT_COLUMN("phases", COUNT, "phases found; the first 1024 are in "
                  "exit_phases"),
};

/* The text of a table names this number. */
_Static_assert(PHASES_MAX == 1024, "table exit_phases");

static const struct export_table tables[] = {
    { "exit_storms", "Times in which a vcpu had at least 5 times its usual "
      "rate of exits with one reason, or of interrupts (--report-storms).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(storm_columns), walk_storms },
    { "exit_storm_search", "How these were searched.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(search_columns), walk_search },
    { "exit_phases", "Phases of vcpus, from one change of the rate of VM exits "
      "to the next, the first 1024; vcpus without a change have none "
      "(--report-storms).", EXPORT_IN_TABLES, EXPORT_COLUMNS(phase_columns),
      walk_phases },
    { .name = NULL },
};

const struct report report_storms = {
    .name = "storms", .is_requested = storms_are_requested,
    .open = storms_open, .print = storms_print, .tables = { tables },
    .has_failed = storms_have_failed, .free = storms_free,
};
