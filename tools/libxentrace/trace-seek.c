/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that need a mapped file: its span, seeking to a time, and walks.
 *
 * The span and the offset of a time follow from an index of all windows.  For a
 * long file such an index is slow: a page fault for every other window, or a
 * read of the disk.  So samples of the file show where to look first
 * (sample-index.h), and only the windows from there on are indexed.  The result
 * is the same; where that cannot be proved, all windows are indexed.
 */
#include "libxentrace/trace-private.h"

#include <assert.h>
#include <errno.h>

#define NO_LIMIT UINT64_MAX

/* Range in bytes to search for a window: most windows are far smaller. */
#define SAMPLE_RANGE (1u << 20)

/*
 * Bytes that taking a sample mostly reads.  All of them are prefetched before
 * the first sample is taken, which keeps a disk busy with many requests.
 */
#define SAMPLE_BYTES (256u << 10)

/* Additional samples between the last regular sample and the end. */
#define FINE 16u

/*
 * Samples, counted from the end, at which the search for the last time begins.
 */
#define TAIL 3u

_Static_assert(XT_SAMPLES_MAX > FINE + TAIL, "coarse samples remain");

static int need_map(struct xt_trace *t, struct err *e)
{
    if ( t->source->map )
        return trace_set_mode_time(t, e);
    return err_set(e, -ESPIPE, "%s can only be read from its beginning: "
                   "it is no file, or is compressed", t->source->name);
}

/* --- soundings ------------------------------------------------------------ */

/*
 * Windows of one pass of the collector are not in the order of time: of samples
 * that are so close, those whose time does not rise are left out.
 */
static bool is_in_pass(const struct xt_sample_index *c,
                       const struct xt_sample *s)
{
    return c->nr && s->time <= c->samples[c->nr - 1].time;
}

/*
 * Take `nr` samples, `step` bytes apart, from `at` on.  False if times do not
 * rise.
 */
static bool take_samples(struct xt_trace *t, uint64_t at, uint64_t step,
                         unsigned int nr, bool is_fine)
{
    uint64_t far = step < SAMPLE_RANGE ? step : SAMPLE_RANGE;
    struct xt_sample s;

    assert(t->source->map);
    for ( unsigned int i = 0; i < nr; i++ )
        xt_source_prefetch(t->source, at + i * step, SAMPLE_BYTES);
    for ( ; nr; nr--, at += step )
    {
        xt_source_count_used(t->source, SAMPLE_BYTES);
        if ( !xt_sample_take(t->view.bytes, t->source->size, at, at + far, &s) )
            continue;
        s.time = xt_index_correct(&t->index, s.cpu, s.time);
        if ( is_fine && is_in_pass(&t->sample_index, &s) )
            continue;
        if ( !xt_sample_index_add(&t->sample_index, &s) )
            return false;
    }
    return true;
}

/*
 * Sample the whole file.  The end is read most often: its samples are closer.
 */
static void sample_file(struct xt_trace *t)
{
    const unsigned int coarse = XT_SAMPLES_MAX - FINE;
    uint64_t step = t->source->size / coarse;

    t->sampled = true;
    t->sample_index.nr = 0;
    xt_source_set_sparse(t->source, true);
    if ( take_samples(t, 0, step, coarse, false) )
        take_samples(t, coarse * step - step + step / FINE, step / FINE,
                     FINE - 1, true);
    xt_source_set_sparse(t->source, false);
}

/* True if samples can replace an index of the whole file. */
static bool has_samples(struct xt_trace *t)
{
    if ( t->segment || (t->complete && !t->index_partial) ||
         t->source->size < t->shortcut_min_size )
        return false;
    if ( !t->sampled )
        sample_file(t);
    return t->sample_index.nr > TAIL;
}

/* --- first and last ------------------------------------------------------- */

static void find_first(const struct xt_trace *t, const struct xt_index *i,
                       uint64_t *first)
{
    *first = NO_LIMIT;
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
    {
        const struct xt_index_entry *p = xt_index_first_timed(i, cpu);

        if ( p && p->time < *first )
            *first = p->time;
    }
    trace_include_losses(t, i, first);
}

static void find_last(const struct xt_trace *t, uint64_t *last)
{
    const struct xt_index *i = &t->index;

    *last = 0;
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
        *last = i->cpus[cpu].end > *last ? i->cpus[cpu].end : *last;
}

/*
 * Find the first time stamp, and t->first_pass, from the first passes.  Returns
 * 1 if there are too few passes to prove the result; 0; or -ENOMEM.
 */
static int find_first_fast(struct xt_trace *t, uint64_t *first)
{
    struct xt_damage ignored = { 0 };
    struct xt_pass_counter passes = { 0 };
    struct first_pass first_pass = { 0 };
    struct xt_windows windows;
    struct xt_index head;
    struct xt_window w;
    int rc = 0;

    xt_index_init(&head);
    head.corrections = t->index.corrections;
    head.nr_corrections = t->index.nr_corrections;
    xt_windows_init(&windows, t->view.bytes, t->view.hi, &ignored);
    windows.source = t->source;
    while ( !rc && passes.nr < XT_PASSES_NEEDED &&
            windows.next < t->view.hi / 4 &&
            xt_windows_next(&windows, &w) )
    {
        uint64_t time;

        xt_pass_counter_add(&passes, w.cpu, xt_window_time(&w, &time));
        trace_note_first_pass(&first_pass, w.cpu);
        rc = xt_index_add(&head, &w);
    }
    if ( !rc && passes.nr < XT_PASSES_NEEDED )
        rc = 1;
    if ( !rc )
        t->first_pass = first_pass;
    find_first(t, &head, first);
    xt_index_fini(&head);
    return rc;
}

/*
 * Find the span from both ends of the file. t->have_span stays false if the
 * ends do not prove it.
 */
static int find_span_fast(struct xt_trace *t, struct err *e)
{
    const struct xt_sample_index *c = &t->sample_index;
    bool proved = false;
    uint64_t first;
    int rc = find_first_fast(t, &first);

    assert(c->nr > TAIL);
    if ( rc )
        return rc < 0 ? trace_fail_memory(t, e) : 0;
    for ( size_t back = TAIL; !rc && !proved && back < c->nr; back *= 2 )
    {
        rc = trace_build_index(t, c->samples[c->nr - back].at, e);
        proved = !rc && xt_index_suffices(&t->index, NO_LIMIT);
        if ( t->have_next )
            return rc;
    }
    t->have_span = proved;
    t->first = first;
    find_last(t, &t->last);
    return 0;
}

static int find_span_any(struct xt_trace *t, struct err *e)
{
    int rc = need_map(t, e);

    if ( !rc && !t->have_span && has_samples(t) )
    {
        rc = find_span_fast(t, e);
        if ( !t->have_span )
            t->sample_index.nr = 0;
    }
    if ( rc || t->have_span )
        return rc;
    rc = trace_complete_index(t, e);
    if ( rc )
        return rc;
    t->have_span = true;
    find_first(t, &t->index, &t->first);
    find_last(t, &t->last);
    return 0;
}

/* The span does not depend on xt_trace_read_until(). */
static int need_span(struct xt_trace *t, struct err *e)
{
    bool wanted = t->until.wanted;
    int rc;

    t->until.wanted = false;
    rc = find_span_any(t, e);
    t->until.wanted = wanted;
    assert(rc || t->have_span);
    return rc;
}

int xt_trace_span(struct xt_trace *t, uint64_t *first, uint64_t *last,
                  struct err *e)
{
    int rc = need_span(t, e);

    *first = rc ? NO_LIMIT : t->first;
    if ( !rc && !t->segment && t->origin < t->first && t->first <= t->last )
        *first = t->origin;
    *last = rc ? 0 : t->last;
    return rc;
}

/* --- a moment ------------------------------------------------------------- */

/*
 * Index the file from the last sample that provably precedes all records from
 * `time` on, and set t->index_suffices.
 */
static int index_near_time(struct xt_trace *t, uint64_t time, struct err *e)
{
    size_t n = xt_sample_index_find(&t->sample_index, time), back = TAIL;
    int rc = 0;

    /* The index of the span may suffice. */
    t->index_suffices = t->index_partial && xt_index_suffices(&t->index, time);
    for ( ; !rc && !t->index_suffices && back < n; back *= 2 )
    {
        bool had_span = t->have_span;

        rc = trace_build_index(t, t->sample_index.samples[n - back].at, e);
        t->have_span = had_span;
        t->index_suffices = !rc && xt_index_suffices(&t->index, time);
    }
    return rc;
}

int xt_trace_seek(struct xt_trace *t, uint64_t time, struct err *e)
{
    int rc;

    t->skip_before = time;
    if ( !t->source->map )
        return trace_seek_frames(t, time, e);
    rc = need_span(t, e);
    if ( !rc && !t->index_suffices && has_samples(t) )
        rc = index_near_time(t, time, e);
    if ( !rc )
        rc = trace_complete_index(t, e);
    while ( !rc && t->last < time && t->have_next )
    {
        rc = trace_next_segment(t, e);
        if ( !rc )
            rc = need_span(t, e);
    }
    if ( !rc && xt_order_seek(&t->order, time) )
        rc = trace_fail_memory(t, e);
    return rc;
}

/* --- history before a time ------------------------------------------------ */

static uint64_t find_start_fast(const struct xt_sample_index *c, uint64_t time,
                                uint64_t bytes)
{
    size_t n = xt_sample_index_find(c, time), end = n;

    while ( n && c->samples[end - 1].at - c->samples[n - 1].at < bytes )
        n--;
    return n ? c->samples[n - 1].time : 0;
}

static uint64_t find_start_slow(const struct xt_index *i, uint64_t time,
                                uint64_t bytes)
{
    size_t n = i->nr;
    uint64_t end;

    while ( n && i->entries[n - 1].time >= time )
        n--;
    if ( !n || i->entries[n - 1].at < bytes )
        return 0;
    end = i->entries[n - 1].at;
    for ( ; n && end - i->entries[n - 1].at < bytes; n-- )
        if ( i->entries[n - 1].time < time )
            time = i->entries[n - 1].time;
    return n ? time : 0;
}

int xt_trace_find_start(struct xt_trace *t, uint64_t time, uint64_t bytes,
                        uint64_t *from, struct err *e)
{
    int rc = need_span(t, e);

    *from = 0;
    if ( !rc && has_samples(t) )
        *from = find_start_fast(&t->sample_index, time, bytes);
    else if ( !rc )
    {
        rc = trace_complete_index(t, e);
        *from = rc ? 0 : find_start_slow(&t->index, time, bytes);
    }
    return rc;
}

/* --- walks ---------------------------------------------------------------- */

int xt_trace_cpus(struct xt_trace *t, unsigned int *nr, struct err *e)
{
    int rc = need_map(t, e);

    if ( !rc )
        rc = trace_complete_index(t, e);
    *nr = rc ? 0 : t->index.nr_cpus;
    return rc;
}

int xt_trace_next_segment(struct xt_trace *t, struct err *e)
{
    int rc = need_map(t, e);

    if ( !rc )
        rc = trace_complete_index(t, e);
    if ( rc || !t->have_next )
        return rc;
    rc = trace_next_segment(t, e);
    return rc ? rc : 1;
}

void xt_trace_begin_walk(struct xt_trace *t, unsigned int cpu,
                         struct xt_walk *w)
{
    assert(t->source->map && t->mode == MODE_TIME && t->complete);
    xt_walk_init(w, &t->order.context, cpu);
}

void xt_trace_end_walk(struct xt_trace *t, struct xt_walk *w)
{
    assert(w->context.index == &t->index && w->context.damage == &w->damage);
    if ( !t->damage_is_known )
        xt_damage_merge(&t->damage, &w->damage);
    xt_walk_fini(w);
    trace_note_truncation(t);
}
