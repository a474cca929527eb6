/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes that print a line for each record, or count records.  Each sets up
 * a pipeline job: a style with its state, the order of records, and the record
 * filter.
 */
#include "xenalyze/pass-progress.h"

#include <assert.h>
#include <errno.h>

#include "libxentrace/catalogue.h"
#include "xenalyze/captures.h"
#include "xenalyze/convert/convert.h"
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

    struct program_lines programs;
    bool programs_ended;        /* behind the first segment */
    unsigned int segment;       /* the first */
    uint64_t last;              /* time of the last record read there */

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
        dump_has_name, run->programs != NULL,
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

/* --- lines of programs ---------------------------------------------------- */

/* A chunk of records is short in time, so that few events come between. */
#define CHUNK_NS 10000000u

/* The end of the records from `at` on that are a chunk's. */
static size_t find_chunk_end(const struct pass *p, const struct xt_batch *b,
                             size_t at)
{
    uint64_t cycles = xt_clock_cycles(&p->source.clock, CHUNK_NS);
    size_t low = at + 1, high = b->nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( b->items[middle].time - b->items[at].time > cycles )
            high = middle;
        else
            low = middle + 1;
    }
    assert(low > at);
    return low;
}

/* Times of later segments are those of another boot. */
static bool has_programs(struct pass *p, const struct xt_batch *b)
{
    if ( !p->programs.programs || p->programs_ended )
        return false;
    if ( !p->programs.begun )
    {
        p->segment = b->segment;
        p->programs.start = p->source.start;
        p->programs.from = p->source.bounded ? p->source.from : 0;
        p->programs.until = p->source.bounded ? p->source.to : UINT64_MAX;
    }
    p->programs_ended = b->segment != p->segment;
    return !p->programs_ended;
}

/* Read records for a chunk, with the events of programs between them. */
static ssize_t read_both(struct pass *p, struct chunk *c,
                         const struct xt_batch *b, size_t at)
{
    struct xt_batch part = *b;
    ssize_t nr;
    int rc;

    if ( !has_programs(p, b) )
        return p->style->read(p->state, c, b, at);
    rc = program_lines_add_before(&p->programs, c, b->items[at].time);
    if ( rc )
        return rc < 0 ? rc : 0;
    part.nr = find_chunk_end(p, b, at);
    nr = p->style->read(p->state, c, &part, at);
    if ( nr > 0 )
        p->last = b->items[at + nr - 1].time;
    rc = nr < 0 ? 0 : program_lines_add(&p->programs, c);
    return rc ? rc : nr;
}

static int begin_programs(struct pass *p, const struct line_style *style,
                          enum order order, struct err *e)
{
    const struct run *run = p->run;

    if ( !run->programs || style->takes_programs == TAKES_NO_PROGRAMS )
        return 0;
    if ( order == ORDER_FILE )
        return err_usage(e, "--order=file: events of programs have a place in "
                         "the order of time only");
    p->programs.programs = run->programs;
    p->programs.filter = p->filter;
    p->programs.clock = &p->source.clock;
    p->programs.in_cycles = style->takes_programs == TAKES_PROGRAMS_IN_CYCLES;
    return programs_begin(run->programs, true, e);
}

/* After the last line: what is unusual in the files of programs. */
static void end_programs(const struct pass *p)
{
    const struct run *run = p->run;

    if ( !p->programs.programs )
        return;
    programs_warn(run->programs, run->log);
    if ( !p->programs.shown && !run->config->events )
        log_warning(run->log, "no event of a program is in the selected time "
                    "of %s", run->name);
}

/* --- a style, watched ----------------------------------------------------- */

/* A wrapper around the style, to note whether any record matched. */
static ssize_t watch_read(void *state, struct chunk *c,
                          const struct xt_batch *b, size_t at)
{
    struct pass *p = state;
    ssize_t nr = read_both(p, c, b, at);

    if ( p->vendor_is_unknown && nr > 0 )
        learn_vendor(p, b, at, nr);
    p->found |= p->filters_itself ? c->nr > 0 : nr > 0;
    p->found |= c->nr_inserts > 0;
    return nr;
}

static void watch_format(const void *state, struct chunk *c)
{
    const struct pass *p = state;
    char *end = c->text;

    if ( c->nr || c->fresh )
        p->style->format(p->state, c);
    else
    {
        end = chunk_put_inserts(c, end, 0);
        c->used = end ? end - c->text : 0;
    }
    assert(c->no_memory || c->put_inserts == c->nr_inserts);
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
    int rc = begin_programs(p, style, order, e);

    assert(run->out && style->read && style->format);
    if ( rc )
        return rc;
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
    if ( !rc && p->programs.begun )
        rc = program_lines_end(&p->programs, p->last, run->out);
    if ( p->programs.err.code )
        *e = p->programs.err;
    rc = rc ? rc : run_flush(run, e);
    if ( p->dialect.hardware == XT_HARDWARE_SVM )
        log_warning(run->log, "%s: exit reasons before the first proof of an "
                    "AMD CPU have wrong names; repeat with --vendor=amd",
                    run->name);
    if ( !rc && !p->source.has_records && !run->config->follow )
        return PASS_NO_RECORD;
    if ( !rc )
        run_warn_damage(run);
    if ( !rc )
        end_programs(p);
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
        .numbers = config->reports.request.style == STYLE_TABLE,
        .cpus = run->info.cpus,
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

/* Use the counts of the index. */
static int count_known(const struct run *run, struct count *c,
                       struct xt_damage *damage, struct err *e)
{
    const struct xt_counts *known = &run->counts->counts;

    if ( count_copy(c, known) )
        return err_sys(e, -ENOMEM, "cannot count %s", run->name);
    *damage = known->damage;
    run_warn_places(run, damage);
    return 0;
}

/* The order of records does not matter if all are counted. */
static int count_all(struct pass *p, struct count *c,
                     struct xt_damage *damage, struct err *e)
{
    const struct run *run = p->run;
    const struct xt_damage *counted;
    bool shown = pass_progress_begin(&p->progress, run, false);
    int rc = count_windows(c, run->trace, shown ? pass_progress_update : NULL,
                           &p->progress, &counted, e);

    assert(!p->source.filter);
    pass_progress_end(&p->progress);
    if ( !rc && !count_records(c) )
        return PASS_NO_RECORD;
    if ( rc )
        return rc;
    *damage = *counted;
    if ( damage->times[XT_DAMAGE_BACKWARD] )
        captures_count(run->config->path, damage);
    run_warn_damage(run);
    return 0;
}

static int count_selected(struct pass *p, struct count *c,
                          struct xt_damage *damage, struct err *e)
{
    const struct config *config = p->run->config;
    int rc;

    if ( !p->source.filter && !config->time && !config->follow )
        return count_all(p, c, damage, e);
    rc = run_style(p, count_style(), c, ORDER_TIME, e);
    *damage = *xt_trace_damage(p->run->trace);
    return rc;
}

static int count_read_pass(const struct run *run, struct count *c,
                           struct xt_damage *damage, struct err *e)
{
    struct pass p;
    int rc = pass_begin(&p, run, e);

    rc = rc ? rc : count_selected(&p, c, damage, e);
    pass_end(&p);
    return rc;
}

int count_pass(const struct run *run, struct err *e)
{
    const struct config *o = run->config;
    bool selects = o->time || o->pcpus || o->domains || o->vcpus || o->events;
    struct xt_damage damage;
    struct count *c = NULL;
    int rc = count_new(&c);

    if ( rc )
        return err_sys(e, rc, "cannot count %s", run->name);
    rc = run->counts && !selects ? count_known(run, c, &damage, e)
                                 : count_read_pass(run, c, &damage, e);
    if ( !rc )
    {
        print_counts(run, c);
        rc = run_flush(run, e);
    }
    if ( !rc )
        run_warn_backward(run, damage.times[XT_DAMAGE_BACKWARD]);
    count_free(c);
    return rc;
}
