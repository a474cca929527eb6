/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read all records in the order of time, in one thread: for input that cannot
 * be mapped, and for ordered sinks.  Each record goes to its pcpu's machine,
 * and its changes are applied to the global machine at once.
 *
 * Three kinds of events have to be known in advance.  A LOST record comes at
 * the end of a loss, but makes the records of all pcpus since its beginning
 * doubtful; the end of a pcpu's records is visible only at the end of the
 * trace, and a silence of a pcpu at its end.  So a file is scanned for all
 * first.  In a stream, losses are looked for in each batch, and a loss that
 * began earlier counts as beginning with the batch; all pcpus end last.
 * (xenalyze copies streams to a file.)
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/engine/engine-private.h"

/*
 * A pcpu begins to lose records, before or behind its record of the same time,
 * has no records for long, or has its last.  At a damaged place of the trace,
 * or at its damaged end, the pcpu may lose records.
 */
enum notice_kind
{
    NOTICE_LOSS, NOTICE_LOSS_BEHIND, NOTICE_GAP, NOTICE_END, NOTICE_DAMAGE,
    NOTICE_DAMAGED_END
};

struct notice
{
    uint64_t time;
    uint64_t next;              /* NOTICE_GAP, NOTICE_DAMAGE: time of the next
                                   record */
    unsigned int segment, pcpu;
    enum notice_kind kind;
    bool was_idle;              /* NOTICE_GAP: before the next record */
};

struct notices
{
    struct notice *items;
    size_t nr, room, next;      /* next: the first that is not yet applied */
    bool complete;              /* of all segments: scanned in advance */
};

static int add_notice(struct notices *l, const struct notice *notice)
{
    struct notice *items;
    size_t room;

    assert(l->nr <= l->room);
    if ( l->nr == l->room )
    {
        room = l->room ? 2 * l->room : 64;
        items = fault_realloc(l->items, room * sizeof(*items));
        if ( !items )
            return -ENOMEM;
        l->items = items;
        l->room = room;
    }
    l->items[l->nr++] = *notice;
    return 0;
}

static int add_loss(struct notices *l, uint64_t time, unsigned int segment,
                    unsigned int pcpu)
{
    return add_notice(l, &(struct notice){
        .time = time, .segment = segment, .pcpu = pcpu, .kind = NOTICE_LOSS });
}

static uint64_t loss_time(const struct analysis *a, unsigned int pcpu,
                          const struct xt_record *r)
{
    return xt_trace_correct(a->trace, pcpu,
                            xt_field_load(r, XT_AT(lost_records, first_tsc)));
}

/* By segment, time and pcpu. */
static int compare_notices(const void *a, const void *b)
{
    const struct notice *x = a, *y = b;

    if ( x->segment != y->segment )
        return x->segment < y->segment ? -1 : 1;
    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    return x->pcpu < y->pcpu ? -1 : x->pcpu > y->pcpu;
}

static void sort_notices(struct notices *l)
{
    if ( l->nr )
        qsort(l->items, l->nr, sizeof(*l->items), compare_notices);
}

/* --- scanning a file in advance ------------------------------------------- */

/*
 * The time of a pcpu after a record.  A time stamp behind both neighbours is
 * damaged and moves nothing, as in xt_order.
 */
static void advance_time(uint64_t *time, uint64_t *before, uint64_t tsc)
{
    if ( tsc >= *time )
        *before = *time;
    if ( tsc >= *before )
        *time = tsc;
}

/* Is the time stamp of the last record of a walk damaged, as for xt_order? */
static bool is_damaged(const struct xt_walk *w, uint64_t time, uint64_t tsc)
{
    return xt_step_is_far(time, tsc) &&
           !xt_step_is_credible(w->context.index, w->cursor.entry, w->at,
                                w->end, tsc);
}

/* Facts of a pcpu that are needed before the time of the record with them. */
struct pcpu_scan
{
    struct analysis *a;
    struct notices *notices;
    unsigned int segment, pcpu;
    uint64_t time, before;
    uint64_t reached;           /* time of the last record with a time */
    bool timed;                 /* a record had a time ... */
    uint32_t last;              /* ... and the event of the last of them */
};

/* Few gaps are left: most of them are those of sleeping pcpus and of guests. */
COLD
static int scan_gap(const struct pcpu_scan *s, const struct xt_record *r,
                    uint64_t next)
{
    bool was_idle = pcpu_record_was_idle(r);

    debug_assert(s->timed && next - s->time > PCPU_JUMP);
    if ( s->last == TRC_PM_IDLE_ENTRY ||
         (!was_idle && (next - s->time <= PCPU_SILENCE ||
                        s->last >> TRC_SUBCLS_SHIFT ==
                        TRC_HVM_ENTRYEXIT >> TRC_SUBCLS_SHIFT)) )
        return 0;
    return add_notice(s->notices, &(struct notice){
        .time = s->time, .next = next, .segment = s->segment, .pcpu = s->pcpu,
        .kind = NOTICE_GAP, .was_idle = was_idle });
}

/*
 * A loss lies between the last record before it, at s->reached, and the LOST
 * record, at `time`.  Another begin is damaged.
 */
COLD
static int scan_loss(const struct pcpu_scan *s, const struct xt_record *r,
                     uint64_t time)
{
    uint64_t from = loss_time(s->a, s->pcpu, r);

    assert(s->timed || !s->reached);
    if ( from > time || (s->reached && s->reached >= time) )
        return 0;
    if ( from > s->reached )
        return add_loss(s->notices, from, s->segment, s->pcpu);
    return add_notice(s->notices, &(struct notice){
        .time = s->reached, .segment = s->segment, .pcpu = s->pcpu,
        .kind = NOTICE_LOSS_BEHIND });
}

/* Records may be missing in front of one of this time. */
COLD
static int scan_damage(const struct pcpu_scan *s, struct xt_cursor *c,
                       uint64_t tsc)
{
    uint64_t from = s->reached > c->gap_from ? s->reached : c->gap_from;

    assert(c->gap);
    c->gap = false;
    if ( from >= tsc )
        return 0;
    return add_notice(s->notices, &(struct notice){
        .time = from, .next = tsc, .segment = s->segment, .pcpu = s->pcpu,
        .kind = NOTICE_DAMAGE });
}

static inline int scan_record(struct pcpu_scan *s, struct xt_walk *w,
                              const struct xt_record *r,
                              const struct xt_correction *clock)
{
    uint64_t tsc = r->tsc + (uint64_t)xt_correction_offset(clock, r->tsc);
    bool is_timed = xt_record_is_timed(r) && !is_damaged(w, s->time, tsc);
    int rc = 0;

    if ( w->cursor.gap && is_timed )
        rc = scan_damage(s, &w->cursor, tsc);
    if ( r->event == TRC_LOST_RECORDS && !rc )
        rc = scan_loss(s, r, is_timed ? tsc : s->time);
    if ( is_timed && !rc )
    {
        if ( tsc > s->time && tsc - s->time > PCPU_JUMP && s->timed &&
             r->event != TRC_LOST_RECORDS )
            rc = scan_gap(s, r, tsc);
        advance_time(&s->time, &s->before, tsc);
        s->reached = s->time;
        s->last = r->event;
    }
    s->timed |= xt_record_is_timed(r);
    return rc;
}

/*
 * The loop for the common case: records of any class but GEN, in order of time,
 * without jumps, with one offset, and with enough bytes left in the window for
 * any record.  They move the time and nothing else.
 */
static void scan_common_records(struct pcpu_scan *s, struct xt_walk *w,
                                const struct xt_correction *clock,
                                uint64_t tsc)
{
    const unsigned char *at = w->at;
    const uint64_t offset = (uint64_t)xt_correction_offset(clock, tsc);
    const uint64_t steady_to = xt_correction_end(clock, tsc);
    uint64_t time = s->time, before = s->before;
    uint32_t event = s->last;

    debug_assert(s->timed && !w->cursor.gap);
    while ( w->end - at >= (ptrdiff_t)XT_RECORD_MAX_BYTES )
    {
        uint32_t header = xt_load32(at);

        tsc = xt_load64(at + 4);
        if ( !(header & TRC_HD_CYCLE_FLAG) || tsc > steady_to ||
             tsc + offset - time > PCPU_JUMP ||
             TRC_HD_TO_EVENT(header) >> TRC_CLS_SHIFT <=
             TRC_GEN >> TRC_CLS_SHIFT )
            break;
        before = time;
        time = tsc + offset;
        event = TRC_HD_TO_EVENT(header);
        at += xt_record_size(header);
    }
    if ( at == w->at )
        return;
    w->at = at;
    s->time = s->reached = time;
    s->before = before;
    s->last = event;
}

/*
 * No record of a pcpu is delivered after the later of its last time stamp and
 * the time of its last window.
 */
static int scan_pcpu(struct analysis *a, struct notices *l,
                     unsigned int segment, unsigned int pcpu)
{
    struct pcpu_scan s = { .a = a, .notices = l, .segment = segment,
                           .pcpu = pcpu };
    struct xt_correction clock;
    struct xt_record r;
    struct xt_walk w;
    int rc = 0;

    xt_trace_begin_walk(a->trace, pcpu, &w);
    clock = xt_index_correction(w.context.index, pcpu);
    s.time = w.cursor.time;
    while ( !rc && xt_walk_next(&w, &r) )
    {
        rc = scan_record(&s, &w, &r, &clock);
        if ( w.cursor.time > s.time )
            s.time = w.cursor.time;
        if ( !w.cursor.gap && xt_record_is_timed(&r) )
            scan_common_records(&s, &w, &clock, r.tsc);
    }
    if ( w.cursor.gap && w.cursor.gap_from > s.time )
        s.time = w.cursor.gap_from;
    return rc || !s.timed ? rc : add_notice(l, &(struct notice){
        .time = s.time, .segment = segment, .pcpu = pcpu,
        .kind = w.cursor.gap ? NOTICE_DAMAGED_END : NOTICE_END });
}

static int scan_ahead(struct analysis *a, struct notices *l, struct err *e)
{
    struct err unmapped = ERR_INIT;
    unsigned int nr, segment = 0;
    int rc;

    do
    {
        rc = xt_trace_cpus(a->trace, &nr, &unmapped);
        if ( rc == -ESPIPE )
            return 0;
        for ( unsigned int pcpu = 0; !rc && pcpu < nr; pcpu++ )
            rc = scan_pcpu(a, l, segment, pcpu);
        rc = rc ? rc : xt_trace_next_segment(a->trace, e);
        segment++;
    }
    while ( rc > 0 );
    sort_notices(l);
    l->complete = true;
    return rc ? rc : xt_trace_rewind(a->trace, e);
}

/* --- a batch -------------------------------------------------------------- */

static int find_losses(struct analysis *a, struct notices *l,
                       const struct xt_batch *b)
{
    struct xt_record r;
    int rc = 0;

    l->nr = l->next = 0;
    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( r.event == TRC_LOST_RECORDS )
            rc = add_loss(l, loss_time(a, xt_item_cpu(&b->items[i]), &r),
                          b->segment, xt_item_cpu(&b->items[i]));
    }
    sort_notices(l);
    return rc;
}

/*
 * Apply the notices up to `time`, that of the next record; ends and gaps
 * only before `time`, since the pcpu may have more records of the same time.
 */
static int apply_notices(struct analysis *a, struct notices *l,
                         unsigned int segment,
                         uint64_t time)
{
    const struct notice *n;
    struct pcpu *p;
    int rc = 0;

    debug_assert(l->next <= l->nr);
    for ( ; !rc && l->next < l->nr; l->next++ )
    {
        n = &l->items[l->next];
        if ( n->segment < segment )
            continue;
        if ( n->segment > segment || n->time > time ||
             (n->kind != NOTICE_LOSS && n->time == time) )
            return 0;
        p = segment_pcpu(a, n->pcpu);
        if ( !p )
            return -ENOMEM;
        if ( (n->kind == NOTICE_DAMAGE && p->time < n->next) ||
             n->kind == NOTICE_DAMAGED_END )
            pcpu_begin_gap(p, n->time);
        if ( n->kind == NOTICE_END || n->kind == NOTICE_DAMAGED_END )
            pcpu_end(p);
        else if ( n->kind == NOTICE_GAP )
            pcpu_begin_silence(p, n->next, n->was_idle);
        else if ( n->kind != NOTICE_DAMAGE )
            pcpu_begin_loss(p, n->time);
        rc = segment_changes(a, p);
    }
    return rc;
}

/* No notice has to be applied before this time. */
static uint64_t find_due(const struct notices *l, unsigned int segment)
{
    debug_assert(l->next == l->nr || l->items[l->next].segment >= segment);
    return l->next < l->nr && l->items[l->next].segment == segment
           ? l->items[l->next].time : UINT64_MAX;
}

static int read_batch(struct analysis *a, struct notices *l,
                      const struct xt_batch *b)
{
    const struct xt_item *end = b->items + b->nr;
    struct xt_record r;
    struct pcpu *p;
    uint64_t due = 0;
    int rc = l->complete ? 0 : find_losses(a, l, b);

    for ( const struct xt_item *i = b->items; !rc && i < end; i++ )
    {
        xt_batch_record(b, i, &r);
        if ( i->time >= due )
        {
            rc = apply_notices(a, l, b->segment, i->time);
            due = rc ? due : find_due(l, b->segment);
        }
        p = segment_pcpu(a, xt_item_cpu(i));
        if ( rc || !p )
            return -ENOMEM;
        if ( p->is_silent && i->time > p->time )
            pcpu_end_silence(p, i->time);
        if ( p->in_gap && xt_record_is_timed(&r) )
            pcpu_end_gap(p, &r, i->time);
        pcpu_record(p, &r, i->time);
        /*
         * Most records make one change or none.  The one change is applied
         * inline: the call of segment_changes() with its loop costs 0.2 % of
         * the instructions of `why` on scheduling records.
         */
        if ( p->changes.nr == 1 && p->in_global && !p->changes.failed )
        {
            global_apply(&a->global, p->changes.items);
            p->changes.nr = 0;
        }
        else if ( p->changes.nr || p->changes.failed )
            rc = segment_changes(a, p);
    }
    arena_reset(&a->shards[0].scratch[0]);
    return rc;
}

/* End the remaining pcpus, in the order of their last records. */
static int end_pcpus(struct analysis *a)
{
    struct pcpu *next;
    int rc = 0;

    do
    {
        next = NULL;
        for ( unsigned int i = 0; i < a->nr_pcpus; i++ )
            if ( a->pcpus[i] && !a->pcpus[i]->ended &&
                 (!next || a->pcpus[i]->time < next->time) )
                next = a->pcpus[i];
        if ( next )
        {
            pcpu_end(next);
            assert(next->ended);
            rc = segment_changes(a, next);
        }
    }
    while ( next && !rc );
    return rc;
}

/* The damaged ends at the time of the segment's last record, or after it. */
static int apply_damaged_ends(struct analysis *a, struct notices *l,
                              unsigned int segment)
{
    const struct notice *n;
    struct pcpu *p;
    int rc = 0;

    assert(l->next <= l->nr);
    for ( size_t i = l->next; !rc && i < l->nr; i++ )
    {
        n = &l->items[i];
        if ( n->segment != segment || n->kind != NOTICE_DAMAGED_END )
            continue;
        p = segment_pcpu(a, n->pcpu);
        if ( !p )
            return -ENOMEM;
        if ( !p->ended )
            pcpu_begin_gap(p, n->time);
        rc = segment_changes(a, p);
    }
    return rc;
}

/* All records of a segment are read. */
static int finish_segment(struct analysis *a, struct notices *l,
                          unsigned int segment, struct err *e)
{
    int rc = apply_damaged_ends(a, l, segment);

    assert(e);
    rc = rc ? rc : end_pcpus(a);
    return rc ? rc : segment_end(a, e);
}

static int read_segments(struct analysis *a, struct notices *l,
                         struct err *e)
{
    struct xt_batch b;
    unsigned int segment = 0;
    bool open = false;
    int rc;

    while ( (rc = xt_trace_next_batch(a->trace, &b, e)) > 0 )
    {
        assert(b.nr && (!open || b.segment >= segment));
        if ( open && b.segment != segment )
        {
            rc = finish_segment(a, l, segment, e);
            open = false;
        }
        else
            rc = 0;
        if ( !rc && !open )
            rc = segment_begin(a, xt_trace_origin(a->trace, &b), 0);
        open = true;
        segment = b.segment;
        rc = rc ? rc : read_batch(a, l, &b);
        if ( rc )
            return rc;
        segment_progress(a, b.items[b.nr - 1].time);
    }
    if ( !rc && !open )
        rc = segment_begin(a, 0, 0);
    return rc ? rc : finish_segment(a, l, segment, e);
}

int analyze_by_time(struct analysis *a, struct err *e)
{
    struct notices notices = { 0 };
    int rc = scan_ahead(a, &notices, e);

    rc = rc ? rc : read_segments(a, &notices, e);
    free(notices.items);
    return rc;
}
