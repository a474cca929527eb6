/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records by time, segment after segment.
 *
 * A MAPPED FILE is indexed a whole segment at a time.  Then the next record of
 * every pcpu is known, and the order is exact.
 *
 * A STREAM is indexed window by window, and there is a limit to the times that
 * can be ordered.  The collector visits all rings, pass after pass:
 *
 *      pass p-1        pass p          pass p+1
 *     |0  1  2  3     |0  1  2  3     |0 ...          windows, by pcpu
 *
 * A record that is traced before pass p begins is read in pass p or before.
 * All records that are read in pass p-1 were traced before pass p begins.  So
 * when pass p+1 begins, no further record is before the last record of pass
 * p-1.
 *
 * A stream without such passes (another tool's file, in a pipe) is held up to
 * HOLD_MOST bytes, and then delivered in the best order that is possible.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>
#include <errno.h>

#include "libxentrace/time-step.h"

/* Two passes over 256 rings of 1 MiB, and half of that to spare. */
#define HOLD_MOST (UINT64_C(768) << 20)

#define NO_LIMIT UINT64_MAX

/* --- the index ------------------------------------------------------------ */

int trace_fail_memory(struct xt_trace *t, struct err *e)
{
    return err_sys(e, -ENOMEM, "cannot order %s", t->source->name);
}

static void end_pass(struct xt_trace *t)
{
    struct pass_state *p = &t->passes;

    if ( p->prev_time )
        t->order_limit = p->prev_time - 1;
    p->prev_time = 0;
    p->nr++;
}

/*
 * The known times of a pass are the first times of its windows.  Such a time
 * may be too early, but damage must not make it too late: so it counts only
 * when the pcpu's next window, in a later pass, begins no earlier.
 */
static void note_pass(struct xt_trace *t, uint64_t number)
{
    struct xt_index_entry *entry = xt_index_get_entry(&t->index, number);
    struct xt_cpu_windows *windows = &t->index.cpus[entry->cpu];
    struct pass_state *p = &t->passes;

    assert(entry->cpu < t->index.nr_cpus);
    if ( !p->nr || entry->cpu <= p->cpu )
        end_pass(t);
    p->cpu = entry->cpu;
    if ( !entry->timed || !xt_index_entry_verify(&t->order.context, entry) )
        return;
    if ( entry->time >= windows->last_begin &&
         windows->last_begin > p->prev_time )
        p->prev_time = windows->last_begin;
    windows->last_begin = entry->time;
}

void trace_note_first_pass(struct first_pass *f, unsigned int cpu)
{
    uint64_t bit = UINT64_C(1) << cpu % 64;

    assert(cpu < XT_MAX_CPUS);
    f->over |= f->has[cpu / 64] & bit;
    if ( !f->over )
        f->has[cpu / 64] |= bit;
}

bool xt_trace_starts_with(const struct xt_trace *t, unsigned int cpu)
{
    return cpu < XT_MAX_CPUS && t->first_pass.has[cpu / 64] >> cpu % 64 & 1;
}

/*
 * The first window of a pcpu behind skipped windows: the record that its
 * untimed records follow is before t->missing_before, and so are these.
 */
static void date_behind_skipped(struct xt_trace *t, uint64_t number)
{
    struct xt_index_entry *entry = xt_index_get_entry(&t->index, number);

    if ( !t->segment && entry->inherits_time &&
         t->index.cpus[entry->cpu].first == number &&
         entry->time >= t->missing_before )
        entry->time = t->missing_before - 1;
}

/*
 * Add a window to the index.  Returns 1 if the window begins the next segment.
 */
static int index_window(struct xt_trace *t, const struct xt_window *w,
                        struct err *e)
{
    uint64_t number = t->index.dropped + t->index.nr;
    int rc;

    assert(!t->complete);
    rc = xt_index_add(&t->index, w);
    if ( rc < 0 )
        return trace_fail_memory(t, e);
    if ( !t->index_partial )
        trace_note_first_pass(&t->first_pass, w->cpu);
    if ( rc > 0 )
    {
        t->have_next = t->complete = true;
        t->next = *w;
        t->next.first = NULL;
        return 1;
    }
    if ( t->source->map || number == t->index.dropped + t->index.nr )
        return 0;
    if ( t->missing_before )
        date_behind_skipped(t, number);
    if ( w->displaced )
        xt_damage_add(&t->damage, XT_DAMAGE_BACKWARD, w->at, 0);
    note_pass(t, number);
    return xt_order_add_window(&t->order, number) ? trace_fail_memory(t, e) : 0;
}

/* Offset of the first window with unread records, or XT_NOWHERE. */
static uint64_t find_first_unread(struct xt_trace *t)
{
    const struct xt_index *i = &t->index;
    uint64_t end = i->dropped + i->nr;

    if ( t->first_undone < i->dropped )
        t->first_undone = i->dropped;
    while ( t->first_undone < end &&
            xt_index_get_entry(i, t->first_undone)->done )
        t->first_undone++;
    assert(t->first_undone <= end);
    if ( t->first_undone == end )
        return XT_NOWHERE;
    return xt_index_get_entry(i, t->first_undone)->at;
}

/* Bytes that are indexed and not yet read. */
static uint64_t count_held_bytes(struct xt_trace *t)
{
    uint64_t end = xt_trace_position(t), keep = find_first_unread(t);

    return keep < end ? end - keep : 0;
}

/* Index one more window.  Returns 1 at the end of the segment, 0, or -errno. */
static int index_next_window(struct xt_trace *t, struct err *e)
{
    struct xt_window w;
    int rc = trace_read_window(t, find_first_unread(t), &w, e);

    if ( !rc )
    {
        t->complete = true;
        if ( xt_index_note_gaps(&t->index, t->windows.gaps) )
            return trace_fail_memory(t, e);
    }
    if ( rc <= 0 )
        return rc ? rc : 1;
    if ( !w.first )
        xt_source_count_header(t->source, w.size);
    return index_window(t, &w, e);
}

/* The index has all windows of the segment. */
static int complete_segment(struct xt_trace *t, struct err *e)
{
    if ( xt_index_set_horizon(&t->index, &t->view) ||
         trace_add_known_damage(t) )
        return trace_fail_memory(t, e);
    if ( !t->source->map )
        xt_order_check_next(&t->order);
    return 0;
}

/* Index more windows until the limit rises. */
static int index_more_windows(struct xt_trace *t, struct err *e)
{
    uint64_t limit = t->order_limit;
    int rc = 0;

    if ( !t->source->map )
        xt_index_drop_done(&t->index);
    while ( !rc && t->order_limit == limit &&
            (t->source->map || count_held_bytes(t) < HOLD_MOST) )
    {
        rc = index_next_window(t, e);
        if ( !rc && trace_until_reached(t) )
        {
            t->complete = t->index_partial = t->index_suffices = true;
            t->order_limit = t->until.time;
            return 0;
        }
    }
    if ( t->complete || (!rc && t->order_limit == limit) )
        t->order_limit = NO_LIMIT;
    return rc < 0 ? rc : t->complete ? complete_segment(t, e) : 0;
}

/* --- segments ------------------------------------------------------------- */

int trace_begin_segment(struct xt_trace *t, struct err *e)
{
    int rc = 0;

    xt_index_reset(&t->index);
    t->order.nr = 0;
    t->order.now = 0;
    t->passes = (struct pass_state){ .nr = 0 };
    t->order_limit = t->first_undone = 0;
    t->complete = t->index_partial = t->have_span = false;
    trace_until_reset(t);
    if ( t->have_next )
    {
        t->segment++;
        t->have_next = false;
        rc = index_window(t, &t->next, e);
        assert(rc <= 0);
    }
    return rc;
}

/* --- rewind --------------------------------------------------------------- */

void trace_keep_index(struct xt_trace *t)
{
    struct kept_index *k = &t->kept;

    if ( k->valid && t->mode == MODE_NONE )
        return;
    k->valid = t->source->map && t->mode == MODE_TIME && t->complete &&
               !t->index_partial && !t->segment &&
               !xt_damage_times(&t->damage) &&
               xt_source_truncated_at(t->source) == XT_NOWHERE &&
               xt_index_reuse(&t->index);
    k->windows = t->windows;
    k->have_next = t->have_next;
    k->next = t->next;
    k->first_pass = t->first_pass;
}

static int restore_index(struct xt_trace *t, struct err *e)
{
    const struct kept_index *k = &t->kept;

    assert(k->valid);
    t->windows = k->windows;
    t->have_next = k->have_next;
    t->next = k->next;
    t->first_pass = k->first_pass;
    t->order_limit = NO_LIMIT;
    t->complete = true;
    if ( (k->have_next &&
          xt_sequence_add(&t->sequence, &t->windows, &k->next) < 0) ||
         xt_order_restart(&t->order) )
        return trace_fail_memory(t, e);
    return 0;
}

/* --- indexing ------------------------------------------------------------- */

int trace_build_index(struct xt_trace *t, uint64_t from, struct err *e)
{
    int rc = 0;

    assert(t->source->map);
    if ( from || t->index_partial )
    {
        t->damage = (struct xt_damage){ 0 };
        trace_init_windows(t, from);
        t->have_next = false;
        rc = trace_begin_segment(t, e);
        t->index_partial = from;
        t->index_suffices = false;
        if ( !from )
            t->first_pass = (struct first_pass){ 0 };
    }
    if ( !rc && !t->complete )
        rc = index_more_windows(t, e);
    return rc ? rc : xt_order_restart(&t->order) ? trace_fail_memory(t, e) : 0;
}

int trace_complete_index(struct xt_trace *t, struct err *e)
{
    if ( !t->source->map || (t->complete &&
                             (!t->index_partial || t->index_suffices)) )
        return 0;
    return trace_build_index(t, 0, e);
}

int trace_set_mode_time(struct xt_trace *t, struct err *e)
{
    const struct xt_read_context context = t->order.context;
    bool begun = t->mode == MODE_TIME;
    int rc = trace_set_mode(t, MODE_TIME, e);

    if ( rc || begun )
        return rc;
    if ( !t->order.slice.items && xt_order_init(&t->order, &context) )
    {
        xt_order_fini(&t->order);
        t->order.context = context;     /* for another attempt */
        rc = trace_fail_memory(t, e);
    }
    if ( !rc )
        rc = t->kept.valid ? restore_index(t, e) : trace_begin_segment(t, e);
    t->kept.valid = false;
    if ( rc )
        t->mode = MODE_NONE;
    return rc;
}

int trace_next_segment(struct xt_trace *t, struct err *e)
{
    int rc = trace_begin_segment(t, e);

    return rc ? rc : trace_complete_index(t, e);
}

/* --- the begin of time ---------------------------------------------------- */

void trace_include_losses(const struct xt_trace *t, const struct xt_index *i,
                          uint64_t *first)
{
    for ( unsigned int cpu = 0; !t->segment && cpu < i->nr_cpus; cpu++ )
    {
        const struct xt_index_entry *p = xt_index_first_timed(i, cpu);
        uint64_t time;

        if ( !p || !xt_trace_starts_with(t, cpu) )
            continue;
        time = xt_index_entry_begin_time(i, p, xt_view_at(&t->view, p->at +
                                                          XT_WINDOW_HEADER));
        *first = time < *first ? time : *first;
    }
}

uint64_t xt_trace_origin(const struct xt_trace *t, const struct xt_batch *b)
{
    uint64_t first = b->items[0].time;

    assert(b->nr && t->mode == MODE_TIME);
    if ( b->segment == t->segment )
        trace_include_losses(t, &t->index, &first);
    return !b->segment && t->origin < first ? t->origin : first;
}

void xt_trace_set_origin(struct xt_trace *t, uint64_t time)
{
    assert(t->source);
    t->origin = time;
}

/* --- batches -------------------------------------------------------------- */

/* Drop the items before t->skip_before.  False if none is left. */
static bool drop_items_before(struct xt_trace *t, struct xt_batch *b)
{
    size_t n = 0;

    while ( n < b->nr && b->items[n].time < t->skip_before )
        n++;
    b->items += n;
    b->nr -= n;
    if ( b->nr )
        t->skip_before = 0;
    return b->nr;
}

static bool next_ordered_batch(struct xt_trace *t, struct xt_batch *b)
{
    while ( xt_order_next(&t->order, t->order_limit, b) )
    {
        xt_source_count_used(t->source, b->nr * sizeof(*b->items));
        b->segment = t->segment;
        if ( !t->skip_before || drop_items_before(t, b) )
            return true;
    }
    return false;
}

int xt_trace_next_batch(struct xt_trace *t, struct xt_batch *b, struct err *e)
{
    int rc = trace_set_mode_time(t, e);

    if ( !rc )
        rc = trace_complete_index(t, e);
    while ( !rc )
    {
        if ( t->order_limit && next_ordered_batch(t, b) )
            return 1;
        if ( !t->complete )
            rc = index_more_windows(t, e);
        else if ( t->have_next )
            rc = trace_next_segment(t, e);
        else
            break;
    }
    trace_note_truncation(t);
    return rc;
}
