/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batches pass through four steps:
 *
 *     read_batch          from the trace, or from the caller's source
 *     skip_before_span    records before the span leave; some are a warm-up
 *     cut_after_span      records behind the span leave
 *     filter_batch        records that do not match leave
 *
 * Filters by domain or vcpu need the current vcpu of each pcpu, and so the
 * records before the span, like an output with a warm-up.  Where the span is
 * far into a mapped file, nothing before the warm-up is read.
 */
#include "xenalyze/lines/record-filter.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

/*
 * Length of the warm-up in bytes of the file.  In 16 MiB each pcpu in use has
 * changed its vcpu; 128 MiB take a tenth of a second to read.
 */
#define WARMUP_FIRST (16u << 20)
#define WARMUP_FACTOR 8u
#define WARMUP_MAX (128u << 20)

int record_filter_init(struct record_filter *s)
{
    assert(s->trace && (!s->filter || s->catalogue));
    s->begun = s->bounded = s->over = s->has_records = false;
    s->items = NULL;
    s->room = 0;
    s->start = 0;
    s->pending.nr = 0;
    if ( s->filter && filter_is_empty(s->filter) )
        s->filter = NULL;
    return who_runs_init(&s->runs);
}

void record_filter_fini(struct record_filter *s)
{
    who_runs_fini(&s->runs);
    free(s->items);
}

/* --- time ----------------------------------------------------------------- */

static int resolve_span(struct record_filter *s, uint64_t first, uint64_t last,
                        struct err *e)
{
    int rc = span_resolve(&s->span, &s->clock, first, last, &s->from, &s->to,
                          e);

    assert(!s->bounded);
    s->bounded = s->span.from.kind || s->span.to.kind;
    s->start = first;
    return rc;
}

/* --- the user's filter ---------------------------------------------------- */

static int grow_items(struct record_filter *s, size_t nr)
{
    struct xt_item *items;

    if ( nr <= s->room )
        return 0;
    items = fault_realloc(s->items, nr * sizeof(*items));
    if ( !items )
        return -ENOMEM;
    s->items = items;
    s->room = nr;
    return 0;
}

/* Whether a record matches: 1, 0, or -ENOMEM. */
static int match_record(struct record_filter *s, const struct xt_batch *b,
                        const struct xt_item *item)
{
    unsigned int cpu = xt_item_cpu(item);
    uint32_t vcpu = FILTER_NO_VCPU;
    struct xt_record r;
    bool matches;

    xt_batch_record(b, item, &r);
    if ( filter_needs_vcpu(s->filter) )
    {
        if ( who_runs_show_pcpu(&s->runs, cpu) )
            return -ENOMEM;
        vcpu = s->runs.pcpus[cpu].column.vcpu;
    }
    matches = filter_wants(s->filter, s->catalogue, cpu, vcpu, &r);
    if ( filter_needs_vcpu(s->filter) &&
         who_runs_apply_slow(&s->runs, NULL, false, cpu, item->time, &r) )
        return -ENOMEM;
    return matches;
}

/* The records of the batch that match, in s->items. */
static int filter_batch(struct record_filter *s, struct xt_batch *b)
{
    size_t nr = 0;
    int rc;

    if ( grow_items(s, b->nr) )
        return -ENOMEM;
    for ( size_t i = 0; i < b->nr; i++ )
    {
        rc = match_record(s, b, &b->items[i]);
        if ( rc < 0 )
            return rc;
        if ( rc )
            s->items[nr++] = b->items[i];
    }
    assert(nr <= s->room);
    b->items = s->items;
    b->nr = nr;
    return 0;
}

/* --- records before the span ---------------------------------------------- */

static int read_batch(struct record_filter *s, struct xt_batch *b,
                      struct err *e)
{
    return s->next ? s->next(s->next_arg, b, e)
                   : xt_trace_next_batch(s->trace, b, e);
}

/* The begin of the segment, of which b is the first batch. */
static uint64_t find_begin(const struct record_filter *s,
                           const struct xt_batch *b)
{
    return s->next ? b->items->time : xt_trace_origin(s->trace, b);
}

/* At the first batch, and at each new segment, time starts anew. */
static int check_segment(struct record_filter *s, const struct xt_batch *b,
                         struct err *e)
{
    bool first = !s->bounded && !s->start;

    assert(b->nr);
    if ( !first && b->segment == s->segment )
        return 0;
    s->segment = b->segment;
    who_runs_reset(&s->runs);
    if ( first )
        return resolve_span(s, find_begin(s, b), 0, e);
    s->start = find_begin(s, b);
    return 0;
}

static bool needs_warmup(const struct record_filter *s)
{
    return s->warmup || (s->filter && filter_needs_vcpu(s->filter));
}

/* Remove the records before the span; feed them to the warm-up.  0, -ENOMEM. */
static int skip_before_span(struct record_filter *s, struct xt_batch *b)
{
    struct xt_batch early = *b;
    int rc = 0;

    for ( early.nr = 0; b->nr && b->items->time < s->from; early.nr++ )
    {
        b->items++;
        b->nr--;
    }
    if ( !early.nr || !needs_warmup(s) )
        return 0;
    if ( s->filter )
        rc = filter_batch(s, &early);
    return rc || !s->warmup ? rc : s->warmup->feed(s->warmup_arg, &early);
}

/* As xt_trace_next_batch(), from the beginning of the span on. */
static int read_from_span(struct record_filter *s, struct xt_batch *b,
                          struct err *e)
{
    int rc;

    do
    {
        rc = read_batch(s, b, e);
        if ( rc <= 0 )
            return rc;
        s->has_records = true;
        rc = check_segment(s, b, e);
        if ( !rc && s->bounded && skip_before_span(s, b) )
            rc = err_sys(e, -ENOMEM, "cannot filter the records");
    } while ( !rc && !b->nr );
    return rc ? rc : 1;
}

/* --- the warm-up ---------------------------------------------------------- */

static bool warmup_is_ready(const struct record_filter *s)
{
    if ( s->filter && filter_needs_vcpu(s->filter) &&
         !who_runs_is_complete(&s->runs) )
        return false;
    return !s->warmup || !s->warmup->is_ready ||
           s->warmup->is_ready(s->warmup_arg);
}

static void warmup_reset(struct record_filter *s, uint64_t first)
{
    who_runs_reset(&s->runs);
    if ( s->warmup && s->warmup->reset )
        s->warmup->reset(s->warmup_arg);
    s->segment = 0;
    s->start = first;
    s->pending.nr = 0;
}

/* Read up to the span, each time from further back until all is known. */
static int warmup_read(struct record_filter *s, uint64_t first, struct err *e)
{
    uint64_t from = 0;
    int rc = 0;

    assert(!s->next && s->bounded && !s->pending.nr);
    for ( size_t bytes = WARMUP_FIRST; !rc; bytes *= WARMUP_FACTOR )
    {
        rc = xt_trace_find_start(s->trace, s->from, bytes, &from, e);
        xt_trace_read_until(s->trace, s->to);
        if ( !rc )
            rc = xt_trace_seek(s->trace, from, e);
        if ( !rc )
            rc = read_from_span(s, &s->pending, e);
        if ( rc < 0 || !from || bytes >= WARMUP_MAX || warmup_is_ready(s) )
            break;
        warmup_reset(s, first);
        rc = xt_trace_rewind(s->trace, e);
    }
    return rc < 0 ? rc : 0;
}

/*
 * Seek to the span, or to the warm-up, in a mapped file; a stream is read.  The
 * caller's source cannot seek, but has the same span.
 */
static int seek_span(struct record_filter *s, struct err *e)
{
    struct err reason = ERR_INIT;
    uint64_t first, last;
    int rc;

    s->begun = true;
    if ( !s->span.from.kind && !s->span.to.kind )
        return 0;
    rc = xt_trace_span(s->trace, &first, &last, &reason);
    if ( rc == -ESPIPE || (!rc && first > last) )
        return 0;
    s->has_records = !rc;
    if ( rc )
        return err_set(e, rc, "%s", reason.text);
    rc = resolve_span(s, first, last, e);
    if ( rc )
        return rc;
    if ( s->next )
        return xt_trace_rewind(s->trace, e);
    xt_trace_read_until(s->trace, s->to);
    if ( !s->span.from.kind )
        return 0;
    return needs_warmup(s) ? warmup_read(s, first, e)
                           : xt_trace_seek(s->trace, s->from, e);
}

/* --- all steps ------------------------------------------------------------ */

/* Remove the records behind the span.  False if none is left. */
static bool cut_after_span(struct record_filter *s, struct xt_batch *b)
{
    /*
     * Behind the span nothing more is wanted, except in the order of the file,
     * where records of other pcpus follow.
     */
    assert(s->bounded);
    while ( b->nr && b->items[b->nr - 1].time > s->to )
    {
        s->over = s->next == NULL;
        b->nr--;
    }
    return b->nr;
}

int record_filter_next(void *record_filter, struct xt_batch *b, struct err *e)
{
    struct record_filter *s = record_filter;
    int rc = s->begun ? 0 : seek_span(s, e);

    while ( !rc && !s->over )
    {
        *b = s->pending;
        s->pending.nr = 0;
        rc = b->nr ? 1 : read_from_span(s, b, e);
        if ( rc <= 0 )
            return rc;
        rc = 0;
        assert(b->nr);
        if ( s->bounded && !cut_after_span(s, b) )
            continue;
        if ( s->filter && filter_batch(s, b) )
            return err_sys(e, -ENOMEM, "cannot filter the records");
        if ( b->nr )
            return 1;
    }
    return rc;
}
