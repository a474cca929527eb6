/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whoever wants what was up to a moment needs no index of what was long after
 * it.  When does an index hold all that is of the moment or before?
 *
 *      - - pass 1 - -|- - - pass 2 - - -|- - - pass 3 - - -|
 *              w
 *
 * If window w begins after the moment, its pcpu was visited after it.  So all
 * that is of the moment or before was traced before that visit, and is read by
 * the end of the next pass (sounding.h).  Some more passes are waited for in
 * which no window begins by then, lest a clock that is behind be overlooked;
 * and some more soundings, which say that time rises all through the file.
 */
#include "libxentrace/trace-private.h"

/* Soundings behind the moment that the index has to go beyond. */
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

/* Windows of one pcpu in a row may be of one visit. */
static void count_until_pass(struct xt_trace *t, unsigned int cpu)
{
    struct xt_pass_counter *p = &t->until.passes;

    if ( cpu != p->cpu || t->index.nr_cpus == 1 || !p->nr )
        xt_pass_counter_add(p, cpu);
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
    count_until_pass(t, p->cpu);
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
