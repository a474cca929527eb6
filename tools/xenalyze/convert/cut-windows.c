/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index has the first time of each window, so most windows are copied
 * without a look at their records.
 */
#include "xenalyze/convert/cut-windows.h"

#include <assert.h>

#include "libxentrace/internal.h"

struct window_span
{
    uint64_t from, until;
};

/* The first record with a later time than `time`, or the end. */
static const unsigned char *find_record_behind(const unsigned char *at,
                                               const unsigned char *end,
                                               uint64_t time)
{
    struct xt_record r;
    size_t size;

    assert(at <= end);
    while ( (size = xt_record_decode(&r, at, end)) &&
            (!xt_record_is_timed(&r) || r.tsc <= time) )
        at += size;
    return at;
}

/* The window gets a new seal. */
static const unsigned char *skip_seal(const unsigned char *at,
                                      const unsigned char *end)
{
    uint32_t ignored;

    assert(at <= end);
    return xt_seal_number(at, end - at, &ignored) ? at + XT_SEAL_BYTES : at;
}

/* The time of the pcpu's next window; without one, the end of time. */
static uint64_t find_window_end(const struct xt_walk *walk)
{
    const struct xt_index *i = walk->context.index;
    uint64_t next = xt_index_get_entry(i, walk->cursor.entry)->next;

    assert(walk->cursor.entry != XT_NOWHERE);
    return next == XT_NOWHERE ? UINT64_MAX : xt_index_get_entry(i, next)->time;
}

/* Write the records in the span; false: the window is behind it. */
static bool cut_window(const struct xt_walk *walk, const struct window_span *s,
                       unsigned int cpu, struct window_buffer *w, int *rc)
{
    const struct xt_index *i = walk->context.index;
    uint64_t begin = xt_index_get_entry(i, walk->cursor.entry)->time;
    uint64_t end = find_window_end(walk);
    const unsigned char *at = skip_seal(walk->at, walk->end), *stop = walk->end;

    if ( begin > s->until )
        return false;
    if ( end < s->from )
        return true;
    if ( begin < s->from )
        at = find_record_behind(at, stop, s->from - 1);
    if ( end > s->until )
        stop = find_record_behind(at, stop, s->until);
    *rc = window_buffer_add_window(w, cpu, at, stop - at);
    return true;
}

static int cut_pcpu(struct xt_trace *trace, unsigned int cpu,
                    const struct window_span *s, struct window_buffer *w)
{
    struct xt_walk walk;
    bool has_window;
    int rc = 0;

    xt_trace_begin_walk(trace, cpu, &walk);
    has_window = walk.cursor.entry != XT_NOWHERE;
    while ( !rc && has_window && cut_window(&walk, s, cpu, w, &rc) )
    {
        walk.at = walk.end;
        has_window = xt_walk_next_window(&walk);
    }
    xt_trace_end_walk(trace, &walk);
    assert(rc <= 0);
    return rc;
}

int cut_windows(struct xt_trace *trace, uint64_t from, uint64_t until,
                struct window_buffer *w, struct err *e)
{
    const struct window_span s = { from, until };
    unsigned int nr;
    int rc = xt_trace_cpus(trace, &nr, e);

    assert(from <= until);
    rc = rc ? rc : window_buffer_flush(w);
    for ( unsigned int cpu = 0; !rc && cpu < nr; cpu++ )
        rc = cut_pcpu(trace, cpu, &s, w);
    return rc;
}
