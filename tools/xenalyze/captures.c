/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file is read again, by its index: times of different captures cannot be
 * compared, so the span of all time stamps is not the length of the trace.
 */
#include "xenalyze/captures.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/grow.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"

/* The last time stamp of each pcpu in the captures so far. */
struct last_times
{
    uint64_t *times;            /* by pcpu; 0: none */
    unsigned int nr;
};

static const struct xt_index *get_index(struct xt_trace *trace)
{
    struct xt_walk w;
    const struct xt_index *index;

    xt_trace_begin_walk(trace, 0, &w);
    index = w.context.index;
    xt_trace_end_walk(trace, &w);
    return index;
}

/* 0 or -ENOMEM. */
static int add_capture(struct last_times *l, const struct xt_index *i,
                       struct xt_damage *damage)
{
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
    {
        const struct xt_index_entry *first = xt_index_first_timed(i, cpu);

        if ( !first )
            continue;
        if ( !grow_to_index(&l->times, &l->nr, cpu, sizeof(*l->times)) )
            return -ENOMEM;
        if ( first->time < l->times[cpu] )
            xt_damage_remove(damage, XT_DAMAGE_BACKWARD, first->at,
                             first->at + XT_WINDOW_HEADER + first->size);
        l->times[cpu] = i->cpus[cpu].end;
    }
    return 0;
}

static bool can_be_read_again(const char *path)
{
    struct stat s;

    return !stat(path, &s) && S_ISREG(s.st_mode);
}

struct captures captures_count(const char *path, struct xt_damage *damage)
{
    struct err ignored = ERR_INIT;
    struct captures c = { .nr = 0 };
    struct last_times last = { .nr = 0 };
    struct xt_trace *trace = NULL;
    uint64_t from, to;
    int rc = 1;

    if ( !can_be_read_again(path) || xt_trace_open(&trace, path, 0, &ignored) )
        return c;
    while ( rc > 0 && !xt_trace_span(trace, &from, &to, &ignored) )
    {
        c.nr++;
        c.cycles += from < to ? to - from : 0;
        rc = add_capture(&last, get_index(trace), damage);
        rc = rc ? rc : xt_trace_next_segment(trace, &ignored);
    }
    assert(!last.nr || last.times);
    if ( rc )
        c.nr = 0;
    free(last.times);
    xt_trace_close(trace);
    return c;
}
