/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sample is credible if a row of windows lead exactly to each other.  The
 * payloads of records can contain bytes that look like windows, too; but a
 * reader that begins there is back among real windows at the end of the
 * enclosing window, long before the time that it seeks.
 */
#include "libxentrace/sample-index.h"

#include <assert.h>

#include "libxentrace/resync.h"

#define ROW 4u

bool xt_sample_take(const unsigned char *bytes, size_t size, size_t from,
                    size_t limit, struct xt_sample *s)
{
    struct xt_damage damage = { 0 };
    struct xt_windows windows;
    struct xt_window w;
    bool timed = false;

    assert(from <= limit && limit <= size);
    xt_windows_init(&windows, bytes, size, &damage);
    xt_resync_find_first(&windows, from, limit);
    if ( windows.next == limit )
        return false;
    s->at = windows.next;
    for ( unsigned int i = 0; i < ROW; i++ )
    {
        if ( !xt_windows_next(&windows, &w) || xt_damage_times(&damage) )
            return false;
        if ( timed )
            continue;
        timed = xt_window_time(&w, &s->time);
        s->cpu = w.cpu;
    }
    return timed;
}

bool xt_sample_index_add(struct xt_sample_index *c, const struct xt_sample *s)
{
    const struct xt_sample *last = c->nr ? &c->samples[c->nr - 1] : NULL;

    assert(!last || s->at >= last->at);
    if ( last && s->at == last->at )
        return true;
    if ( c->nr == XT_SAMPLES_MAX || (last && s->time <= last->time) )
    {
        c->nr = 0;
        return false;
    }
    c->samples[c->nr++] = *s;
    return true;
}

size_t xt_sample_index_find(const struct xt_sample_index *c, uint64_t time)
{
    size_t n = 0;

    while ( n < c->nr && c->samples[n].time < time )
        n++;
    return n;
}

/*
 * The clocks of pcpus may differ, so the time of one pcpu proves nothing about
 * another: each pcpu with windows here needs one that begins before `time`.
 */
static bool all_cpus_begin_before(const struct xt_index *i, uint64_t time)
{
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
    {
        const struct xt_index_entry *p = xt_index_first_timed(i, cpu);

        if ( p && p->time >= time )
            return false;
    }
    return true;
}

bool xt_index_suffices(const struct xt_index *i, uint64_t time)
{
    struct xt_pass_counter passes = { 0 };

    for ( size_t n = 0; n < i->nr; n++ )
    {
        const struct xt_index_entry *p = &i->entries[n];

        if ( xt_pass_counter_add(&passes, p->cpu, p->timed) >=
             XT_PASSES_NEEDED && p->timed && p->time < time )
            return all_cpus_begin_before(i, time);
    }
    return false;
}
