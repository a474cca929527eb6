/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reader that stops at some time needs no index of windows long after that
 * time.  When does an index contain all records up to that time?
 *
 *      - - pass 1 - -|- - - pass 2 - - -|- - - pass 3 - - -|
 *              w
 *
 * If window w begins after the time, its pcpu was visited after the time.  So
 * all records up to the time were traced before that visit, and are read by the
 * end of the next pass (sample-index.h).  The index continues for some more
 * passes in which no window begins by the time, in case the clock of a pcpu is
 * behind; and for some more samples, which show that times rise through the
 * file.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>

/* Samples after the time that the index has to pass. */
#define BEYOND 3u

void xt_trace_read_until(struct xt_trace *t, uint64_t time)
{
    t->until = (struct until){ .wanted = true, .time = time };
}

void trace_until_reset(struct xt_trace *t)
{
    struct until *u = &t->until;

    *u = (struct until){ .wanted = u->wanted, .time = u->time };
}

/* Consecutive windows of one pcpu may belong to one visit. */
static void count_until_pass(struct xt_trace *t,
                             const struct xt_index_entry *entry)
{
    struct xt_pass_counter *p = &t->until.passes;

    if ( entry->cpu != p->cpu || t->index.nr_cpus == 1 || !p->nr )
        xt_pass_counter_add(p, entry->cpu, entry->timed);
}

bool trace_until_reached(struct xt_trace *t)
{
    const struct xt_index *i = &t->index;
    struct until *u = &t->until;
    const struct xt_index_entry *p;
    const struct xt_sample_index *s = &t->sample_index;
    size_t beyond;

    if ( !u->wanted || t->segment || !s->nr || !i->nr )
        return false;
    p = &i->entries[i->nr - 1];
    count_until_pass(t, p);
    assert(u->last_early_pass <= u->passes.nr);
    if ( p->timed && p->time <= u->time )
    {
        u->last_early_pass = u->passes.nr;
        u->has_late_window = false;
    }
    else if ( p->timed )
        u->has_late_window = true;
    if ( !u->has_late_window ||
         u->passes.nr - u->last_early_pass <= XT_PASSES_NEEDED )
        return false;
    beyond = xt_sample_index_find(s, u->time) + BEYOND;
    return beyond < s->nr && p->at > s->samples[beyond].at;
}
