/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes that print a line for each record, or count records.  Each sets up
 * a pipeline job: a style with its state, the order of records, and the record
 * filter.
 */
#include "xenalyze/pass-progress.h"

#include <assert.h>

#include "libxentrace/catalogue.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/text/text.h"
#include "xenalyze/time-span.h"

struct pass
{
    const struct run *run;
    struct xt_catalogue *catalogue;
    struct filter *filter;
    struct file_order file;
    struct record_filter source;
    struct pipeline_job job;
    const struct line_style *style;
    void *state;                /* private state of the style */
    bool filters_itself;        /* the style: it may leave records out */
    bool found;                 /* a record matched */
    struct pass_progress progress;

    bool vendor_is_unknown;     /* a stream, at its first record */
    struct xt_dialect dialect;  /* learned from the records */
};

/* --- a pass --------------------------------------------------------------- */

/* A growing trace may reach the span later. */
static int parse_time(struct pass *p, struct err *e)
{
    uint64_t from, until;
    int rc = span_parse(p->run->config->time, &p->source.span, e);

    if ( rc || p->run->config->follow )
        return rc;
    return time_span_resolve(p->run, &p->source.span, &from, &until, e);
}

static int pass_begin(struct pass *p, const struct run *run, struct err *e)
{
    const struct config *c = run->config;
    const struct filter_texts texts = {
        c->pcpus, c->domains, c->vcpus, c->events, &run->names,
        dump_has_name,
    };
    struct xt_dialect dialect = run->info.dialect;
    int rc;

    *p = (struct pass){ .run = run };
    if ( !(dialect.hardware && dialect.version) )
        p->vendor_is_unknown = !xt_trace_find_dialect(run->trace, &dialect) &&
                               !dialect.hardware;
    rc = xt_catalogue_new(&p->catalogue, &dialect);
    if ( rc )
        err_sys(e, rc, "cannot read %s", run->name);
    if ( !rc )
        rc = filter_new(&p->filter, &texts, e);
    if ( !rc && c->time )
        rc = parse_time(p, e);
    if ( rc )
        return rc;
    p->source.trace = run->trace;
    p->source.catalogue = p->catalogue;
    p->source.filter = p->filter;
    xt_info_clock(&run->info, c->hz, &p->source.clock);
    rc = record_filter_init(&p->source);
    return rc ? err_sys(e, rc, "cannot read %s", run->name) : 0;
}

static void pass_end(struct pass *p)
{
    pass_progress_end(&p->progress);
    record_filter_fini(&p->source);
    file_order_fini(&p->file);
    filter_free(p->filter);
    xt_catalogue_free(p->catalogue);
}

/* Learn the vendor from the records of a stream, which have been printed. */
static void learn_vendor(struct pass *p, const struct xt_batch *b, size_t at,
                         size_t nr)
{
    struct xt_record r;

    assert(p->vendor_is_unknown && at + nr <= b->nr);
    for ( size_t i = at; i < at + nr && !p->dialect.hardware; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( xt_dialect_may_learn(r.event) )
            xt_dialect_learn(&p->dialect, &r);
    }
}

/* A wrapper around the style, to note whether any record matched. */
static ssize_t watch_read(void *state, struct chunk *c,
                          const struct xt_batch *b, size_t at)
{
    struct pass *p = state;
    ssize_t nr = p->style->read(p->state, c, b, at);

    if ( p->vendor_is_unknown && nr > 0 )
        learn_vendor(p, b, at, nr);
    p->found |= p->filters_itself ? c->nr > 0 : nr > 0;
    return nr;
}

static void watch_format(const void *state, struct chunk *c)
{
    const struct pass *p = state;

    p->style->format(p->state, c);
}

/* An empty selection is an error; a growing trace may have a record later. */
static bool explains_no_match(const struct config *c)
{
    return (c->time || c->pcpus || c->domains || c->vcpus || c->events) &&
           !c->follow;
}

static int run_style(struct pass *p, const struct line_style *style,
                     void *state, enum order order, struct err *e)
{
    static const struct line_style watch = {
        .read = watch_read, .format = watch_format,
    };
    const struct run *run = p->run;
    int rc;

    assert(run->out && style->read && style->format);
    if ( order == ORDER_FILE )
    {
        file_order_init(&p->file, run->trace);
        p->source.next = file_order_next;
        p->source.next_arg = &p->file;
    }
    p->job.trace = run->trace;
    p->job.source = &p->source;
    p->style = style;
    p->state = state;
    p->job.style = &watch;
    p->job.state = p;
    p->job.out = run->out;
    p->job.output = run->output;
    p->job.follow = run->config->follow;
    p->job.threads = style == raw_read_style() ? 1 : run->config->threads;
    if ( pass_progress_begin(&p->progress, p->run, order == ORDER_TIME) )
    {
        p->job.progress = pass_progress_update;
        p->job.progress_arg = &p->progress;
    }
    rc = pipeline_run(&p->job, e);
    rc = rc ? rc : run_flush(run, e);
    if ( p->dialect.hardware == XT_HARDWARE_SVM )
        log_warning(run->log, "%s: exit reasons before the first proof of an "
                    "AMD CPU have wrong names; repeat with --vendor=amd",
                    run->name);
    if ( !rc && !p->source.has_records && !run->config->follow )
        return PASS_NO_RECORD;
    if ( !rc )
        run_warn_damage(run);
    if ( rc || p->found || !explains_no_match(run->config) )
        return rc;
    return PASS_NO_MATCH;
}

/* --- the passes ----------------------------------------------------------- */

int dump_pass(const struct run *run, struct err *e)
{
    const struct config *config = run->config;
    struct dump_options options = {
        .text = config->dump_all, .raw = config->dump_raw_process,
        .show_power = config->dump_show_power_states,
        .colour = run->colour,
    };
    struct dump *d = NULL;
    struct pass p;
    int rc = pass_begin(&p, run, e);

    if ( !rc )
    {
        options.clock = p.source.clock;
        options.filter = filter_is_empty(p.filter) ? NULL : p.filter;
        options.source = &p.source;
        p.source.filter = NULL;
        p.filters_itself = true;
        rc = dump_new(&d, run->trace, p.catalogue, &options);
        p.source.warmup = dump_warmup();
        p.source.warmup_arg = d;
        rc = rc ? err_sys(e, rc, "cannot dump %s", run->name)
                : run_style(&p, dump_style(), d, ORDER_TIME, e);
    }
    dump_free(d);
    pass_end(&p);
    return rc;
}

int records_pass(const struct run *run, struct err *e)
{
    struct pass p;
    int rc = pass_begin(&p, run, e);

    if ( !rc )
        rc = run_style(&p, catalogue_lines_style(), p.catalogue,
                       run->config->order, e);
    pass_end(&p);
    return rc;
}

int raw_pass(const struct run *run, struct err *e)
{
    struct pass p;
    int rc = pass_begin(&p, run, e);

    if ( !rc )
        rc = run_style(&p, raw_read_style(), NULL, ORDER_FILE, e);
    pass_end(&p);
    return rc;
}

int formats_pass(const struct run *run, struct err *e)
{
    struct formats *f = NULL;
    struct pass p;
    int rc = pass_begin(&p, run, e);

    if ( !rc )
        rc = formats_read(&f, run->config->rules, e);
    if ( !rc )
    {
        formats_set_mhz(f, run->config->mhz);
        p.source.warmup = formats_warmup();
        p.source.warmup_arg = f;
        rc = run_style(&p, formats_style(), f, run->config->order, e);
    }
    formats_free(f);
    pass_end(&p);
    return rc;
}

static void print_counts(const struct run *run, struct count *c)
{
    struct report_request request = run->config->reports.request;
    bool was_cut = false;

    sort_fit_screen(&request, &was_cut);
    count_print(c, &request, run->out);
    text_print_cut(was_cut, run->out);
}

int count_pass(const struct run *run, struct err *e)
{
    struct count *c = NULL;
    struct pass p;
    int rc = pass_begin(&p, run, e);

    if ( !rc )
    {
        rc = count_new(&c);
        rc = rc ? err_sys(e, rc, "cannot count %s", run->name)
                : run_style(&p, count_style(), c, ORDER_TIME, e);
    }
    if ( !rc )
    {
        print_counts(run, c);
        rc = run_flush(run, e);
    }
    if ( !rc )
        run_warn_backward(run, xt_trace_damage(run->trace)->
                               times[XT_DAMAGE_BACKWARD]);
    count_free(c);
    pass_end(&p);
    return rc;
}
