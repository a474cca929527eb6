/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass that makes facts: hangs up a sink for each output, has the trace
 * analyzed, and prints what has come together.  Scatterplots print while it
 * goes on.
 */
#include "xenalyze/reports.h"

#include <errno.h>
#include <inttypes.h>

#include "common/log.h"
#include "common/num.h"
#include "xenalyze/account/account.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/export/export.h"
#include "xenalyze/no-match.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/plot/plot.h"
#include "xenalyze/text/text.h"

#define WORST_WAITS 10u
#define MAX_SINKS (SCATTER_KINDS + INTERVAL_KINDS + 7u)

struct pass
{
    const struct run *run;
    const struct facts_config *config;
    struct report_request request;
    struct filter *filter;
    struct symbols *symbols;
    struct summary *summary;
    struct latency *latency;
    struct cr3_table *cr3;
    struct ipi_latency ipis;
    struct scatter scatter[SCATTER_KINDS];
    struct form form;           /* for programs, if they want it */
    struct form_plot form_plots[SCATTER_KINDS];
    struct plot *plot;
    enum plot_format format;
    struct timeline timeline;
    struct interval *interval[INTERVAL_KINDS];
    struct sink sinks[MAX_SINKS];
    size_t nr_sinks;
    const struct guests *guests;
    uint64_t records;
    bool somebody;              /* whom the filter lets pass */
    uint64_t lost, losses;      /* records, and places */
    uint64_t damaged, skipped;  /* places, and bytes */
    struct waiting waiting;
};

/* --- what is wanted ------------------------------------------------------- */

static bool is_any(const bool *flags, unsigned int nr)
{
    for ( unsigned int i = 0; i < nr; i++ )
        if ( flags[i] )
            return true;
    return false;
}

static bool has_scatters(const struct facts_config *f)
{
    return is_any(f->scatter, SCATTER_KINDS);
}

static bool has_intervals(const struct facts_config *f)
{
    return is_any(f->interval, INTERVAL_KINDS);
}

bool facts_wanted(const struct facts_config *f)
{
    return f->pcpus || f->latency || f->exits || f->json || f->csv ||
           f->plot || f->gnuplot || has_scatters(f) || has_intervals(f);
}

static bool wants_form(const struct pass *p)
{
    return p->config->json || p->config->csv;
}

static bool wants_points(const struct pass *p)
{
    return !p->plot && has_scatters(p->config);
}

static bool wants_report(const struct pass *p)
{
    return p->run->config->summary || p->config->pcpus ||
           p->config->latency || p->config->exits;
}

/*
 * One object of JSON has room for all that is known.  Of tables, who asks for
 * points or intervals wants just these.
 */
static bool wants_rows(const struct pass *p)
{
    return p->config->json ||
           (p->config->csv && (wants_report(p) || p->config->ipis ||
                               (!wants_points(p) &&
                                !has_intervals(p->config))));
}

static bool wants_summary(const struct pass *p)
{
    return p->run->config->summary || p->config->pcpus || p->config->exits ||
           wants_rows(p);
}

/* --- sinks ---------------------------------------------------------------- */

static void hang(struct pass *p, struct sink sink)
{
    p->sinks[p->nr_sinks++] = sink;
}

static int add_summary_sink(struct pass *p)
{
    const struct summary_want want = {
        .eips = p->request.eips, .eip_vector = p->request.eip_vector,
        .histogram = p->request.histogram,
        .histogram_vector = p->request.histogram_vector,
    };
    int rc;

    if ( !wants_summary(p) )
        return 0;
    rc = summary_new(&p->summary, &want);
    if ( !rc )
        hang(p, summary_sink(p->summary));
    return rc;
}

static int hang_latency(struct pass *p)
{
    int rc;

    if ( !p->config->latency && !wants_rows(p) )
        return 0;
    rc = latency_new(&p->latency, p->request.top ? p->request.top
                                                 : WORST_WAITS);
    if ( !rc )
    {
        hang(p, latency_sink(p->latency));
        hang(p, concurrency_sink(&p->latency->concurrency));
    }
    return rc;
}

/* Before those that ask it what happened. */
static int hang_cr3(struct pass *p)
{
    const bool *scatter = p->config->scatter;
    int rc;

    if ( !p->request.cr3 && !scatter[SCATTER_CR3_SWITCH] &&
         !scatter[SCATTER_UNPIN_PROMOTE] )
        return 0;
    rc = cr3_table_new(&p->cr3);
    if ( !rc )
        hang(p, cr3_table_sink(p->cr3));
    return rc;
}

static void hang_scatter(struct pass *p)
{
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
    {
        if ( !p->config->scatter[i] ||
             (p->plot && scatter_about(i)->unit == PLOT_VCPUS) )
            continue;
        p->form_plots[i] = (struct form_plot){ &p->form, i };
        p->scatter[i].points = p->plot ? plot_points(p->plot)
                               : wants_form(p)
                                 ? form_points(&p->form_plots[i])
                                 : points_to_file(p->run->out);
        p->scatter[i].which = p->config->which[i];
        p->scatter[i].cr3 = p->cr3;
        p->scatter[i].cr3_ids = p->request.cr3;
        hang(p, scatter_sink(&p->scatter[i], i));
    }
}

/*
 * What is drawn: the scatterplot that is asked for, or the timeline.  That of
 * runstates is drawn as bars, which show more.
 */
static int hang_plot(struct pass *p, struct err *e)
{
    static const struct plot_about who = {
        "who ran where (heights are shares of time)", "pcpu", PLOT_PCPUS,
    };
    const struct plot_about *about = &who;
    unsigned int nr = 0;
    int rc = 0;

    if ( !p->config->plot && !p->config->gnuplot )
        return 0;
    if ( p->config->plot )
        rc = plot_format(p->config->plot, &p->format, e);
    for ( unsigned int i = 0; i < SCATTER_KINDS; i++ )
        if ( p->config->scatter[i] )
        {
            about = scatter_about(i);
            nr++;
        }
    if ( !rc && nr > 1 )
        rc = err_set(e, -EINVAL, "one picture cannot show %u scatterplots; "
                     "ask for one of them", nr);
    if ( !rc )
        rc = plot_new(&p->plot, about, p->run->name);
    p->timeline.plot = p->plot;
    if ( !rc && about->unit == PLOT_PCPUS )
        hang(p, timeline_sink(&p->timeline));
    if ( !rc && about->unit == PLOT_VCPUS )
        hang(p, states_sink(&p->timeline));
    return rc;
}

static int hang_intervals(struct pass *p)
{
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < INTERVAL_KINDS; i++ )
    {
        if ( !p->config->interval[i] )
            continue;
        rc = interval_new(&p->interval[i], i, p->config->interval_length,
                          p->config->ids[i].ids, p->config->ids[i].nr);
        if ( !rc )
            hang(p, interval_sink(p->interval[i]));
    }
    return rc;
}

static void note_world(void *state, const struct fact_begin *f)
{
    struct pass *p = state;

    p->guests = f->guests;
}

/* Somebody has to notice that there was nothing, or not all. */
static int count_records(void *state, const struct fact_end *f, struct err *e)
{
    struct pass *p = state;

    (void)e;
    p->somebody |= !nobody_is_wanted(p->filter, p->guests, f);
    p->records += f->records;
    p->damaged = xt_damage_times(f->damage);
    p->skipped = xt_damage_bytes(f->damage);
    return 0;
}

static void count_loss(void *state, const struct fact_loss *f)
{
    struct pass *p = state;

    p->losses++;
    p->lost += f->records;
}

static void hang_counter(struct pass *p)
{
    static const struct sink_ops ops = {
        .name = "records", .begin = note_world, .end = count_records,
        .loss = count_loss,
    };

    hang(p, (struct sink){ &ops, p });
}

static int begin(struct pass *p, struct err *e)
{
    struct xt_clock clock;
    int rc = 0;

    p->request = p->config->request;
    if ( p->request.sort == SORT_AUTO )
        p->request.sort = p->request.top ? SORT_TOTAL : SORT_NAME;
    p->request.clock_assumed = xt_info_clock(&p->run->info, p->run->config->hz,
                                             &clock) == XT_SPEED_ASSUMED;
    if ( p->config->symbol_file )
        rc = symbols_read(&p->symbols, p->config->symbol_file, e);
    if ( rc )
        return rc;
    p->request.symbols = p->symbols;
    p->form = p->config->json ? form_json(p->run->out)
                              : form_csv(p->run->out);
    hang_counter(p);
    rc = hang_plot(p, e);
    rc = rc ? rc : hang_cr3(p);
    hang_scatter(p);
    ipi_latency_init(&p->ipis, wants_form(p) ? NULL : p->run->out);
    if ( p->config->ipis )
        hang(p, ipi_latency_sink(&p->ipis));
    rc = rc ? rc : add_summary_sink(p);
    rc = rc ? rc : hang_latency(p);
    rc = rc ? rc : hang_intervals(p);
    return rc ? err_sys(e, rc, "cannot analyze %s", p->run->name) : 0;
}

/* --- printing ------------------------------------------------------------- */

static int print_summary(struct pass *p)
{
    FILE *out = p->run->out;
    int rc = 0;

    if ( p->run->config->summary )
        text_print_summary(p->summary, &p->request, out);
    if ( p->config->pcpus )
        text_print_pcpus(p->summary, &p->request, out);
    if ( p->config->exits )
        rc = text_print_exits(p->summary, &p->request, out);
    if ( p->run->config->summary )
        text_print_quality(p->summary, &p->request, out);
    return rc;
}

/* A part that is asked for is there, even if nothing is in it. */
static void print_form(struct pass *p)
{
    const struct rows rows = {
        p->summary, p->latency, p->config->ipis ? &p->ipis : NULL, &p->request,
    };

    if ( wants_points(p) )
        form_reach(&p->form, FORM_POINTS);
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( p->interval[i] )
            form_interval(&p->form, p->interval[i]);
    if ( wants_rows(p) )
        form_rows(&p->form, &rows, p->run->name);
}

static int print_text(struct pass *p)
{
    int rc = 0;

    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( p->interval[i] )
            text_print_interval(p->interval[i], p->run->out);
    if ( p->summary )
        rc = print_summary(p);
    if ( rc || !p->config->latency )
        return rc;
    return text_print_latency(p->latency, &p->request, p->run->out);
}

static int print(struct pass *p)
{
    int rc = 0;

    if ( p->latency )
        latency_close(p->latency);
    ipi_latency_close(&p->ipis);
    if ( p->summary )
        rc = summary_close(p->summary);
    if ( p->summary && p->request.cr3 )
        p->summary->cr3 = p->cr3;
    if ( rc )
        return rc;
    if ( wants_form(p) )
        print_form(p);
    else
        rc = print_text(p);
    return rc || !p->summary || !p->summary->pool.failed ? rc : -ENOMEM;
}

/*
 * Lines of stock's, and points, have no place for what was not seen.  Where no
 * part of the output says it, this does, beside the output.
 */
static void warn(const struct pass *p)
{
    const struct run *run = p->run;

    if ( run->config->summary || wants_rows(p) )
        return;
    if ( p->losses )
        log_warning(run->log, "%s: %" PRIu64 " records were lost (places: %"
                    PRIu64 "), and the figures know nothing of them; "
                    "--summary says where", run->name, p->lost, p->losses);
    if ( p->damaged )
        log_warning(run->log, "%s: damaged (places: %" PRIu64 "), %" PRIu64
                    " bytes were skipped; --info says where", run->name,
                    p->damaged, p->skipped);
}

/* All has been printed that could be; one line says what is missing. */
static int complain(const struct pass *p, struct err *e)
{
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
    {
        if ( p->interval[i] && interval_cut(p->interval[i]) )
            return err_set(e, -E2BIG, "%s: that makes too many intervals, "
                           "and the last ones are missing; choose longer "
                           "ones with --interval", p->run->name);
        if ( p->interval[i] && interval_crowded(p->interval[i]) )
            return err_set(e, -E2BIG, "%s: --interval-%s has no room for "
                           "all, and the last ones are missing; choose some "
                           "with --domain or --vcpu", p->run->name,
                           interval_name(i));
    }
    return 0;
}

static int draw(struct pass *p, struct err *e)
{
    int rc = 0;

    if ( p->config->plot )
        rc = plot_write(p->plot, p->format, p->config->plot, e);
    if ( !rc && p->config->gnuplot )
        rc = plot_write(p->plot, PLOT_GNUPLOT, p->config->gnuplot, e);
    return rc;
}

static void fini(struct pass *p)
{
    filter_free(p->filter);
    plot_free(p->plot);
    symbols_free(p->symbols);
    summary_free(p->summary);
    latency_free(p->latency);
    cr3_table_free(p->cr3);
    ipi_latency_fini(&p->ipis);
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        interval_free(p->interval[i]);
}

/* --- of the trace --------------------------------------------------------- */

static bool wants_pcpu(const void *filter, unsigned int pcpu)
{
    return filter_wants_pcpu(filter, pcpu);
}

static bool wants_vcpu(const void *filter, unsigned int domain,
                       unsigned int vcpu)
{
    return filter_wants_vcpu(filter, domain, vcpu);
}

/* An empty report is no answer to who has mistaken the time. */
static void warn_outside(const struct run *run, const struct xt_clock *clock,
                         uint64_t first, uint64_t last)
{
    char length[NUM_CLOCK_MAX], began[START_TIME_MAX];
    struct xt_clock from_first = *clock;

    from_first.wall = xt_clock_wall(clock, first);
    *num_duration(length, xt_clock_duration(clock, last - first)) = '\0';
    log_warning(run->log, "--time %s: nothing of %s, which lasts %s%s%s",
                run->config->time, run->name, length,
                start_time_text(&from_first, began) ? " from " : "", began);
}

/* Of what comes as a stream, the end is not known; the start nearly always. */
static int choose_time(struct pass *p, struct analyze_options *o,
                       struct err *e)
{
    const struct run *run = p->run;
    uint64_t first = run->info.start, last = 0;
    struct err none = ERR_INIT;
    struct xt_clock clock;
    struct span span;
    int rc = span_parse(run->config->time, &span, e);

    if ( rc )
        return rc;
    if ( xt_trace_span(run->trace, &first, &last, &none) )
        first = run->info.start;
    else
        rc = xt_trace_rewind(run->trace, e);    /* that was looked for */
    xt_info_clock(&run->info, run->config->hz, &clock);
    if ( !rc )
        rc = moment_resolve(&span.from, &clock, first, last, &o->from, e);
    if ( !rc )
        rc = moment_resolve(&span.to, &clock, first, last, &o->until, e);
    if ( !rc && first < last &&
         (o->from > last || (o->until && o->until < first)) )
        warn_outside(run, &clock, first, last);
    return rc;
}

static int choose(struct pass *p, struct analyze_options *o, struct err *e)
{
    const struct config *c = p->run->config;
    const struct filter_texts texts = {
        .pcpus = c->pcpus, .domains = c->domains, .vcpus = c->vcpus,
    };
    int rc = 0;

    if ( c->events )
        rc = err_set(e, -EINVAL, "--event: reports are made of all events; it "
                     "chooses records, as for --dump-all and --count");
    if ( !rc && c->time )
        rc = choose_time(p, o, e);
    if ( !rc )
        rc = filter_new(&p->filter, &texts, e);
    if ( rc || filter_is_empty(p->filter) )
        return rc;
    o->wants_pcpu = wants_pcpu;
    o->wants_vcpu = wants_vcpu;
    o->filter = p->filter;
    return 0;
}

static int wait_for(struct pass *p, struct analyze_options *o, struct err *e)
{
    if ( !waiting_begin(&p->waiting, p->run, true) )
        return 0;
    o->progress = waiting_tell;
    o->progress_arg = &p->waiting;
    return xt_trace_rewind(p->run->trace, e);   /* its end was looked for */
}

int facts_pass(const struct run *run, struct err *e)
{
    struct analyze_options options = {
        .threads = run->config->threads, .hz = run->config->hz,
        .info = &run->info, .levels = run->config->facts.levels,
    };
    struct pass p = { .run = run, .config = &run->config->facts };
    int rc = choose(&p, &options, e);

    rc = rc ? rc : begin(&p, e);
    rc = rc ? rc : wait_for(&p, &options, e);
    if ( !rc )
        rc = analyze_trace(run->trace, &options, p.sinks, p.nr_sinks, e);
    waiting_end(&p.waiting);
    if ( !rc && !p.records && xt_trace_position(run->trace) )
        rc = err_set(e, -EINVAL, "%s is no trace: there is no record in it",
                     run->name);
    if ( !rc && !p.somebody && !filter_is_empty(p.filter) )
        rc = PASS_NOBODY;
    if ( !rc && print(&p) )
        rc = err_sys(e, -ENOMEM, "cannot print the report on %s", run->name);
    if ( !rc && p.plot )
        rc = draw(&p, e);
    if ( !rc )
        warn(&p);
    if ( !rc )
        rc = complain(&p, e);
    fini(&p);
    return rc;
}
