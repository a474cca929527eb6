/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over the windows in the order of the file, for counts that do not
 * depend on the order of time (--info).
 */
#include "xenalyze/outputs.h"

#include <assert.h>
#include <errno.h>

#include "libxentrace/internal.h"
#include "xenalyze/captures.h"
#include "xenalyze/info-tables.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/text/text.h"

struct pass
{
    const struct run *run;
    struct xt_counts counts;
    struct file_texts texts;
};

static int begin_counts(struct pass *p, struct err *e)
{
    const struct run *run = p->run;
    int rc = xt_counts_init(&p->counts);

    return rc ? err_sys(e, rc, "cannot analyze %s", run->name) : 0;
}

static uint64_t count_metadata(const struct pass *p, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    return cpu < p->counts.nr_cpus ? p->counts.cpus[cpu].metas : 0;
}

static int read_windows(struct pass *p, struct err *e)
{
    struct xt_trace *trace = p->run->trace;
    struct xt_records records;
    struct xt_window w;
    int rc;

    while ( (rc = xt_trace_next_window(trace, &w, e)) > 0 )
    {
        uint64_t before = count_metadata(p, w.cpu);

        xt_trace_begin_records(trace, &w, &records);
        rc = xt_counts_add_window(&p->counts, &w, records.damage);
        if ( !rc )
            rc = file_texts_add_window(&p->texts, &w,
                                       count_metadata(p, w.cpu) - before);
        if ( rc )
            return err_sys(e, rc, "cannot analyze %s", p->run->name);
    }
    return rc;
}

static int print_text(const struct run *run, const struct file_info *info)
{
    struct report_request request = run->config->reports.request;
    bool was_cut = false;
    int rc;

    sort_fit_screen(&request, &was_cut);
    request.sort = SORT_COUNT;
    rc = file_info_print(info, &request, run->out);
    text_print_cut(was_cut, run->out);
    return rc;
}

static int print_info(struct pass *p)
{
    const struct run *run = p->run;
    const struct report_config *r = &run->config->reports;
    char start[START_TIME_MAX] = "";
    struct captures captures;
    struct xt_clock clock;
    struct file_info info = {
        .counts = &p->counts, .texts = &p->texts, .clock = &clock,
        .name = run->name, .start = start,
    };

    info.clock_assumed = xt_info_clock(&run->info, run->config->hz, &clock) ==
                         XT_SPEED_ASSUMED;
    if ( p->counts.total.tsc.known )
    {
        xt_info_set_origin(&run->info, &clock, p->counts.total.tsc.first);
        start_time_text(&clock, start);
        if ( run->info.is_cut )
            xt_info_set_origin(&run->info, &clock, run->info.cut_origin);
    }
    captures = captures_count(run->config->path, &p->counts.damage);
    info.captures = captures.nr;
    info.cycles = captures.cycles;
    file_texts_finish(&p->texts);
    return r->json || r->csv
           ? info_export(&info, r->json ? EXPORT_JSON : EXPORT_CSV, run->out)
           : print_text(run, &info);
}

static int end_counts(struct pass *p, struct err *e)
{
    const struct run *run = p->run;
    int rc = xt_counts_finish(&p->counts, xt_trace_position(run->trace),
                              xt_trace_damage(run->trace));

    if ( !rc && !p->counts.total.records )
        return PASS_NO_RECORD;
    if ( !rc && run->config->info )
        rc = print_info(p);
    return rc ? err_sys(e, rc, "cannot analyze %s", run->name) : 0;
}

int windows_pass(const struct run *run, struct err *e)
{
    struct pass p = { .run = run, .texts = { .names = &run->names } };
    int rc = begin_counts(&p, e);

    if ( !rc )
        rc = read_windows(&p, e);
    if ( !rc )
        rc = end_counts(&p, e);
    xt_counts_fini(&p.counts);
    file_texts_fini(&p.texts);
    return rc;
}
