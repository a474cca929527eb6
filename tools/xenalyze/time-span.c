/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check of --time, for reports and for lines alike.
 */
#include "xenalyze/time-span.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "common/num.h"
#include "xenalyze/text/text.h"

/*
 * Has the file another capture behind the first one?  That has its own times,
 * and --time does not select them.  The trace is not read any more.
 */
static const char *name_first_capture(const struct run *run)
{
    struct err ignored = ERR_INIT;

    return xt_trace_next_segment(run->trace, &ignored) > 0
           ? " (the first of its captures)" : "";
}

/* The error names the span in the units that the user can use. */
static int refuse_outside(const struct run *run, const struct span *span,
                          const struct xt_clock *clock, uint64_t first,
                          uint64_t last, struct err *e)
{
    char length[NUM_CLOCK_MAX], began[START_TIME_MAX];
    struct xt_clock from_first = *clock;

    if ( span->from.kind == MOMENT_CYCLES || span->to.kind == MOMENT_CYCLES )
        return err_set(e, -ENODATA, "--%s %s selects nothing of %s, whose "
                       "records are from %" PRIu64 "c to %" PRIu64 "c%s",
                       span->option, span->text, run->name, first, last,
                       name_first_capture(run));
    from_first.wall = xt_clock_wall(clock, first);
    *num_duration(length, xt_clock_duration(clock, last - first)) = '\0';
    return err_set(e, -ENODATA, "--%s %s selects nothing of %s, which lasts "
                   "%s%s%s%s", span->option, span->text, run->name, length,
                   start_time_text(&from_first, began) ? " from " : "", began,
                   name_first_capture(run));
}

int time_span_resolve(const struct run *run, const struct span *span,
                      uint64_t *from, uint64_t *until, struct err *e)
{
    uint64_t first, last;
    struct err none = ERR_INIT;
    struct xt_clock clock;
    bool known = !xt_trace_span(run->trace, &first, &last, &none);
    int rc;

    if ( !known )
    {
        first = run->info.start;
        last = 0;
    }
    xt_info_clock(&run->info, run->config->hz, &clock);
    rc = span_resolve(span, &clock, first, last, from, until, e);
    if ( !rc && known )
        rc = xt_trace_rewind(run->trace, e);
    if ( rc )
        return rc;
    if ( known && first <= last &&
         (*from > *until || *from > last || *until < first) )
        return refuse_outside(run, span, &clock, first, last, e);
    return *from > *until ? time_span_refuse(run, e) : 0;
}

int time_span_refuse(const struct run *run, struct err *e)
{
    assert(run->config->time);
    return err_set(e, -ENODATA, "--%s %s selects nothing of %s",
                   run->config->time_is_against ? "against" : "time",
                   run->config->time, run->name);
}
