/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over the trace for all reports: the selected part of the trace, the
 * progress bar, and warnings beside the reports.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "common/log.h"
#include "common/num.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/no-match.h"
#include "xenalyze/outputs.h"
#include "xenalyze/part-selection.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/span-part.h"
#include "xenalyze/time-span.h"
#include "xenalyze/traced-classes.h"

/* Results of one reading of the trace; reset before another one. */
struct pass_counts
{
    uint64_t records;
    unsigned int segments;
    bool matched;               /* the filter matched a record */
    bool overlaps;              /* --time selects a part of the trace */
    uint64_t lost, losses;      /* records, and places */
    uint64_t gaps, skipped;     /* places with missing bytes, and bytes */
    uint64_t backward;          /* windows */
    uint64_t copies;            /* of a capture */
    uint64_t too_many;          /* records of vcpus that are not kept */
};

struct pass
{
    const struct run *run;
    struct xt_trace *trace;     /* of the run, or of `part` */
    struct span_part part;
    struct report_pass reports;
    struct filter *filter;
    const struct guests *guests;
    struct xt_clock clock;      /* of the first segment */
    struct pass_counts counts;
    struct pass_progress progress;
};

/* --- the sink of the pass ------------------------------------------------- */

static void note_guests(void *state, const struct fact_begin *f)
{
    struct pass *p = state;

    p->guests = f->guests;
    if ( !f->segment )
        p->clock = *f->clock;
}

static void note_reuse(void *state, const struct fact_domain_reuse *f)
{
    struct pass *p = state;
    struct report_reuses *r = &p->reports.reuses;

    if ( r->nr < REPORT_MAX_REUSES )
    {
        r->all[r->nr].domain = f->domain->id;
        r->all[r->nr].ns = xt_clock_ns(&p->clock, f->time);
    }
    r->nr++;
}

/* Counts that explain an empty or incomplete report. */
static int count_records(void *state, const struct fact_end *f, struct err *e)
{
    struct pass *p = state;

    (void)e;
    p->counts.matched |= !no_match_in_segment(p->filter, p->guests, f);
    p->counts.records += f->records_read;
    p->counts.segments++;
    fact_disorder_merge(&p->reports.disorder, &f->disorder);
    p->counts.too_many += f->anomalies[ANOMALY_TOO_MANY];
    p->reports.sched_records += f->sched_records;
    p->counts.gaps = xt_damage_gaps(f->damage);
    p->counts.backward = xt_damage_backward(f->damage);
    p->counts.skipped = xt_damage_bytes(f->damage);
    p->counts.copies = f->damage->times[XT_DAMAGE_TWICE];
    return 0;
}

static void count_loss(void *state, const struct fact_loss *f)
{
    struct pass *p = state;

    p->counts.losses++;
    p->counts.lost += f->records;
}

static void add_counter(struct pass *p)
{
    static const struct sink_ops ops = {
        .name = "records", .begin = note_guests, .end = count_records,
        .loss = count_loss, .domain_reuse = note_reuse,
    };

    report_add_sink(&p->reports, (struct sink){ &ops, p });
}

static bool wants_pcpu(const void *filter, unsigned int pcpu)
{
    return filter_wants_pcpu(filter, pcpu);
}

static bool wants_vcpu(const void *filter, unsigned int domain,
                       unsigned int vcpu)
{
    return filter_wants_vcpu(filter, domain, vcpu);
}

static void list_missing(const struct report_pass *p, const char *classes,
                         char *text, size_t size)
{
    assert(p->run && classes);
    traced_classes_list_missing(p->run, classes, text, size);
}

static int open_reports(struct pass *p, struct err *e)
{
    const struct run *run = p->run;
    struct xt_clock clock;

    assert(!p->reports.config && !p->reports.nr_sinks);
    p->reports.config = &run->config->reports;
    p->reports.log = run->log;
    p->reports.name = run->name;
    p->reports.list_missing = list_missing;
    p->reports.run = run;
    p->reports.programs = run->programs;
    p->reports.hosts = run->hosts;
    p->reports.out = run->out;
    p->reports.output = run->output;
    p->reports.names = &run->names;
    p->reports.wants_pcpu = filter_is_empty(p->filter) ? NULL : wants_pcpu;
    p->reports.wants_vcpu = filter_is_empty(p->filter) ? NULL : wants_vcpu;
    p->reports.filter = p->filter;
    p->reports.pcpus = run->config->pcpus;
    p->reports.domains = run->config->domains;
    p->reports.vcpus = run->config->vcpus;
    p->reports.is_selection = run->config->time || !filter_is_empty(p->filter);
    p->reports.info = &run->info;
    p->reports.clock_assumed = xt_info_clock(&run->info, run->config->hz,
                                             &clock) == XT_SPEED_ASSUMED;
    add_counter(p);
    return report_pass_open(&p->reports, e);
}

static bool has_intervals(const struct report_config *c)
{
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
        if ( c->interval[i] )
            return true;
    return false;
}

/* The section for data quality has the number of parts. */
static void warn_segments(const struct pass *p)
{
    const struct run *run = p->run;
    bool intervals = has_intervals(&run->config->reports);

    if ( report_pass_shows_quality(&p->reports) && !intervals )
        return;
    if ( p->counts.copies )
        run_warn_twice(run, p->counts.copies);
    else if ( p->counts.segments > 1 )
        log_warning(run->log, "%s has %u parts with times that begin anew, as "
                    "of several captures; %s", run->name, p->counts.segments,
                    intervals ? "intervals are of the first part only"
                              : "--time selects from each part");
}

/*
 * Warns about lost records and damage if the output has no section for data
 * quality: stock's line formats and lists of points have none.
 */
static void warn_incomplete(const struct pass *p)
{
    const struct run *run = p->run;
    const struct report_config *c = &run->config->reports;
    bool is_export = c->json || c->csv;

    /* The text of the others is an error instead. */
    if ( !p->reports.sched_records && !c->summary &&
         (c->pcpus || c->exits || c->io || c->timers || c->interrupts ||
          c->storms ||
          (is_export && (c->latency || c->wakeups || c->migrations ||
                         c->interval[INTERVAL_DOMAIN_WAIT_ALL]))) )
        log_warning(run->log, "%s has no scheduler events: vcpus are unknown; "
                    "capture with xentrace -e sched:min,hvm", run->name);
    warn_segments(p);
    if ( report_pass_shows_losses(&p->reports) )
        return;
    if ( p->counts.losses )
        log_warning(run->log, "%s: %" PRIu64 " record%s lost, %" PRIu64
                    " place%s; --summary shows where", run->name,
                    p->counts.lost, num_plural(p->counts.lost),
                    p->counts.losses, num_plural(p->counts.losses));
    if ( p->counts.too_many )
        log_warning(run->log, "%s: more than %u vcpus: %" PRIu64 " records of "
                    "further ones are ignored", run->name, GUESTS_MAX_VCPUS,
                    p->counts.too_many);
    run_warn_gaps(run, p->counts.gaps, p->counts.skipped);
    run_warn_backward(run, p->counts.backward);
}

/*
 * Differences of clocks after their correction, or the lack of some pcpus, and
 * the consequence.
 */
static void warn_clocks(const struct pass *p)
{
    const struct fact_disorder *d = &p->reports.disorder;
    char text[NUM_CLOCK_MAX], least[NUM_CLOCK_MAX];
    struct xt_clock clock;

    if ( !fact_disorder_error(d) )
        return;
    assert(d->pcpus[0] != d->pcpus[1]);
    xt_info_clock(&p->run->info, p->run->config->hz, &clock);
    *num_duration(text, xt_clock_duration(&clock, d->error)) = '\0';
    if ( d->nr_silent )
    {
        log_warning(p->run->log, "%s: %u of %u pcpus have no records; waits "
                    "may be wrong by %s", p->run->name, d->nr_silent,
                    d->nr_host, text);
        return;
    }
    if ( !d->cycles )
    {
        log_warning(p->run->log, "%s: the clocks of pcpus %" PRIu32 " and %"
                    PRIu32 " contradict each other; waits may be wrong by %s",
                    p->run->name, d->pcpus[1], d->pcpus[0], text);
        return;
    }
    *num_duration(least, xt_clock_duration(&clock, d->cycles)) = '\0';
    log_warning(p->run->log, "%s: the clocks of pcpus %" PRIu32 " and %" PRIu32
                " differ by %s or more; waits may be wrong by %s",
                p->run->name, d->pcpus[1], d->pcpus[0], least, text);
}

static void warn_reuses(const struct pass *p)
{
    const struct report_reuses *r = &p->reports.reuses;
    char label[XT_LABEL_MAX], at[NUM_SEC_MAX];

    for ( uint64_t i = 0; i < r->nr && i < REPORT_MAX_REUSES; i++ )
    {
        *num_sec(at, r->all[i].ns < 0 ? 0 : (uint64_t)r->all[i].ns) = '\0';
        log_warning(p->run->log, "%s: domain %u (%s) was destroyed, and "
                    "created again at %ss: its figures are of both domains; "
                    "--time ..%s selects the first one", p->run->name,
                    r->all[i].domain,
                    xt_domain_label(&p->run->names, r->all[i].domain, label),
                    at, at);
    }
    if ( r->nr > REPORT_MAX_REUSES )
        log_warning(p->run->log, "%s: %" PRIu64 " more domains were destroyed "
                    "and created again", p->run->name,
                    r->nr - REPORT_MAX_REUSES);
}

static void warn_unordered(const struct pass *p)
{
    uint64_t late = report_pass_count_late_points(&p->reports);

    if ( late )
        log_warning(p->run->log, "%s: %" PRIu64 " points are not in the order "
                    "of time; sort the output by time", p->run->name, late);
}

/* --- which part of the trace ---------------------------------------------- */

static int resolve_time(struct pass *p, struct analyze_options *o,
                        struct err *e)
{
    struct span span;
    int rc = span_parse(p->run->config->time, &span, e);

    if ( !rc )
        rc = time_span_resolve(p->run, &span, &o->from, &o->until, e);
    o->bounded = true;
    o->overlaps = &p->counts.overlaps;
    return rc;
}

static int choose_part(struct pass *p, struct analyze_options *o, struct err *e)
{
    const struct config *c = p->run->config;
    const struct filter_texts texts = {
        .pcpus = c->pcpus, .domains = c->domains, .vcpus = c->vcpus,
        .names = &p->run->names,
    };
    int rc = 0;

    if ( c->events )
        rc = err_usage(e, "--event: a report needs all events; use "
                       "--event with --dump-all, --records or --count");
    if ( !rc && c->time )
        rc = resolve_time(p, o, e);
    if ( !rc )
        rc = filter_new(&p->filter, &texts, e);
    if ( rc || filter_is_empty(p->filter) )
        return rc;
    o->wants_pcpu = wants_pcpu;
    o->wants_vcpu = wants_vcpu;
    o->filter = p->filter;
    return 0;
}

static int begin_progress(struct pass *p, struct analyze_options *o,
                          struct err *e)
{
    if ( !pass_progress_begin(&p->progress, p->run, true) )
        return 0;
    o->progress = pass_progress_update;
    o->progress_arg = &p->progress;
    /* after the search for the end */
    return xt_trace_rewind(p->run->trace, e);
}

/*
 * A filter may exclude the exit record that proves the vendor.  An export is
 * written as facts arrive, so the first reading needs the right names.
 */
static bool needs_dialect(const struct config *c)
{
    return c->time || c->pcpus || c->domains || c->vcpus ||
           c->reports.nr_exports;
}

static int read_reports(struct pass *p, const struct analyze_options *options,
                        struct err *e)
{
    return analyze_trace(p->trace, options, p->reports.sinks,
                         p->reports.nr_sinks, e);
}

/*
 * Complete the dialect, if records were read with a guess.  True if the trace
 * has a proof, which came behind these records.
 */
static bool correct_dialect(struct pass *p, struct xt_dialect *d, int *rc,
                            struct err *e)
{
    uint16_t version = d->version;
    bool is_svm = report_pass_found_svm(&p->reports);

    if ( is_svm )
        d->hardware = XT_HARDWARE_SVM;
    if ( report_pass_guessed_layout(&p->reports) )
    {
        *rc = xt_trace_rewind(p->run->trace, e);
        if ( !*rc )
            xt_trace_find_dialect(p->run->trace, d);
    }
    return is_svm || d->version != version;
}

/* Read the trace again, with the right dialect. */
static int read_again(struct pass *p, const struct analyze_options *options,
                      struct err *e)
{
    int rc;

    report_pass_fini(&p->reports);
    p->reports = (struct report_pass){ .nr_sinks = 0 };
    p->counts = (struct pass_counts){ .records = 0 };
    rc = xt_trace_rewind(p->trace, e);
    rc = rc ? rc : open_reports(p, e);
    return rc ? rc : read_reports(p, options, e);
}

int reports_pass(const struct run *run, struct err *e)
{
    struct analyze_options options = {
        .threads = run->config->threads, .hz = run->config->hz,
        .levels = run->config->reports.levels,
    };
    struct xt_info info = run->info;
    struct pass p = { .run = run, .part = SPAN_PART_INIT };
    int rc;

    options.info = &info;
    options.host = &p.run->names.host;
    part_selection_warn(run);
    if ( !xt_dialect_is_known(&info.dialect) && needs_dialect(run->config) )
        xt_trace_find_dialect(run->trace, &info.dialect);
    rc = choose_part(&p, &options, e);
    rc = rc ? rc : open_reports(&p, e);
    if ( !rc )
        p.trace = span_part_choose(&p.part, run, &options, p.reports.sinks,
                                   p.reports.nr_sinks);
    rc = rc ? rc : begin_progress(&p, &options, e);
    if ( !rc )
        rc = read_reports(&p, &options, e);
    if ( !rc && correct_dialect(&p, &info.dialect, &rc, e) )
        rc = rc ? rc : read_again(&p, &options, e);
    pass_progress_end(&p.progress);
    if ( !rc && !p.counts.records )
        rc = PASS_NO_RECORD;
    if ( !rc && run->config->time && !p.counts.overlaps )
        rc = time_span_refuse(run, e);
    if ( !rc && !p.counts.matched && !filter_is_empty(p.filter) )
        rc = PASS_NO_MATCH;
    if ( !rc )
        rc = report_pass_print(&p.reports, e);
    rc = rc ? rc : run_flush(run, e);
    if ( !rc )
    {
        warn_clocks(&p);
        warn_reuses(&p);
        warn_incomplete(&p);
        warn_unordered(&p);
    }
    if ( !rc )
        rc = report_pass_check(&p.reports, e);
    report_pass_fini(&p.reports);
    if ( !rc && run->programs )
        programs_warn(run->programs, run->log);
    filter_free(p.filter);
    span_part_close(&p.part);
    return rc;
}
