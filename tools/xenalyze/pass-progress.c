/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By time, where its end is known; else by bytes.
 */
#include "xenalyze/pass-progress.h"

void waiting_tell(void *arg, uint64_t time)
{
    struct waiting *w = arg;
    uint64_t done = xt_trace_position(w->trace);

    /* Another segment has times of its own. */
    time = time < w->first ? w->first : time > w->last ? w->last : time;
    if ( w->last > w->first )
        done = (double)(time - w->first) / (w->last - w->first) *
               w->bar.total;
    progress_update(&w->bar, done);
}

bool waiting_begin(struct waiting *w, const struct run *run, bool by_time)
{
    uint64_t size = xt_trace_size(run->trace);
    struct err none = ERR_INIT;

    *w = (struct waiting){ .trace = run->trace };
    if ( !run->progress )
        return false;
    progress_init(&w->bar, run->progress, "reading", "B",
                  size == XT_SIZE_UNKNOWN ? 0 : size);
    /* Looking for the end takes time, too. */
    if ( !w->bar.out )
        return false;
    if ( by_time && xt_trace_span(run->trace, &w->first, &w->last, &none) )
        w->last = 0;
    return true;
}

void waiting_end(struct waiting *w)
{
    progress_fini(&w->bar);
}
