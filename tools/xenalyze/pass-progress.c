/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress in time if the end of the trace is known, else in bytes.
 */
#include "xenalyze/pass-progress.h"

void pass_progress_update(void *arg, uint64_t time)
{
    struct pass_progress *w = arg;
    uint64_t done = xt_trace_position(w->trace);

    /* The times of another segment may be outside of first .. last. */
    time = time < w->first ? w->first : time > w->last ? w->last : time;
    if ( w->last > w->first )
        done = (double)(time - w->first) / (w->last - w->first) *
               w->bar.total;
    progress_update(&w->bar, done);
}

bool pass_progress_begin(struct pass_progress *w, const struct run *run,
                         bool by_time)
{
    uint64_t size = xt_trace_size(run->trace);
    struct err none = ERR_INIT;

    *w = (struct pass_progress){ .trace = run->trace };
    if ( !run->progress )
        return false;
    progress_init(&w->bar, run->progress, "reading", "B",
                  size == XT_SIZE_UNKNOWN ? 0 : size);
    /* Without a terminal, skip the search for the end: it takes time. */
    if ( !w->bar.out )
        return false;
    if ( by_time && xt_trace_span(run->trace, &w->first, &w->last, &none) )
        w->last = 0;
    return true;
}

void pass_progress_end(struct pass_progress *w)
{
    progress_fini(&w->bar);
}
