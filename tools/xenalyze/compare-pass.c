/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass of --compare: it analyzes both traces, or both spans of one trace,
 * one after the other, and compares the profiles.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "xenalyze/compare/compare.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/no-match.h"
#include "xenalyze/not-trace.h"
#include "xenalyze/outputs.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/span-part.h"
#include "xenalyze/spool.h"
#include "xenalyze/time-span.h"

/* One side: a trace, its selection, and its profile. */
struct side_pass
{
    const struct run *run;
    struct filter *filter;
    struct profile *profile;
    const struct guests *guests;
    uint64_t records;
    bool matched, overlaps;
};

/* --- the sink of the pass ------------------------------------------------- */

static void note_side_guests(void *state, const struct fact_begin *f)
{
    struct side_pass *s = state;

    s->guests = f->guests;
}

static int count_side_records(void *state, const struct fact_end *f,
                              struct err *e)
{
    struct side_pass *s = state;

    (void)e;
    s->records += f->records_read;
    s->matched |= !no_match_in_segment(s->filter, s->guests, f);
    return 0;
}

static bool side_wants_pcpu(const void *filter, unsigned int pcpu)
{
    return filter_wants_pcpu(filter, pcpu);
}

static bool side_wants_vcpu(const void *filter, unsigned int domain,
                            unsigned int vcpu)
{
    return filter_wants_vcpu(filter, domain, vcpu);
}

/* --- the span ------------------------------------------------------------- */

/* A part of a trace is compared without the records before and behind. */
static void restrict_to_cut(const struct xt_info *info,
                            struct profile_options *o)
{
    if ( info->is_cut && info->cut_from <= o->until &&
         info->cut_until >= o->from )
    {
        o->from = info->cut_from > o->from ? info->cut_from : o->from;
        o->until = info->cut_until < o->until ? info->cut_until : o->until;
    }
    assert(o->from <= o->until);
}

/*
 * The span of --time or --against within the trace.  An empty file cannot be
 * mapped; the analysis finds no record in it.
 */
static int choose_span(const struct run *run, struct profile_options *o,
                       struct err *e)
{
    uint64_t first, last;
    struct err none = ERR_INIT;
    struct span span;
    int rc;

    if ( xt_trace_span(run->trace, &first, &last, &none) )
        return 0;
    rc = xt_trace_rewind(run->trace, e);
    if ( rc )
        return rc;
    o->from = first;
    o->until = first > last ? first : last;
    if ( !run->config->time )
    {
        restrict_to_cut(&run->info, o);
        return 0;
    }
    rc = span_parse_option(run->config->time_is_against ? "against" : "time",
                           run->config->time, &span, e);
    rc = rc ? rc : time_span_resolve(run, &span, &first, &last, e);
    o->from = first > o->from ? first : o->from;
    o->until = last < o->until ? last : o->until;
    if ( !rc && o->from > o->until )
        rc = time_span_refuse(run, e);
    return rc;
}

/* A domain that is not in the trace: the error says in which. */
static int choose_filter(struct side_pass *s, struct err *e)
{
    const struct config *c = s->run->config;
    struct err reason = ERR_INIT;
    const struct filter_texts texts = {
        .pcpus = c->pcpus, .domains = c->domains, .vcpus = c->vcpus,
        .names = &s->run->names,
    };
    int rc = filter_new(&s->filter, &texts, &reason);

    if ( rc == -ENOENT )
        return err_set(e, rc, "%s: %s", s->run->name, reason.text);
    if ( rc )
        *e = reason;
    return rc;
}

static int open_profile(struct side_pass *s, struct profile_options *o,
                        struct err *e)
{
    const struct config *c = s->run->config;
    int rc = choose_span(s->run, o, e);

    rc = rc ? rc : choose_filter(s, e);
    if ( rc )
        return rc;
    o->per_vcpu = c->domains || c->vcpus;
    o->per_pcpu = c->pcpus;
    o->has_host = !o->per_vcpu;
    o->filter = s->filter;
    o->wants_pcpu = c->pcpus ? side_wants_pcpu : NULL;
    o->wants_vcpu = o->per_vcpu ? side_wants_vcpu : NULL;
    rc = profile_new(&s->profile, o);
    return rc ? err_sys(e, rc, "cannot compare %s", s->run->name) : 0;
}

/* --- one side ------------------------------------------------------------- */

/*
 * The profile selects domains, not the engine: round trips of I/O need the
 * facts about dom0.
 */
static int read_side(struct side_pass *s, const struct profile_options *o,
                     struct err *e)
{
    static const struct sink_ops ops = {
        .name = "compared records", .begin = note_side_guests,
        .end = count_side_records,
    };
    const struct run *run = s->run;
    struct xt_info info = run->info;
    struct pass_progress progress = { .trace = NULL };
    struct analyze_options options = {
        .threads = run->config->threads, .hz = run->config->hz,
        .levels = run->config->reports.levels, .info = &info,
        .host = &run->names.host,
        .bounded = run->config->time, .from = o->from, .until = o->until,
        .overlaps = &s->overlaps,
        .wants_pcpu = o->wants_pcpu, .filter = s->filter,
    };
    struct sink sinks[PROFILE_SINKS + 1] = { { &ops, s } };
    struct span_part part = SPAN_PART_INIT;
    struct xt_trace *trace;
    int rc = 0;

    assert(s->profile && s->filter);
    if ( !xt_dialect_is_known(&info.dialect) )
        xt_trace_find_dialect(run->trace, &info.dialect);
    profile_get_sinks(s->profile, sinks + 1);
    trace = span_part_choose(&part, run, &options, sinks, PROFILE_SINKS + 1);
    if ( pass_progress_begin(&progress, run, true) )
    {
        options.progress = pass_progress_update;
        options.progress_arg = &progress;
        rc = xt_trace_rewind(run->trace, e);
    }
    rc = rc ? rc : analyze_trace(trace, &options, sinks, PROFILE_SINKS + 1, e);
    pass_progress_end(&progress);
    span_part_close(&part);
    return rc;
}

static int profile_side(struct side_pass *s, struct err *e)
{
    struct profile_options o = { .from = 0 };
    int rc = open_profile(s, &o, e);

    rc = rc ? rc : read_side(s, &o, e);
    if ( !rc && !s->records )
        rc = not_trace_explain(s->run, e);
    if ( !rc && s->run->config->time && !s->overlaps )
        rc = time_span_refuse(s->run, e);
    if ( !rc && !s->matched && !filter_is_empty(s->filter) )
        rc = no_match_explain(s->run, e);
    return rc;
}

/* --- both sides ----------------------------------------------------------- */

/* Side B as a run of its own. */
struct other_run
{
    struct config config;
    struct run run;
    struct spool spool;
    struct xt_trace *trace;     /* NULL: that of side A */
};

static int open_trace(struct other_run *o, struct err *e)
{
    const char *path = o->config.path;
    int rc = spool_open(&o->spool, path, &path, e);

    rc = rc ? rc : xt_trace_open(&o->trace, path, 0, e);
    o->run.trace = o->trace;
    o->run.name = o->config.path;
    return rc;
}

static int open_other(struct other_run *o, const struct run *run,
                      struct err *e)
{
    int rc;

    assert(run->config->nr_paths == 2 || run->config->against);
    o->config = *run->config;
    o->run = *run;
    o->run.config = &o->config;
    o->run.names = (struct xt_domain_names){ .nr = 0 };
    o->spool.fd = -1;
    if ( o->config.against )
    {
        o->config.time = o->config.against;
        o->config.time_is_against = true;
    }
    if ( o->config.nr_paths == 2 )
    {
        o->config.path = o->config.paths[1];
        rc = open_trace(o, e);
    }
    else
    {
        rc = xt_trace_rewind(run->trace, e);
        rc = rc ? rc : analyze_reset_clocks(run->trace, e);
        rc = rc ? rc : xt_trace_rewind(run->trace, e);
    }
    return rc ? rc : outputs_read_metadata(&o->run, e);
}

static void close_other(struct other_run *o)
{
    xt_domain_names_fini(&o->run.names);
    if ( o->trace )
        xt_trace_close(o->trace);
    spool_close(&o->spool);
}

/* One trace may be named twice, each with its span. */
static bool is_one_trace(const struct config *c)
{
    return c->nr_paths == 1 || !strcmp(c->paths[0], c->paths[1]);
}

static struct compare_side describe_side(const struct side_pass *s)
{
    const struct run *run = s->run;
    struct xt_clock clock;

    return (struct compare_side){
        .name = run->name, .profile = s->profile,
        .is_part = is_one_trace(run->config),
        .names = run->names.nr ? &run->names : NULL,
        .clock_assumed = xt_info_clock(&run->info, run->config->hz, &clock) ==
                         XT_SPEED_ASSUMED,
    };
}

static int print_comparison(const struct run *run,
                            const struct side_pass sides[2], struct err *e)
{
    const struct compare_side described[2] = {
        describe_side(&sides[0]), describe_side(&sides[1]),
    };
    const struct report_config *r = &run->config->reports;
    struct comparison *c;
    int rc = comparison_new(&c, described, e);

    if ( !rc && (r->json || r->csv) )
        rc = comparison_export(c, r->json ? EXPORT_JSON : EXPORT_CSV,
                               run->out);
    else if ( !rc )
        comparison_print(c, &r->request, run->config->all_rows, run->out);
    comparison_free(c);
    return rc ? err_sys(e, rc, "cannot compare %s", run->name) : 0;
}

int compare_pass(const struct run *run, struct err *e)
{
    struct other_run other = { .trace = NULL };
    struct side_pass sides[2] = { { .run = run }, { .run = &other.run } };
    int rc = profile_side(&sides[0], e);

    assert(run->config->nr_paths == 1 || run->config->nr_paths == 2);
    if ( !rc )
    {
        rc = open_other(&other, run, e);
        rc = rc ? rc : profile_side(&sides[1], e);
        rc = rc ? rc : print_comparison(run, sides, e);
        close_other(&other);
    }
    for ( unsigned int i = 0; i < 2; i++ )
    {
        profile_free(sides[i].profile);
        filter_free(sides[i].filter);
    }
    return rc;
}
