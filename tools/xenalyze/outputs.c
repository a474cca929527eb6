/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of outputs, and the loop that runs their passes.
 *
 * A pass runs once, at the table's first row that is wanted and names the pass.
 * So the order of the table is the order of the text.
 *
 * Reports count as two passes over the trace: with a file, they read the clocks
 * of the pcpus and late records first.  A stream is therefore copied to a file.
 */
#include "xenalyze/outputs.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "xenalyze/clock-estimate.h"
#include "xenalyze/no-match.h"
#include "xenalyze/convert/convert.h"
#include "xenalyze/not-trace.h"

struct output
{
    size_t wanted;              /* offset of the flag in struct config */
    pass_fn *pass;
    bool prints_early;          /* prints before the end of the trace */
    bool has_programs;          /* has a place for events of programs */
};

static const struct output outputs[] = {
    { offsetof(struct config, dump_raw_reads), raw_pass, true, false },
    { offsetof(struct config, dump_no_processing), raw_pass, true, false },
    { offsetof(struct config, dump_all), dump_pass, true, true },
    { offsetof(struct config, dump_raw_process), dump_pass, true, false },
    { offsetof(struct config, records), records_pass, true, true },
    { offsetof(struct config, formats), formats_pass, true, false },
    { offsetof(struct config, count), count_pass, false, false },
    { offsetof(struct config, info), windows_pass, false, false },
    { offsetof(struct config, cut), cut_pass, false, false },
    { offsetof(struct config, index), index_pass, false, false },
    { offsetof(struct config, reports.ctf), ctf_pass, false, false },
    { offsetof(struct config, reports.trace_dat), trace_dat_pass, false,
      false },
    { offsetof(struct config, compare), compare_pass, false, false },
    { offsetof(struct config, reports_wanted), reports_pass, false, false },
    { offsetof(struct config, reports.summary), reports_pass, false, false },
};

/* Bytes of "..", two time stamps and their units. */
#define CUT_TIME_MAX 48u

#define NR_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

int run_flush(const struct run *run, struct err *e)
{
    assert(run->out);
    return fflush(run->out) ? err_sys(e, -errno, "cannot write %s", run->output
                                      ? run->output : "the report") : 0;
}

void run_warn_gaps(const struct run *run, uint64_t places, uint64_t bytes)
{
    assert(places || !bytes);
    if ( places )
        log_warning(run->log, "%s: damaged (places: %" PRIu64 "), %" PRIu64
                    " bytes were skipped; --info says where", run->name,
                    places, bytes);
}

void run_warn_twice(const struct run *run, uint64_t copies)
{
    assert(run->name);
    if ( copies )
        log_warning(run->log, "%s: the same capture twice: all numbers count "
                    "it twice; analyze one copy", run->name);
}

void run_warn_places(const struct run *run, const struct xt_damage *damage)
{
    assert(damage);
    run_warn_gaps(run, xt_damage_gaps(damage), xt_damage_bytes(damage));
    run_warn_twice(run, damage->times[XT_DAMAGE_TWICE]);
}

void run_warn_damage(const struct run *run)
{
    run_warn_places(run, xt_trace_damage(run->trace));
}

void run_warn_backward(const struct run *run, uint64_t windows)
{
    if ( windows )
        log_warning(run->log, "%s: time goes backwards (windows: %" PRIu64
                    ")", run->name, windows);
}

static bool is_wanted(const struct config *config, const struct output *o)
{
    return *(const bool *)((const char *)config + o->wanted);
}

/* --json and --csv exclude each other, and outputs of lines. */
static int check_form(const struct config *config, struct err *e)
{
    const struct report_config *f = &config->reports;
    const char *form = f->json ? "json" : "csv";
    bool lines = false;

    if ( f->json && f->csv )
        return err_usage(e, "--json and --csv exclude each other");
    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        lines |= outputs[i].pass != reports_pass &&
                 outputs[i].pass != compare_pass &&
                 outputs[i].pass != windows_pass &&
                 is_wanted(config, &outputs[i]);
    if ( lines && (f->json || f->csv) )
        return err_usage(e, "--%s applies to reports, scatterplots, intervals "
                         "and --info; print records and counts in another run",
                         form);
    return 0;
}

static bool any_is_wanted(const struct config *config, pass_fn *except)
{
    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        if ( is_wanted(config, &outputs[i]) && outputs[i].pass != except )
            return true;
    return false;
}

/* Is any output wanted that a pass with a document of its own excludes? */
static bool any_is_wanted_beside(const struct config *c, pass_fn *pass,
                                 const struct report_config *reports)
{
    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        if ( outputs[i].pass != pass && outputs[i].pass != reports_pass &&
             is_wanted(c, &outputs[i]) )
            return true;
    return reports->ipi_latency || report_is_wanted(reports);
}

static bool any_interval_is_wanted(const struct report_config *c)
{
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( c->interval[i] || c->ids[i].nr )
            return true;
    return false;
}

static int choose_interval(struct report_config *c, struct err *e)
{
    if ( c->interval_length && !any_interval_is_wanted(c) )
        return err_usage(e, "--interval needs an interval report, such as "
                         "--interval-domain-total-time-all");
    if ( !c->interval_length )
        c->interval_length = 1000000000;
    return 0;
}

static int choose_allowance(struct report_config *c, struct err *e)
{
    if ( c->allow_late && !c->check_scheduler )
        return err_usage(e, "--allow-late needs --check-scheduler");
    if ( !c->allow_late )
        c->allow_late = 1000000;
    return 0;
}

static int check_theme(const struct report_config *c, struct err *e)
{
    if ( c->plot_theme && !c->plot && !c->gnuplot )
        return err_usage(e, "--theme needs a picture: --plot or --gnuplot");
    return 0;
}

/* The order of lines: other outputs have an order of their own. */
static int check_order(const struct config *c, struct err *e)
{
    if ( c->order != ORDER_TIME && !c->records && !c->formats )
        return err_usage(e, "--order applies to --records and --formats");
    return 0;
}

/* The command plot prints the name of its file, and nothing else. */
static int check_picture(const struct config *c, struct err *e)
{
    const struct report_config *r = &c->reports;

    if ( !c->draws || (!r->json && !r->csv) )
        return 0;
    return err_usage(e, "plot: leave out --%s; the command points prints the "
                     "numbers of a picture", r->json ? "json" : "csv");
}

/*
 * An export to standard output, or to the file of --output, is alone there; a
 * binary one does not go to a terminal.
 */
static int check_exports(const struct config *c, bool terminal, struct err *e)
{
    struct report_config reports = c->reports;
    const struct viewer_format *format = NULL;

    for ( size_t i = 0; i < c->reports.nr_exports; i++ )
    {
        if ( strcmp(c->reports.exports[i].path, "-") )
            continue;
        if ( format )
            return err_usage(e, "standard output takes only one export: name "
                             "files, as in --export %s:FILE", format->name);
        format = c->reports.exports[i].format;
    }
    if ( !format )
        return 0;
    reports.nr_exports = 0;
    if ( reports.json || reports.csv )
        return err_usage(e, "export %s: leave out --%s, which is another form",
                         format->name, reports.json ? "json" : "csv");
    if ( any_is_wanted_beside(c, reports_pass, &reports) )
        return err_usage(e, "export %s is an output of its own: write it to a "
                         "file with --export %s:FILE, or leave out other "
                         "reports", format->name, format->name);
    if ( terminal && format->is_binary )
        return err_usage(e, "export %s: binary data is nothing for a terminal; "
                         "name a file with -o", format->name);
    return 0;
}

/* --compare is an output of its own, and needs two traces or two spans. */
static int check_compare(struct config *c, struct err *e)
{
    struct report_config reports = c->reports;

    if ( !c->compare && (c->against || c->all_rows) )
        return err_usage(e, "--%s applies to --compare",
                         c->against ? "against" : "all-rows");
    if ( !c->compare )
        return 0;
    reports.json = reports.csv = false;
    if ( any_is_wanted_beside(c, compare_pass, &reports) )
        return err_usage(e, "--compare is an output of its own: leave out "
                         "other reports and outputs of records");
    if ( c->events )
        return err_usage(e, "--event: a comparison needs all events");
    c->reports_wanted = false;
    return 0;
}

/* A binary file of records is alone on standard output. */
static int check_records_file(const struct config *c, pass_fn *pass,
                              const char *path, bool terminal, struct err *e)
{
    const char *name = pass == cut_pass ? "cut" : "export trace.dat";
    const char *option = pass == cut_pass ? "cut " : "export trace.dat:";

    if ( !path || strcmp(path, "-") )
        return 0;
    if ( any_is_wanted_beside(c, pass, &c->reports) )
        return err_usage(e, "%s is an output of its own: write it to a file "
                         "with --%sFILE, or leave out other outputs", name,
                         option);
    if ( terminal )
        return err_usage(e, "%s: binary data is nothing for a terminal; name "
                         "a file with -o", name);
    return 0;
}

static int check_records_files(const struct config *c, bool terminal,
                               struct err *e)
{
    int rc = check_records_file(c, cut_pass, c->cut_path, terminal, e);

    assert(!c->cut == !c->cut_path);
    return rc ? rc : check_records_file(c, trace_dat_pass,
                                        c->reports.trace_dat_path, terminal,
                                        e);
}

/* --info with --json or --csv is a document of its own. */
static int check_info(struct config *c, struct err *e)
{
    struct report_config reports = c->reports;

    if ( !c->info || (!reports.json && !reports.csv) )
        return 0;
    reports.json = reports.csv = false;
    if ( any_is_wanted_beside(c, windows_pass, &reports) )
        return err_usage(e, "--info with --%s is a document of its own: print "
                         "other reports in another run",
                         c->reports.json ? "json" : "csv");
    c->reports_wanted = false;
    return 0;
}

/* --index, and --info alone, have no use for a selection. */
static int check_selection(const struct config *c, struct err *e)
{
    const char *option = c->time ? "time" : c->pcpus ? "pcpu"
                         : c->domains ? "domain" : c->vcpus ? "vcpu"
                         : c->events ? "event" : NULL;

    if ( option && c->index )
        return err_usage(e, "--index has the whole file: leave out --%s",
                         option);
    if ( !option || !c->info || any_is_wanted(c, windows_pass) )
        return 0;
    return err_usage(e, "--info describes the whole file: leave out --%s, or "
                     "use --count", option);
}

/* A pcpu has the same states for all domains. */
static int check_pcpus(const struct config *c, struct err *e)
{
    assert(e);
    if ( !c->reports.pcpus || (!c->domains && !c->vcpus) )
        return 0;
    return err_usage(e, "--report-pcpu needs all domains and vcpus: leave out "
                     "--%s, or use over run", c->domains ? "domain" : "vcpu");
}

int outputs_check_schema(const struct config *config, struct err *e)
{
    assert(config->reports.json_schema);
    return any_is_wanted(config, NULL)
           ? err_usage(e, "--json-schema is an output of its own: leave out "
                       "others") : 0;
}

/*
 * A growing trace has no end, which most outputs need, and so does the second
 * of two passes.
 */
static int check_follow(const struct config *c, struct err *e)
{
    assert(any_is_wanted(c, NULL));
    for ( size_t i = 0; c->follow && i < NR_OUTPUTS; i++ )
        if ( is_wanted(c, &outputs[i]) &&
             (!outputs[i].prints_early || any_is_wanted(c, outputs[i].pass)) )
            return err_usage(e, "--follow needs --dump-all or --records, and "
                             "nothing else; other outputs need a complete "
                             "trace: leave out --follow");
    return 0;
}

static void choose_top(struct report_request *request, bool terminal)
{
    request->has_top = request->top != OPTIONS_TOP_AUTO;
    request->fits_screen = terminal && !request->has_top;
    if ( !request->has_top )
        request->top = 0;
    assert(!request->fits_screen || !request->top);
}

/*
 * Without an output, --event asks for records; the default is the overview on a
 * terminal, and the summary otherwise.
 */
static void choose_default(struct config *config, bool terminal)
{
    assert(!any_is_wanted(config, NULL));
    config->dump_all = config->events;
    config->reports.overview = terminal && !config->events &&
                               !config->domains && !config->vcpus;
    config->reports.summary = !config->events && !config->reports.overview;
    config->reports_wanted = !config->events;
}

int outputs_choose(struct config *config, bool terminal, struct err *e)
{
    int rc = check_form(config, e);

    rc = rc ? rc : check_compare(config, e);
    rc = rc ? rc : check_info(config, e);
    rc = rc ? rc : check_selection(config, e);
    rc = rc ? rc : check_pcpus(config, e);
    rc = rc ? rc : check_order(config, e);
    rc = rc ? rc : check_picture(config, e);
    rc = rc ? rc : check_theme(&config->reports, e);
    rc = rc ? rc : check_exports(config, terminal, e);
    rc = rc ? rc : check_records_files(config, terminal, e);
    rc = rc ? rc : choose_interval(&config->reports, e);
    rc = rc ? rc : choose_allowance(&config->reports, e);
    choose_top(&config->reports.request, terminal);
    if ( !any_is_wanted(config, NULL) )
        choose_default(config, terminal);
    return rc ? rc : check_follow(config, e);
}

/* True if a wanted row above this one has the same pass. */
static bool has_earlier_row(const struct config *config, const struct output *o)
{
    assert(o < outputs + NR_OUTPUTS);
    for ( const struct output *above = outputs; above < o; above++ )
        if ( above->pass == o->pass && is_wanted(config, above) )
            return true;
    return false;
}

static bool begins_pass(const struct config *config, const struct output *o)
{
    return is_wanted(config, o) && !has_earlier_row(config, o);
}

bool outputs_read_again(const struct config *config)
{
    unsigned int nr = config->nr_programs > 0;  /* their clocks */

    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        if ( begins_pass(config, &outputs[i]) )
            nr += outputs[i].pass == reports_pass ||
                  outputs[i].pass == compare_pass ||
                  outputs[i].pass == cut_pass ||
                  outputs[i].pass == ctf_pass ||
                  outputs[i].pass == trace_dat_pass ? 2 : 1;
    return nr > 1;
}

bool outputs_have_hosts(const struct config *c)
{
    struct report_config reports = c->reports;

    if ( c->nr_programs || c->follow || c->dump_raw_process )
        return false;
    if ( c->dump_all )
        return !any_is_wanted(c, dump_pass);
    reports.nr_exports = 0;
    for ( size_t i = 0; i < c->reports.nr_exports; i++ )
        if ( !viewer_has_hosts(c->reports.exports[i].format) )
            return false;
    return c->reports.nr_exports && !c->reports.symbol_file &&
           !any_is_wanted_beside(c, reports_pass, &reports);
}

/* Log whether the order in time is exact; for a mapped file it always is. */
static void log_order(const struct run *run)
{
    struct xt_trace_bounds b;

    xt_trace_bounds(run->trace, &b);
    if ( b.exact )
        log_debug(run->log, "%s: the order in time is exact", run->name);
    else
        log_debug(run->log, "%s: the order in time is exact if the collector "
                  "was at most two passes late; passes: %" PRIu64
                  ", bytes buffered: %" PRIu64 ", late records: %" PRIu64,
                  run->name, b.passes, b.held, b.late);
}

/* Xen versions by enum layout; the layouts of master are those of 4.19. */
static const uint16_t versions[] = { 0, 0x0411, 0x0413 };

_Static_assert(XT_HARDWARE_VMX == 1 && XT_HARDWARE_SVM == 2,
               "the choices of --vendor");

static void set_dialect(struct run *run)
{
    const struct config *c = run->config;
    struct xt_dialect *d = &run->info.dialect;

    assert(c->layout <= LAYOUT_MASTER && c->vendor <= XT_HARDWARE_SVM);
    xt_dialect_assume(d, versions[c->layout], XT_HARDWARE_UNKNOWN);
    if ( c->vendor || c->svm_mode )
        d->hardware = c->vendor ? c->vendor : XT_HARDWARE_SVM;
}

/* Does the span of the part have records?  A damaged record has any span. */
static int check_cut_span(struct run *run, struct err *e)
{
    struct xt_info *info = &run->info;
    struct err unmapped = ERR_INIT;
    uint64_t first, last;

    assert(info->is_cut);
    if ( xt_trace_span(run->trace, &first, &last, &unmapped) )
        return 0;
    info->is_cut = info->cut_from <= last && info->cut_until >= first;
    return xt_trace_rewind(run->trace, e);
}

/* --cpu-hz against the frequency in the trace: rounding is no difference. */
static void warn_frequency(const struct run *run)
{
    double given = (double)run->config->hz, known;
    struct xt_clock clock;

    /* With time_is_against, the trace was read before. */
    if ( !run->config->hz || run->config->time_is_against ||
         xt_info_clock(&run->info, 0, &clock) == XT_SPEED_ASSUMED )
        return;
    known = (double)xt_clock_hz(&clock);
    if ( given < 0.999 * known || given > 1.001 * known )
        log_warning(run->log, "%s has a TSC frequency of %.6g MHz, but "
                    "--cpu-hz gives %.6g MHz, which is used", run->name,
                    known / 1e6, given / 1e6);
}

int outputs_read_metadata(struct run *run, struct err *e)
{
    int rc = xt_trace_info(run->trace, &run->info, e);

    rc = rc ? rc : xt_domain_names_init(&run->names, run->trace, e);
    set_dialect(run);
    if ( !rc )
        warn_frequency(run);
    if ( !rc && run->info.is_cut )
        rc = check_cut_span(run, e);
    if ( !rc && run->info.is_cut )
        xt_trace_set_origin(run->trace, run->info.cut_origin);
    return rc;
}

/* A part of a trace is reported as the trace with the time of the part. */
static void set_cut_time(struct run *run, struct config *config,
                         char time[CUT_TIME_MAX])
{
    assert(run->config && !config->time_is_against);
    if ( !run->info.is_cut || config->time || config->compare ||
         (!run->info.cut_from && run->info.cut_until == UINT64_MAX) )
        return;
    snprintf(time, CUT_TIME_MAX, "%" PRIu64 "c..%" PRIu64 "c",
             run->info.cut_from, run->info.cut_until);
    config->time = time;
    run->config = config;
}

/* Set the clock of programs; warn if no output shows their events. */
static int begin_programs(const struct run *run, struct err *e)
{
    const struct config *c = run->config;
    bool any = false;
    int rc;

    assert(run->programs && c->nr_programs);
    for ( size_t i = 0; i < NR_OUTPUTS; i++ )
        any |= outputs[i].has_programs && is_wanted(c, &outputs[i]);
    any |= c->reports.io;
    for ( size_t i = 0; i < c->reports.nr_exports; i++ )
        any |= viewer_has_programs(c->reports.exports[i].format);
    if ( !any )
        log_warning(run->log, "%s: the requested outputs have no place for "
                    "events of programs; see xenalyze dump", c->programs[0]);
    rc = programs_set_clock(run->programs, run->trace, &run->info, c->hz,
                            run->log, e);
    return rc == PROGRAMS_NO_PAIRS ? clock_estimate(run, e) : rc;
}

/* Only one file that is complete has an index. */
static bool may_have_index(const struct run *run)
{
    const struct config *c = run->config;

    assert(!run->index);
    return c->nr_paths == 1 && !run->hosts && !c->follow &&
           time_index_may_exist(c->path);
}

/*
 * With --time, much less than the trace may have to be read.  False: the trace
 * has no index that fits, or is one of several.
 */
static bool open_index(struct run *run, struct time_index *x)
{
    const struct config *c = run->config;
    const unsigned char *metadata;
    enum index_state state;
    size_t size;

    if ( !c->time || !may_have_index(run) )
        return false;
    state = time_index_open(x, c->path);
    run->index_is_stale = state == INDEX_STALE;
    if ( state != INDEX_FITS )
        return false;
    run->index = x;
    metadata = time_index_get_metadata(x, &size);
    if ( metadata )
        xt_trace_set_metadata(run->trace, metadata, size);
    return true;
}

static void close_index(struct run *run, struct time_index *x)
{
    assert(run->index == x);
    run->index = NULL;
    xt_trace_set_metadata(run->trace, NULL, 0);
    time_index_close(x);
}

/* For --info and --count, the trace may not have to be read at all. */
static bool load_counts(struct run *run, struct saved_counts *c)
{
    const struct config *config = run->config;
    struct time_index x;
    int rc;

    if ( (!config->info && !config->count) || !may_have_index(run) ||
         time_index_open(&x, config->path) != INDEX_FITS )
        return false;
    rc = time_index_load_counts(&x, c);
    time_index_close(&x);
    if ( rc )
        return false;
    run->counts = c;
    if ( c->metadata_leads && xt_damage_grade(&c->counts.damage) <=
                              XT_GRADE_CUT )
        xt_trace_set_metadata(run->trace, c->records, c->records_size);
    return true;
}

static void close_counts(struct run *run, struct saved_counts *c)
{
    assert(run->counts == c);
    run->counts = NULL;
    xt_trace_set_metadata(run->trace, NULL, 0);
    saved_counts_fini(c);
}

static int run_passes(struct run *run, struct err *e)
{
    int rc = outputs_read_metadata(run, e);
    const struct config *given = run->config;
    char time[CUT_TIME_MAX];
    struct config config = *given;
    bool again = false;

    assert(run->out);
    if ( !rc && run->programs )
        rc = begin_programs(run, e);
    if ( !rc )
        set_cut_time(run, &config, time);
    for ( size_t i = 0; !rc && i < NR_OUTPUTS; i++ )
    {
        if ( !begins_pass(run->config, &outputs[i]) )
            continue;
        if ( again )
            rc = xt_trace_rewind(run->trace, e);
        if ( !rc )
            rc = outputs[i].pass(run, e);
        if ( rc == PASS_NO_RECORD )
            rc = not_trace_explain(run, e);
        if ( rc == PASS_NO_MATCH )
            rc = no_match_explain(run, e);
        if ( !rc )
            log_order(run);
        again = true;
    }
    xt_domain_names_fini(&run->names);
    run->config = given;
    return rc;
}

int outputs_run(struct run *run, struct err *e)
{
    struct saved_counts counts;
    struct time_index index;
    bool has_counts = load_counts(run, &counts);
    bool has_index = open_index(run, &index);
    int rc = run_passes(run, e);

    assert(!has_index || run->index == &index);
    if ( has_index )
        close_index(run, &index);
    if ( has_counts )
        close_counts(run, &counts);
    return rc;
}
