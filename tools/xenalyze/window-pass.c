/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over the windows in the order of the file, for counts that do not
 * depend on the order of time (--info); or the same from an index.
 */
#include "xenalyze/outputs.h"

#include <assert.h>

#include "libxentrace/internal.h"
#include "xenalyze/captures.h"
#include "xenalyze/convert/convert.h"
#include "xenalyze/info-tables.h"
#include "xenalyze/lines/lines.h"
#include "xenalyze/text/text.h"

struct pass
{
    const struct run *run;
    struct xt_counts counts;
    struct captures captures;
    struct file_texts texts;
};

static int add_texts(void *pass, const struct xt_window *w, uint64_t nr)
{
    struct pass *p = pass;

    assert(p->run);
    return file_texts_add_window(&p->texts, w, nr);
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

static int print_info(struct pass *p, const struct xt_counts *counts)
{
    const struct run *run = p->run;
    const struct report_config *r = &run->config->reports;
    char start[START_TIME_MAX] = "";
    struct xt_clock clock;
    struct file_info info = {
        .counts = counts, .texts = &p->texts, .clock = &clock,
        .name = run->name, .start = start, .captures = p->captures.nr,
        .cycles = p->captures.cycles,
    };

    info.clock_assumed = xt_info_clock(&run->info, run->config->hz, &clock) ==
                         XT_SPEED_ASSUMED;
    if ( counts->total.tsc.known )
    {
        xt_info_set_origin(&run->info, &clock, counts->total.tsc.first);
        start_time_text(&clock, start);
        if ( run->info.is_cut )
            xt_info_set_origin(&run->info, &clock, run->info.cut_origin);
    }
    file_texts_finish(&p->texts);
    return r->json || r->csv
           ? info_export(&info, r->json ? EXPORT_JSON : EXPORT_CSV, run->out)
           : print_text(run, &info);
}

/* Read all windows, and print. */
static int print_counted(struct pass *p, struct err *e)
{
    const struct run *run = p->run;
    int rc = xt_counts_init(&p->counts);

    rc = rc ? rc : count_trace(&p->counts, run->trace, add_texts, p, e);
    if ( rc )
        return rc;
    if ( !p->counts.total.records )
        return PASS_NO_RECORD;
    p->captures = captures_count(run->config->path, &p->counts.damage);
    return print_info(p, &p->counts);
}

/* Print what the index has. */
static int print_known(struct pass *p)
{
    const struct saved_counts *known = p->run->counts;
    int rc = saved_counts_add_texts(known, &p->texts);

    p->captures = (struct captures){ known->captures, known->cycles };
    return rc ? rc : print_info(p, &known->counts);
}

int windows_pass(const struct run *run, struct err *e)
{
    struct pass p = { .run = run, .texts = { .names = &run->names } };
    int rc = run->counts ? print_known(&p) : print_counted(&p, e);

    assert(run->config->info);
    xt_counts_fini(&p.counts);
    file_texts_fini(&p.texts);
    return rc < 0 ? err_sys(e, rc, "cannot analyze %s", run->name) : rc;
}
