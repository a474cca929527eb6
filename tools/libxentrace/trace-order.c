/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records by time, segment after segment.
 *
 * OF A MAPPED FILE all windows of a segment are indexed first.  Then every
 * pcpu's next record is known at any time, and order is exact.
 *
 * OF A STREAM windows are indexed as they come, and there is a limit to what
 * can be ordered.  The collector goes through all rings, pass after pass:
 *
 *      pass p-1        pass p          pass p+1
 *     |0  1  2  3     |0  1  2  3     |0 ...          windows, by pcpu
 *
 * Whatever is traced before pass p begins is read in pass p or before.  All
 * that was read in pass p-1 is from before pass p begins.  So when pass p+1
 * begins, nothing more will come that is before the last record of pass p-1.
 *
 * What does not come in passes (a file of somebody else's making, in a pipe)
 * is held until HOLD_MOST, and then given out as well as it goes.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>
#include <errno.h>

/* Two passes over 256 rings of 1 MiB, and half of that to spare. */
#define HOLD_MOST (UINT64_C(768) << 20)

/* What the kernel maps around a touched page. */
#define TOUCHED (64u << 10)

#define NO_LIMIT UINT64_MAX

/* --- the index ------------------------------------------------------------ */

static int no_memory(struct xt_trace *t, struct err *e)
{
    return err_sys(e, -ENOMEM, "cannot order %s", t->source->name);
}

/* The end of a pass: what was known of the one before is now the limit. */
static void end_pass(struct xt_trace *t)
{
    struct passes *p = &t->passes;
    const struct xt_place *last;
    uint64_t time;

    if ( p->nr && p->last >= t->index.dropped )
    {
        last = xt_index_place(&t->index, p->last);
        if ( !last->done )
        {
            time = xt_place_last_time(last, xt_view_at(&t->view, last->at +
                                                       XT_WINDOW_HEADER));
            p->now = time > p->now ? time : p->now;
        }
    }
    if ( p->nr > 1 && p->before )
        t->limit = p->before - 1;
    p->before = p->now;
    p->now = 0;
    p->nr++;
}

static void note_pass(struct xt_trace *t, uint64_t number)
{
    const struct xt_place *place = xt_index_place(&t->index, number);
    struct passes *p = &t->passes;

    if ( !p->nr || place->cpu <= p->cpu )
        end_pass(t);
    p->cpu = place->cpu;
    p->last = number;
    if ( place->time > p->now )
        p->now = place->time;
}

/* Add a window.  1: it begins the next segment. */
static int add(struct xt_trace *t, const struct xt_window *w, struct err *e)
{
    uint64_t number = t->index.dropped + t->index.nr;
    int rc = xt_index_add(&t->index, w);

    if ( rc < 0 )
        return no_memory(t, e);
    if ( rc > 0 )
    {
        t->have_next = t->complete = true;
        t->next = *w;
        return 1;
    }
    if ( t->source->map )
        return 0;
    note_pass(t, number);
    return xt_order_add(&t->order, number) ? no_memory(t, e) : 0;
}

/* Where the first record that is still wanted begins, at most. */
static uint64_t keep_from(struct xt_trace *t)
{
    const struct xt_index *i = &t->index;
    uint64_t end = i->dropped + i->nr;

    if ( t->undone < i->dropped )
        t->undone = i->dropped;
    while ( t->undone < end && xt_index_place(i, t->undone)->done )
        t->undone++;
    return t->undone < end ? xt_index_place(i, t->undone)->at : XT_NOWHERE;
}

/* Bytes that were indexed and not yet read. */
static uint64_t held(struct xt_trace *t)
{
    uint64_t end = xt_trace_position(t), keep = keep_from(t);

    return keep < end ? end - keep : 0;
}

/* One window more.  1 at the end of the segment; 0; or -errno. */
static int take_one(struct xt_trace *t, struct err *e)
{
    struct xt_window w;
    int rc = trace_take(t, keep_from(t), &w, e);

    if ( !rc )
        t->complete = true;
    if ( rc <= 0 )
        return rc ? rc : 1;
    xt_source_used(t->source, w.size < TOUCHED ? w.size : TOUCHED);
    return add(t, &w, e);
}

/* More windows, until more can be ordered. */
static int take_more(struct xt_trace *t, struct err *e)
{
    uint64_t limit = t->limit;
    int rc = 0;

    if ( !t->source->map )
        xt_index_drop(&t->index);
    while ( !rc && t->limit == limit &&
            (t->source->map || held(t) < HOLD_MOST) )
        rc = take_one(t, e);
    if ( t->complete || (!rc && t->limit == limit) )
        t->limit = NO_LIMIT;
    return rc < 0 ? rc : 0;
}

/* --- segments ------------------------------------------------------------- */

/* Begin the segment that t->next is the first window of, or the first one. */
static int begin_segment(struct xt_trace *t, struct err *e)
{
    int rc = 0;

    xt_index_reset(&t->index);
    t->order.nr = 0;
    t->order.now = 0;
    t->passes = (struct passes){ .nr = 0 };
    t->limit = t->undone = 0;
    t->complete = false;
    if ( t->have_next )
    {
        t->segment++;
        t->have_next = false;
        rc = add(t, &t->next, e);
        assert(rc <= 0);
    }
    if ( rc || !t->source->map )
        return rc;
    rc = take_more(t, e);
    return rc ? rc : xt_order_restart(&t->order) ? no_memory(t, e) : 0;
}

static int enter(struct xt_trace *t, struct err *e)
{
    bool begun = t->mode == BY_TIME;
    int rc = trace_enter(t, BY_TIME, e);

    if ( rc || begun )
        return rc;
    if ( !t->order.slice.items &&
         xt_order_init(&t->order, &t->order.reading) )
    {
        xt_order_fini(&t->order);
        rc = no_memory(t, e);
    }
    if ( !rc )
        rc = begin_segment(t, e);
    if ( rc )
        t->mode = NOT_YET;
    return rc;
}

/* --- batches -------------------------------------------------------------- */

/* Leave out what is before t->from.  False: that is all of it. */
static bool cut_front(struct xt_trace *t, struct xt_batch *b)
{
    size_t n = 0;

    while ( n < b->nr && b->items[n].time < t->from )
        n++;
    b->items += n;
    b->nr -= n;
    if ( b->nr )
        t->from = 0;
    return b->nr;
}

static bool ordered(struct xt_trace *t, struct xt_batch *b)
{
    while ( xt_order_next(&t->order, t->limit, b) )
    {
        xt_source_used(t->source, b->nr * sizeof(*b->items));
        b->segment = t->segment;
        if ( !t->from || cut_front(t, b) )
            return true;
    }
    return false;
}

int xt_trace_next_batch(struct xt_trace *t, struct xt_batch *b, struct err *e)
{
    int rc = enter(t, e);

    while ( !rc )
    {
        if ( t->limit && ordered(t, b) )
            return 1;
        if ( !t->complete )
            rc = take_more(t, e);
        else if ( t->have_next )
            rc = begin_segment(t, e);
        else
            break;
    }
    trace_end(t);
    return rc;
}

/* --- what only a mapped file can ------------------------------------------ */

static int need_map(struct xt_trace *t, struct err *e)
{
    if ( t->source->map )
        return enter(t, e);
    return err_set(e, -ESPIPE, "%s can only be read from its beginning: "
                   "it is no file, or is compressed", t->source->name);
}

int xt_trace_span(struct xt_trace *t, uint64_t *first, uint64_t *last,
                  struct err *e)
{
    int rc = need_map(t, e);

    *first = NO_LIMIT;
    *last = 0;
    for ( unsigned int cpu = 0; !rc && cpu < t->index.nr_cpus; cpu++ )
    {
        const struct xt_line *l = &t->index.lines[cpu];
        const struct xt_place *p;
        uint64_t time;

        if ( l->first == XT_NOWHERE )
            continue;
        p = xt_index_place(&t->index, l->first);
        *first = p->time < *first ? p->time : *first;
        p = xt_index_place(&t->index, l->last);
        time = xt_place_last_time(p, xt_view_at(&t->view, p->at +
                                                XT_WINDOW_HEADER));
        *last = time > *last ? time : *last;
    }
    return rc;
}

int xt_trace_seek(struct xt_trace *t, uint64_t time, struct err *e)
{
    uint64_t first, last;
    int rc = 0;

    t->from = time;
    if ( !t->source->map )
        return 0;
    while ( !(rc = xt_trace_span(t, &first, &last, e)) &&
            last < time && t->have_next )
        rc = begin_segment(t, e);
    if ( !rc && xt_order_seek(&t->order, time) )
        rc = no_memory(t, e);
    return rc;
}

int xt_trace_cpus(struct xt_trace *t, unsigned int *nr, struct err *e)
{
    int rc = need_map(t, e);

    *nr = rc ? 0 : t->index.nr_cpus;
    return rc;
}

int xt_trace_next_segment(struct xt_trace *t, struct err *e)
{
    int rc = need_map(t, e);

    if ( rc || !t->have_next )
        return rc;
    rc = begin_segment(t, e);
    return rc ? rc : 1;
}

void xt_trace_walk(struct xt_trace *t, unsigned int cpu, struct xt_walk *w)
{
    assert(t->source->map && t->mode == BY_TIME);
    xt_walk_init(w, &t->order.reading, cpu);
}

void xt_trace_walked(struct xt_trace *t, const struct xt_walk *w)
{
    xt_damage_merge(&t->damage, &w->damage);
    trace_end(t);
}
