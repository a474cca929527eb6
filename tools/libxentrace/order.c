/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slices have to fit the cache, for thousands of records a microsecond as for
 * one an hour.  So the length of the next slice follows from the size of the
 * last one; a slice that overflows is undone, and tried again at a quarter of
 * its length.  A slice of one tick cannot be divided in time, but needs no
 * sorting: it is delivered in pieces, pcpu by pcpu.
 *
 *      next[0]   now                    last
 *        .        |-------- slice --------|
 *   pcpu 0 - - - -|- r - r r- - - - r - - |- r         r: a record
 *   pcpu 1 - - - -|- - - - - - - - - - - -|- - - - r
 *   pcpu 2 - - - -|r- - r r- r -r - - - r |r
 */
#include "libxentrace/order.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/time-step.h"

#define NEVER UINT64_MAX        /* in next[]: no record is known */

#define FIRST_LENGTH (UINT64_C(1) << 14)
#define MAX_LENGTH (UINT64_C(1) << 60)

/*
 * Records in a slice.  Measured (tests/bench/reading): up to 128 pcpus, 4 K are
 * as fast as 8 K, and 16 K somewhat slower; with more pcpus, each visit to a
 * pcpu needs some records to pay for its cost.
 */
#define TARGET_LEAST 4096u
#define TARGET_A_CPU 16u
#define TARGET_MOST 32768u
#define ROOM_A_TARGET 4u

/*
 * Prefetch distance in bytes: the runs of records of one pcpu are too short for
 * the hardware prefetcher.
 */
#define FETCH_AHEAD 768u

/* Records to look ahead behind an outlier. */
#define LOOK_AHEAD 8u

int xt_order_init(struct xt_order *o, const struct xt_read_context *r)
{
    assert(r->index && r->view && r->damage);
    *o = (struct xt_order){ .context = *r, .length = FIRST_LENGTH };
    return xt_slice_init(&o->slice, ROOM_A_TARGET * TARGET_MOST);
}

void xt_order_fini(struct xt_order *o)
{
    xt_slice_fini(&o->slice);
    free(o->cursors);
    free(o->saved);
    free(o->next);
    free(o->touched);
    *o = (struct xt_order){ 0 };
}

/* --- the records of one pcpu ---------------------------------------------- */

/* Why collecting the records of a window ends. */
enum stop { AT_END, AT_DAMAGE, LATER, FULL };

/* A cursor in use: the variables of the inner loop. */
struct run
{
    struct xt_order *o;
    struct xt_cursor *c;
    const unsigned char *at, *end;
    struct xt_item *item;       /* the next free item */
    uint64_t time, before;
    struct xt_correction clock;
    int64_t offset;             /* correction of the clock ... */
    uint64_t steady_to;         /* ... up to this time stamp */
};

/* Find the time of the next timed record within LOOK_AHEAD records. */
static bool peek_time(const struct run *run, const unsigned char *at,
                      uint64_t *time)
{
    const struct xt_index *index = run->o->context.index;
    const struct xt_index_entry *p;
    struct xt_record r;
    size_t size;

    for ( unsigned int n = LOOK_AHEAD; n; n-- )
    {
        size = xt_record_decode(&r, at, run->end);
        if ( !size || !xt_record_is_possible(&r) )
            break;
        *time = xt_apply_offset(r.tsc,
                                xt_correction_offset(&run->clock, r.tsc));
        if ( xt_record_is_timed(&r) )
            return true;
        at += size;
    }
    p = xt_index_get_entry(index, run->c->entry);
    if ( at != run->end || p->next == XT_NOWHERE )
        return false;
    p = xt_index_get_entry(index, p->next);
    *time = p->time;
    return p->timed;
}

static void note_backward(const struct run *run, const unsigned char *at)
{
    const struct xt_view *v = run->o->context.view;
    struct xt_cursor here = *run->c;

    here.at = v->lo + (at - v->bytes);
    xt_cursor_note_backward(&here, &run->o->context);
}

/*
 * The record is behind the slice.  If the record after it is not, the time
 * stamp is an outlier: note the damage, so that one damaged time stamp does not
 * delay all later records of the pcpu.  Returns false for a real jump forward.
 */
static bool jumps_forward(struct run *run, uint64_t tsc, size_t size)
{
    uint64_t time;

    debug_assert(tsc > run->o->slice.last);
    if ( run->o->slice.last >= XT_LAST_TIME )
        return true;
    if ( !peek_time(run, run->at + size, &time) || time >= tsc ||
         time < run->time )
        return false;
    note_backward(run, run->at);
    return true;
}

/*
 * The record is before its predecessor.  If it is not before the last but one
 * time, the predecessor is the outlier: correct the items that have its time.
 */
static void handle_backward(struct run *run, uint64_t tsc)
{
    const struct xt_order *o = run->o;
    struct xt_item *item = run->item, *first = o->slice.items;
    uint64_t cpu = run->c - o->cursors, begin = o->slice.begin;
    uint64_t better = run->before > begin ? run->before : begin;

    debug_assert(tsc < run->time);
    if ( tsc < o->now )
    {
        run->o->late++;
        return;
    }
    if ( tsc < run->before )
    {
        note_backward(run, run->at);
        return;
    }
    for ( ; item > first && item[-1].time == run->time &&
            xt_item_cpu(&item[-1]) == cpu; item-- )
        item[-1].time = better;
    if ( item < run->item )
        note_backward(run, o->context.view->bytes + xt_item_offset(item));
    run->time = tsc > begin ? tsc : begin;
}

/*
 * Fast path of collect_records(): records of any class but GEN (those are the
 * tracer's own, with times that may mean nothing), possible, in order, with
 * enough bytes left in the window for any record, and without a far step in
 * time.
 */
static void collect_records_fast(struct run *run, uint64_t cpu)
{
    const struct xt_slice *slice = &run->o->slice;
    const unsigned char *base = run->o->context.view->bytes, *at = run->at;
    const struct xt_item *full = slice->items + slice->room;
    const int64_t offset = run->offset;
    struct xt_item *item = run->item;
    uint64_t time = run->time, before = run->before, tsc;
    const uint64_t near = xt_step_limit(time);
    const uint64_t steady_to = xt_apply_offset(run->steady_to, offset);
    uint64_t last = near < slice->last ? near : slice->last;

    if ( run->clock.period && steady_to < last )
        last = steady_to > time ? steady_to : time;

    for ( ; run->end - at >= (ptrdiff_t)XT_RECORD_MAX_BYTES && item < full;
          at += xt_record_size(xt_load32(at)) )
    {
        uint32_t header = xt_load32(at);

        __builtin_prefetch(at + FETCH_AHEAD);
        tsc = xt_apply_offset(xt_load64(at + 4), offset);
        tsc = header & TRC_HD_CYCLE_FLAG ? tsc : time;
        if ( tsc - time > last - time ||
             !xt_event_is_of_xen(TRC_HD_TO_EVENT(header)) )
            break;
        before = tsc > time ? time : before;
        time = tsc;
        *item++ = (struct xt_item){ .time = time, .where = cpu | (at - base) };
    }
    run->at = at;
    run->item = item;
    run->time = time;
    run->before = before;
}

/*
 * Advance to the time stamp of the record at run->at.  False: the record is
 * behind the slice.
 */
static bool advance_time(struct run *run, uint64_t tsc, size_t size)
{
    const struct xt_slice *slice = &run->o->slice;

    if ( tsc < run->time )
        handle_backward(run, tsc);
    else if ( xt_step_is_far(run->time, tsc) &&
              !xt_step_is_credible(run->o->context.index, run->c->entry,
                                   run->at + size, run->end, tsc) )
        note_backward(run, run->at);
    else if ( tsc > slice->last )
        return jumps_forward(run, tsc, size);
    else
    {
        run->before = tsc > run->time ? run->time : run->before;
        run->time = tsc;
    }
    return true;
}

/* The corrected time of a record. */
static inline uint64_t correct_time(struct run *run, uint64_t tsc)
{
    if ( run->clock.period )
    {
        run->offset = xt_correction_offset(&run->clock, tsc);
        run->steady_to = xt_correction_end(&run->clock, tsc);
    }
    return xt_apply_offset(tsc, run->offset);
}

/* Collect the items of a window up to the end of the slice. */
static enum stop collect_records(struct run *run)
{
    const struct xt_slice *slice = &run->o->slice;
    const unsigned char *base = run->o->context.view->bytes;
    const struct xt_item *full = slice->items + slice->room;
    const uint64_t cpu = (uint64_t)(run->c - run->o->cursors)
                         << XT_ITEM_CPU_SHIFT;
    struct xt_record r;
    size_t size;

    for ( ; collect_records_fast(run, cpu),
            (size = xt_record_decode(&r, run->at, run->end));
          run->at += size )
    {
        if ( !xt_record_is_possible(&r) )
            return AT_DAMAGE;
        if ( xt_record_is_timed(&r) &&
             !advance_time(run, correct_time(run, r.tsc), size) )
            return LATER;
        if ( run->item == full )
            return FULL;
        *run->item++ = (struct xt_item){
            .time = run->time, .where = cpu | (run->at - base),
        };
    }
    return run->at == run->end ? AT_END : AT_DAMAGE;
}

static enum stop collect_window(struct xt_order *o, struct xt_cursor *c)
{
    const struct xt_view *v = o->context.view;
    struct run run = {
        .o = o, .c = c, .at = xt_view_at(v, c->at),
        .end = xt_view_at(v, c->end), .item = o->slice.items + o->slice.nr,
        .time = c->time < o->slice.begin ? o->slice.begin : c->time,
        .before = c->before,
        .clock = xt_index_correction(o->context.index, c - o->cursors),
    };
    enum stop stop;

    run.offset = run.clock.offset;
    /* A time behind the slice would pass all comparisons with its end. */
    assert(run.time >= o->slice.begin && run.time <= o->slice.last);
    stop = collect_records(&run);
    assert(run.at <= run.end && run.time >= o->slice.begin);
    c->at = v->lo + (run.at - v->bytes);
    c->time = run.time;
    c->before = run.before;
    o->slice.nr = run.item - o->slice.items;
    assert(o->slice.nr <= o->slice.room);
    return stop;
}

/* Time of the record at the cursor, which has a time stamp. */
static uint64_t get_cursor_time(const struct xt_order *o,
                                const struct xt_cursor *c)
{
    struct xt_record r;
    uint64_t time;

    xt_record_view(&r, xt_view_at(o->context.view, c->at));
    time = xt_index_correct(o->context.index, c - o->cursors, r.tsc);
    return time < XT_LAST_TIME ? time : XT_LAST_TIME;
}

/* Collect all records of a pcpu in the slice.  False if the slice is full. */
static bool gather_cpu(struct xt_order *o, unsigned int cpu)
{
    struct xt_cursor *c = &o->cursors[cpu];
    enum stop stop;

    assert(cpu < o->nr);
    for ( ; ; )
    {
        stop = collect_window(o, c);
        if ( stop == FULL )
            return false;
        if ( stop == LATER )
        {
            o->next[cpu] = get_cursor_time(o, c);
            return true;
        }
        if ( stop == AT_DAMAGE )
            xt_cursor_end_window(c, &o->context);
        if ( !xt_cursor_next_window(c, &o->context) )
        {
            o->next[cpu] = NEVER;
            return true;
        }
        if ( c->time > o->slice.last )
        {
            o->next[cpu] = c->time;
            return true;
        }
    }
}

/* --- slices --------------------------------------------------------------- */

static uint64_t find_begin(const struct xt_order *o)
{
    uint64_t time = NEVER;

    for ( unsigned int i = 0; i < o->nr; i++ )
        time = o->next[i] < time ? o->next[i] : time;
    return time;
}

static size_t choose_target(const struct xt_order *o)
{
    size_t n = (size_t)o->nr * TARGET_A_CPU;

    return n < TARGET_LEAST ? TARGET_LEAST :
           n > TARGET_MOST ? TARGET_MOST : n;
}

/* False if no record is by the limit. */
static bool begin_slice(struct xt_order *o, uint64_t limit)
{
    struct xt_slice *s = &o->slice;
    uint64_t begin = find_begin(o);

    if ( begin == NEVER )
        return false;
    if ( begin < o->now )
        begin = o->now;
    if ( begin > limit )
        return false;
    if ( limit > XT_LAST_TIME )
        limit = XT_LAST_TIME;
    s->begin = begin;
    s->last = limit - begin < o->length ? limit : begin + (o->length - 1);
    assert(s->begin <= s->last && s->last <= limit);
    o->in_tick = s->last == s->begin;
    o->tick = 0;
    return true;
}

/*
 * Restore the cursors.  A cursor in a window has the time of its last record,
 * before the slice; a cursor at the begin of a window has the window's time,
 * which may be behind a shorter slice.
 */
static void undo_slice(struct xt_order *o)
{
    assert(!o->in_tick);
    for ( unsigned int i = 0; i < o->nr_touched; i++ )
    {
        unsigned int cpu = o->touched[i];
        uint64_t now_at = o->cursors[cpu].entry, entry;
        uint64_t begin = o->slice.begin;

        o->cursors[cpu] = o->saved[cpu];
        o->next[cpu] = o->cursors[cpu].time > begin ? o->cursors[cpu].time
                                                    : begin;
        entry = o->cursors[cpu].entry;
        while ( entry != now_at )
        {
            xt_index_get_entry(o->context.index, entry)->done = false;
            entry = xt_index_get_entry(o->context.index, entry)->next;
        }
    }
}

/* False if the slice overflows; all state is as before. */
static bool fill_slice(struct xt_order *o)
{
    uint64_t late = o->late;
    unsigned int cpu;

    xt_slice_clear(&o->slice);
    o->nr_touched = 0;
    for ( cpu = o->tick; cpu < o->nr; cpu++ )
    {
        if ( o->next[cpu] > o->slice.last )
            continue;
        o->saved[cpu] = o->cursors[cpu];
        o->touched[o->nr_touched++] = cpu;
        xt_slice_begin_run(&o->slice);
        if ( !gather_cpu(o, cpu) )
            break;
    }
    assert(o->nr_touched <= o->nr);
    if ( o->in_tick )
        o->tick = cpu;
    else if ( cpu < o->nr )
    {
        undo_slice(o);
        o->late = late;
        return false;
    }
    return true;
}

/* Choose the length with which the next slice reaches its target. */
static void adapt_length(struct xt_order *o)
{
    size_t want = choose_target(o), got = o->slice.nr ? o->slice.nr : 1;
    uint64_t length = o->length;

    if ( o->slice.last - o->slice.begin + 1 != length )
        return;
    if ( got * 4 < want )
        length *= 4;
    else
        length = (unsigned __int128)length * want / got;
    o->length = length > MAX_LENGTH ? MAX_LENGTH : length ? length : 1;
}

/* Shorten the slice until it fits.  False if no record is by the limit. */
static bool next_slice(struct xt_order *o, uint64_t limit)
{
    while ( begin_slice(o, limit) )
    {
        if ( fill_slice(o) )
            return true;
        o->length = (o->slice.last - o->slice.begin + 1) / 4;
        if ( !o->length )
            o->length = 1;
    }
    return false;
}

static void end_slice(struct xt_order *o)
{
    if ( !o->in_tick )
        adapt_length(o);
    else if ( o->tick < o->nr )
        return;
    else if ( o->length == 1 )
        o->length = 2;
    o->in_tick = false;
    assert(o->slice.last >= o->now);
    o->now = o->slice.last + 1;
}

/* For assertions: the items of a batch are in order. */
static inline bool items_rise(const struct xt_batch *b)
{
    for ( size_t i = 1; i < b->nr; i++ )
        if ( b->items[i].time < b->items[i - 1].time )
            return false;
    return true;
}

bool xt_order_next(struct xt_order *o, uint64_t limit, struct xt_batch *b)
{
    struct xt_slice *s = &o->slice;

    assert(s->items);
    do
    {
        if ( o->in_tick )
            fill_slice(o);
        else if ( !next_slice(o, limit) )
            return false;
        b->items = s->items;
        b->nr = s->nr;
        if ( !o->in_tick && o->nr_touched > 1 )
        {
            xt_slice_sort(s);
            b->items = s->sorted;
        }
        end_slice(o);
    } while ( !b->nr );
    debug_assert(items_rise(b));
    b->bytes = o->context.view->bytes;
    b->origin = o->context.view->lo;
    return true;
}

/* --- start positions ------------------------------------------------------ */

static int grow_array(void *array, size_t nr, size_t size)
{
    void **at = array, *more = fault_realloc(*at, nr * size);

    if ( !more )
        return -ENOMEM;
    *at = more;
    return 0;
}

/* Reserve space for the pcpus of the index.  A new pcpu has no records yet. */
static int grow_cpus(struct xt_order *o)
{
    unsigned int nr = o->context.index->nr_cpus;

    if ( nr > o->room )
    {
        unsigned int room = nr < 2 * o->room ? 2 * o->room : nr;

        if ( grow_array(&o->cursors, room, sizeof(*o->cursors)) ||
             grow_array(&o->saved, room, sizeof(*o->saved)) ||
             grow_array(&o->touched, room, sizeof(*o->touched)) ||
             grow_array(&o->next, room, sizeof(*o->next)) )
            return -ENOMEM;
        o->room = room;
    }
    for ( ; o->nr < nr; o->nr++ )
    {
        o->cursors[o->nr] = (struct xt_cursor){ .entry = XT_NOWHERE };
        o->next[o->nr] = NEVER;
    }
    return 0;
}

static void set_next_time(struct xt_order *o, unsigned int cpu)
{
    const struct xt_cursor *c = &o->cursors[cpu];

    o->next[cpu] = c->entry == XT_NOWHERE ? NEVER : c->time;
}

static void set_cursor(struct xt_order *o, unsigned int cpu, uint64_t entry)
{
    assert(cpu < o->nr);
    xt_cursor_init(&o->cursors[cpu], &o->context, entry);
    set_next_time(o, cpu);
}

/*
 * Windows of metadata that preceded all times get a time when the first timed
 * window is added (index.c): update their cursors.
 */
static void date_untimed_cursors(struct xt_order *o)
{
    for ( unsigned int cpu = 0; cpu < o->nr; cpu++ )
        if ( o->cursors[cpu].entry != XT_NOWHERE && !o->cursors[cpu].time )
            set_cursor(o, cpu, o->cursors[cpu].entry);
}

int xt_order_add_window(struct xt_order *o, uint64_t number)
{
    const struct xt_index_entry *p = xt_index_get_entry(o->context.index,
                                                        number);
    struct xt_cursor *c;

    if ( grow_cpus(o) )
        return -ENOMEM;
    if ( !o->now )
        date_untimed_cursors(o);
    assert(p->cpu < o->nr);
    c = &o->cursors[p->cpu];
    if ( c->entry != XT_NOWHERE )
        return 0;
    xt_cursor_resume(c, &o->context, number);
    set_next_time(o, p->cpu);
    /* The pcpu was silent, and the time of its last record is delivered. */
    if ( p->inherits_time && c->entry != XT_NOWHERE && c->time < o->now )
        o->late += xt_cursor_count_untimed(c, &o->context);
    return 0;
}

void xt_order_check_next(struct xt_order *o)
{
    const uint64_t horizon = o->context.index->horizon;

    for ( unsigned int cpu = 0; cpu < o->nr; cpu++ )
    {
        struct xt_cursor *c = &o->cursors[cpu];

        if ( o->next[cpu] == NEVER || o->next[cpu] <= horizon )
            continue;
        if ( c->time > horizon )
            c->time = c->before < horizon ? c->before : horizon;
        o->next[cpu] = c->time > o->now ? c->time : o->now;
    }
}

int xt_order_restart(struct xt_order *o)
{
    const struct xt_index *index = o->context.index;

    o->nr = 0;
    if ( grow_cpus(o) )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < o->nr; cpu++ )
        set_cursor(o, cpu, index->cpus[cpu].first);
    o->now = 0;
    o->in_tick = false;
    o->length = FIRST_LENGTH;
    return 0;
}

/* Collect the records before `time`, and drop them. */
int xt_order_seek(struct xt_order *o, uint64_t time)
{
    const struct xt_index *index = o->context.index;

    if ( xt_order_restart(o) )
        return -ENOMEM;
    o->slice.begin = 0;
    o->slice.last = time - 1;
    for ( unsigned int cpu = 0; time && cpu < o->nr; cpu++ )
    {
        set_cursor(o, cpu, xt_index_find_window(index, cpu, time - 1));
        do
            o->slice.nr = 0;
        while ( o->next[cpu] < time && !gather_cpu(o, cpu) );
    }
    o->slice.nr = 0;
    o->now = time;
    return 0;
}
