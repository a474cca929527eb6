/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes that write records in another form: --cut, --export ctf and
 * --export trace.dat.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/output-file.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/convert/convert.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/outputs.h"
#include "xenalyze/part-selection.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/time-span.h"

/* The part of the trace that the user selects. */
struct selection
{
    struct xt_catalogue *catalogue;
    struct filter *filter;
    uint64_t first, last;       /* time stamps of the first segment */
    uint64_t from, until;       /* the span; 0, UINT64_MAX: no bound */
};

/* An empty file cannot be mapped. */
static int resolve_span(struct selection *s, const struct run *run,
                        struct err *e)
{
    struct err unmapped = ERR_INIT;
    struct span span;
    int rc = xt_trace_span(run->trace, &s->first, &s->last, &unmapped);

    if ( rc == -ESPIPE )
        return PASS_NO_RECORD;
    rc = rc ? err_set(e, rc, "%s", unmapped.text)
            : xt_trace_rewind(run->trace, e);
    s->from = 0;
    s->until = UINT64_MAX;
    if ( !rc && run->config->time )
        rc = span_parse(run->config->time, &span, e);
    if ( !rc && run->config->time )
        rc = time_span_resolve(run, &span, &s->from, &s->until, e);
    /* Without any time stamp, the time of all records is 0. */
    if ( s->first > s->last )
        s->first = 0;
    assert(rc || s->from <= s->until);
    return rc;
}

static int selection_init(struct selection *s, const struct run *run,
                          struct err *e)
{
    const struct config *c = run->config;
    const struct filter_texts texts = {
        c->pcpus, c->domains, c->vcpus, c->events, &run->names,
        dump_has_name, false,
    };
    struct xt_dialect dialect = run->info.dialect;
    int rc;

    assert(run->trace);
    *s = (struct selection){ .catalogue = NULL };
    if ( !xt_dialect_is_known(&dialect) )
        xt_trace_find_dialect(run->trace, &dialect);
    rc = xt_catalogue_new(&s->catalogue, &dialect);
    if ( rc )
        return err_sys(e, rc, "cannot read %s", run->name);
    return filter_new(&s->filter, &texts, e);
}

static void selection_fini(struct selection *s)
{
    filter_free(s->filter);
    xt_catalogue_free(s->catalogue);
}

/* --- cut ------------------------------------------------------------------ */

static int write_cut(const struct run *run, const struct selection *s,
                     FILE *out, const char *output, struct err *e)
{
    struct cut_options o = {
        .trace = run->trace, .catalogue = s->catalogue, .filter = s->filter,
        .out = out, .output = output, .from = s->from, .until = s->until,
        .origin = s->first, .index = run->index, .ends_exits = true,
    };
    char selection[PART_SELECTION_MAX];
    struct pass_progress progress;
    struct cut_counts counts;
    int rc = 0;

    if ( part_selection_format(run->config, selection) )
        o.selection = selection;
    if ( pass_progress_begin(&progress, run, true) )
    {
        o.progress = pass_progress_update;
        o.progress_arg = &progress;
        rc = xt_trace_rewind(run->trace, e);
    }
    rc = rc ? rc : cut_trace(&o, &counts, e);
    pass_progress_end(&progress);
    if ( rc )
        return rc;
    if ( !counts.matched )
        return counts.records ? PASS_NO_MATCH : PASS_NO_RECORD;
    if ( counts.metadata_left_out )
        log_warning(run->log, "%s: the part lacks %llu records of metadata "
                    "from before the span, such as names of domains",
                    run->name, (unsigned long long)counts.metadata_left_out);
    run_warn_damage(run);
    return 0;
}

static int write_cut_file(const struct run *run, const struct selection *s,
                          struct err *e)
{
    const char *path = run->config->cut_path;
    struct output_file file;
    int rc;

    if ( !strcmp(path, "-") )
    {
        rc = write_cut(run, s, run->out, "the part of the trace", e);
        return rc ? rc : run_flush(run, e);
    }
    rc = output_file_open(&file, path, e);
    if ( rc )
        return rc;
    rc = write_cut(run, s, file.out, path, e);
    if ( !rc )
        return output_file_commit(&file, e);
    output_file_discard(&file);
    return rc;
}

int cut_pass(const struct run *run, struct err *e)
{
    struct selection s;
    int rc = selection_init(&s, run, e);

    rc = rc ? rc : resolve_span(&s, run, e);
    rc = rc ? rc : write_cut_file(run, &s, e);
    selection_fini(&s);
    return rc;
}

/* --- ctf ------------------------------------------------------------------ */

/* The texts of the collector in the first window. */
static int read_texts(const struct run *run, struct file_texts *t,
                      struct err *e)
{
    struct xt_window w;
    int rc = xt_trace_next_window(run->trace, &w, e);

    assert(!t->nr_marks);
    if ( rc > 0 && file_texts_add_window(t, &w, UINT64_MAX) )
        rc = err_sys(e, -ENOMEM, "cannot read %s", run->name);
    return rc < 0 ? rc : xt_trace_rewind(run->trace, e);
}

/* The records of the span, for formats that are made of records. */
static int open_source(const struct run *run, const struct selection *s,
                       struct record_filter *source, struct err *e)
{
    *source = (struct record_filter){ .trace = run->trace };
    xt_info_clock(&run->info, run->config->hz, &source->clock);
    if ( run->config->time )
    {
        source->span.from = (struct moment){
            .kind = MOMENT_CYCLES, .value = s->from,
        };
        source->span.to = (struct moment){
            .kind = MOMENT_CYCLES, .value = s->until,
        };
    }
    return record_filter_init(source)
           ? err_sys(e, -ENOMEM, "cannot read %s", run->name) : 0;
}

/* The result of a pass that has written so many records. */
static int finish_source(const struct run *run,
                         const struct record_filter *source, uint64_t written)
{
    if ( !written )
        return source->has_records ? PASS_NO_MATCH : PASS_NO_RECORD;
    run_warn_damage(run);
    return 0;
}

static int write_ctf(const struct run *run, struct record_filter *source,
                     struct ctf_options *o, struct err *e)
{
    struct pass_progress progress;
    uint64_t written = 0;
    int rc = 0;

    if ( pass_progress_begin(&progress, run, true) )
    {
        o->progress = pass_progress_update;
        o->progress_arg = &progress;
        rc = xt_trace_rewind(run->trace, e);
    }
    rc = rc ? rc : ctf_write(o, &written, e);
    pass_progress_end(&progress);
    assert(rc <= 0);
    return rc ? rc : finish_source(run, source, written);
}

int ctf_pass(const struct run *run, struct err *e)
{
    struct file_texts texts = { .names = &run->names };
    struct record_filter source = { .trace = NULL };
    struct selection s;
    struct ctf_options o = {
        .trace = run->trace, .source = &source, .info = &run->info,
        .names = &run->names, .texts = &texts, .name = run->name,
        .folder = run->config->reports.ctf_path, .hz = run->config->hz,
    };
    int rc = selection_init(&s, run, e);

    rc = rc ? rc : resolve_span(&s, run, e);
    rc = rc ? rc : read_texts(run, &texts, e);
    o.filter = s.filter;
    o.catalogue = s.catalogue;
    rc = rc ? rc : open_source(run, &s, &source, e);
    rc = rc ? rc : write_ctf(run, &source, &o, e);
    record_filter_fini(&source);
    file_texts_fini(&texts);
    selection_fini(&s);
    return rc;
}

/* --- trace.dat ------------------------------------------------------------ */

static int write_trace_dat(const struct run *run, const struct selection *s,
                           struct record_filter *source, FILE *out,
                           const char *output, struct err *e)
{
    struct trace_dat_options o = {
        .source = source, .filter = s->filter, .catalogue = s->catalogue,
        .names = &run->names, .output = output, .out = out,
    };
    struct pass_progress progress;
    uint64_t written = 0;
    int rc = 0;

    xt_info_clock(&run->info, run->config->hz, &o.clock);
    xt_info_set_origin(&run->info, &o.clock, s->first);
    if ( pass_progress_begin(&progress, run, true) )
    {
        o.progress = pass_progress_update;
        o.progress_arg = &progress;
        rc = xt_trace_rewind(run->trace, e);
    }
    rc = rc ? rc : trace_dat_write(&o, &written, e);
    pass_progress_end(&progress);
    return rc ? rc : finish_source(run, source, written);
}

static int write_trace_dat_file(const struct run *run,
                                const struct selection *s,
                                struct record_filter *source, struct err *e)
{
    const char *path = run->config->reports.trace_dat_path;
    struct output_file file;
    int rc;

    if ( !strcmp(path, "-") )
    {
        rc = write_trace_dat(run, s, source, run->out,
                             run->output ? run->output : "the report", e);
        return rc ? rc : run_flush(run, e);
    }
    rc = output_file_open(&file, path, e);
    if ( rc )
        return rc;
    rc = write_trace_dat(run, s, source, file.out, path, e);
    if ( !rc )
        return output_file_commit(&file, e);
    output_file_discard(&file);
    return rc;
}

int trace_dat_pass(const struct run *run, struct err *e)
{
    struct record_filter source = { .trace = NULL };
    struct selection s;
    int rc = selection_init(&s, run, e);

    rc = rc ? rc : resolve_span(&s, run, e);
    rc = rc ? rc : open_source(run, &s, &source, e);
    rc = rc ? rc : write_trace_dat_file(run, &s, &source, e);
    record_filter_fini(&source);
    selection_fini(&s);
    return rc;
}
