/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass over the trace with one sink, which collects the spans of time in
 * which device models were at work.
 */
#include "xenalyze/clock-estimate.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/account/account.h"
#include "xenalyze/engine/engine.h"

struct spans
{
    struct clock_span *all;     /* CLOCK_OFFSET_SPANS */
    size_t nr;
};

static void collect_span(void *arg, uint64_t from, uint64_t to)
{
    struct spans *s = arg;

    assert(from <= to);
    if ( s->nr < CLOCK_OFFSET_SPANS )
        s->all[s->nr++] = (struct clock_span){ from, to };
}

static int collect_spans(const struct run *run, struct spans *s, struct err *e)
{
    const struct analyze_options options = {
        .threads = run->config->threads, .hz = run->config->hz,
        .info = &run->info, .levels = run->config->reports.levels,
    };
    struct device_accesses accesses = {
        .collect = collect_span, .collect_arg = s,
    };
    struct sink sink;
    int rc;

    device_accesses_init(&accesses);
    sink = device_accesses_sink(&accesses);
    rc = analyze_trace(run->trace, &options, &sink, 1, e);
    device_accesses_fini(&accesses);
    return rc ? rc : xt_trace_rewind(run->trace, e);
}

int clock_estimate(const struct run *run, struct err *e)
{
    struct spans s = { .nr = 0 };
    struct xt_clock clock;
    int rc;

    assert(run->programs);
    if ( xt_info_clock(&run->info, run->config->hz, &clock) ==
         XT_SPEED_ASSUMED )
        return err_set(e, -EINVAL, "%s has no readings of dom0's clock, and no "
                       "frequency: give the frequency with --cpu-hz to "
                       "estimate the place of events of programs", run->name);
    s.all = fault_calloc(CLOCK_OFFSET_SPANS, sizeof(*s.all));
    rc = s.all ? collect_spans(run, &s, e)
               : err_sys(e, -ENOMEM, "cannot compare the clocks");
    if ( !rc )
        rc = programs_estimate_clock(run->programs, s.all, s.nr, &clock,
                                     run->log, e);
    free(s.all);
    return rc;
}
