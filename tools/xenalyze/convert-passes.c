/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes that write records in another form: --cut.
 */
#include <assert.h>
#include <string.h>

#include "common/output-file.h"
#include "libxentrace/catalogue.h"
#include "xenalyze/convert/convert.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/outputs.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/time-span.h"

/* The part of the trace that the user selects. */
struct selection
{
    struct xt_catalogue *catalogue;
    struct filter *filter;
    bool has_times;
    uint64_t first, last;       /* time stamps of the trace */
    uint64_t from, until;       /* the span, within these */
};

static int resolve_span(struct selection *s, const struct run *run,
                        struct err *e)
{
    struct span span;
    int rc = xt_trace_span(run->trace, &s->first, &s->last, e);

    rc = rc ? rc : xt_trace_rewind(run->trace, e);
    s->from = 0;
    s->until = UINT64_MAX;
    if ( !rc && run->config->time )
        rc = span_parse(run->config->time, &span, e);
    if ( !rc && run->config->time )
        rc = time_span_resolve(run, &span, &s->from, &s->until, e);
    s->has_times = s->first <= s->last;
    s->from = s->from < s->first ? s->first : s->from;
    s->until = s->until > s->last ? s->last : s->until;
    assert(rc || !s->has_times || s->from <= s->until);
    return rc;
}

static int selection_init(struct selection *s, const struct run *run,
                          struct err *e)
{
    const struct config *c = run->config;
    const struct filter_texts texts = {
        c->pcpus, c->domains, c->vcpus, c->events, &run->names,
        dump_has_name,
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
                     FILE *out, struct err *e)
{
    struct cut_options o = {
        .trace = run->trace, .catalogue = s->catalogue, .filter = s->filter,
        .out = out, .from = s->from, .until = s->until, .origin = s->first,
    };
    const struct xt_damage *damage = xt_trace_damage(run->trace);
    struct pass_progress progress;
    struct cut_counts counts;
    int rc = 0;

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
    run_warn_gaps(run, xt_damage_gaps(damage), xt_damage_bytes(damage));
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
        rc = write_cut(run, s, run->out, e);
        return rc ? rc : run_flush(run, e);
    }
    rc = output_file_open(&file, path, e);
    if ( rc )
        return rc;
    rc = write_cut(run, s, file.out, e);
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
    if ( !rc )
        rc = s.has_times ? write_cut_file(run, &s, e) : PASS_NO_RECORD;
    selection_fini(&s);
    return rc;
}
