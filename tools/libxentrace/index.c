/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An array of entries, with a linked list through the entries of each pcpu.  40
 * bytes per window are 13 MB for a trace of 10 GB in windows of a typical 32
 * KiB.
 */
#include "libxentrace/index.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/readers.h"
#include "libxentrace/seal.h"
#include "libxentrace/time-step.h"

#define FIRST_PLACES 1024u

/*
 * Records to search for a time stamp: metadata, or the handlers of one exit,
 * precede the first.
 */
#define LOOK_RECORDS 256u

/* Time stamps that are read if the first ones look damaged. */
#define MAX_TIMES 8u

/* A first window so far ahead of another pcpu's is damaged: some minutes. */
#define FAR_FUTURE (UINT64_C(1) << 40)

/* Windows passed in search of the places of displaced ones, at most. */
#define MIN_INSERTING 65536u
#define INSERTING_RATE 16u

_Static_assert(sizeof(struct xt_index_entry) <= 40, "one of these a window");

void xt_index_init(struct xt_index *i)
{
    *i = (struct xt_index){ .first = UINT64_MAX, .horizon = UINT64_MAX };
}

void xt_index_fini(struct xt_index *i)
{
    free(i->entries);
    free(i->cpus);
    free(i->gaps.items);
    *i = (struct xt_index){ 0 };
}

void xt_index_reset(struct xt_index *i)
{
    i->nr = 0;
    i->dropped = 0;
    i->nr_cpus = 0;
    i->time = 0;
    i->pass = i->cpu = 0;
    i->inserting = 0;
    i->gaps.nr = 0;
    i->pass_time = i->last_pass_time = i->drained = 0;
    i->first = i->horizon = UINT64_MAX;
}

bool xt_index_reuse(struct xt_index *i)
{
    for ( size_t n = 0; n < i->nr; n++ )
    {
        struct xt_index_entry *p = &i->entries[n];

        if ( p->wrong || p->goes_backward || p->shortened )
            return false;
        p->done = false;
    }
    return !i->dropped;
}

/* The list of a pcpu, which may be a new one.  NULL without memory. */
static struct xt_cpu_windows *get_cpu_windows(struct xt_index *i,
                                              unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    if ( !grow_to_index(&i->cpus, &i->room_cpus, cpu, sizeof(*i->cpus)) )
        return NULL;
    for ( ; i->nr_cpus <= cpu; i->nr_cpus++ )
        i->cpus[i->nr_cpus] = (struct xt_cpu_windows){
            .first = XT_NOWHERE, .last = XT_NOWHERE,
            .last_timed = XT_NOWHERE, .inserted = XT_NOWHERE,
        };
    return &i->cpus[cpu];
}

/*
 * Records about tracing itself, of the collector or of the ring, precede the
 * first record of the hypervisor, and belong to the window.
 */
static bool is_about_tracing(const struct xt_record *r)
{
    return r->event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT;
}

/* The first time stamps of a window, at most as many as there is room for. */
static unsigned int read_times(const struct xt_window *w, uint64_t *times,
                               unsigned int room, bool *inherits_time)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    unsigned int left = LOOK_RECORDS, found = 0;
    struct xt_record r;
    size_t size;

    if ( room <= 2 )
        at = xt_window_begin(w, &end);
    for ( ; left && found < room; left-- )
    {
        size = xt_record_decode(&r, at, end);
        if ( !size || !xt_record_is_possible(&r) )
            break;
        if ( xt_record_is_timed(&r) )
            times[found++] = r.tsc;
        *inherits_time |= !found && !is_about_tracing(&r);
        at += size;
    }
    return found;
}

/* Number of the times before `time`. */
static unsigned int count_before(const uint64_t *times, unsigned int nr,
                                 uint64_t time)
{
    unsigned int before = 0;

    for ( unsigned int n = 0; n < nr; n++ )
        before += times[n] < time;
    return before;
}

/*
 * The first time stamp of a window, or the second if that is less: then one of
 * the two is damaged, and an early time does no harm.  If most of the others
 * are before both, both are damaged.
 */
static uint64_t choose_time(const uint64_t *times, unsigned int nr)
{
    uint64_t time;

    assert(nr);
    if ( nr == 1 )
        return times[0];
    time = times[0] < times[1] ? times[0] : times[1];
    return 2 * count_before(times + 2, nr - 2, time) > nr - 2
           ? choose_time(times + 1, nr - 1) : time;
}

/*
 * Set p->timed, p->time and p->inherits_time.  More than two time stamps are
 * read only if the first two look damaged.
 */
static void set_entry_time(struct xt_index_entry *p, const struct xt_window *w)
{
    uint64_t times[MAX_TIMES];
    unsigned int nr = read_times(w, times, 2, &p->inherits_time);

    if ( nr == 2 && times[1] - times[0] > XT_FAR_STEP )
        nr = read_times(w, times, MAX_TIMES, &p->inherits_time);
    p->timed = nr;
    if ( nr )
        p->time = choose_time(times, nr);
}

/* Are most of the first time stamps of a window not before `time`? */
static bool window_is_after(const struct xt_index *i, const struct xt_window *w,
                            uint64_t time)
{
    uint64_t times[MAX_TIMES];
    bool ignored = false;
    unsigned int nr = read_times(w, times, MAX_TIMES, &ignored);

    for ( unsigned int n = 0; n < nr; n++ )
        times[n] = xt_index_correct(i, w->cpu, times[n]);
    return 2 * count_before(times, nr, time) < nr;
}

bool xt_window_time(const struct xt_window *w, uint64_t *time)
{
    struct xt_index_entry p = { 0 };

    set_entry_time(&p, w);
    if ( p.timed )
        *time = p.time;
    return p.timed;
}

static uint64_t cap_time(uint64_t time)
{
    return time < XT_LAST_TIME ? time : XT_LAST_TIME;
}

static int grow_entries(struct xt_index *i)
{
    size_t room = i->room ? 2 * i->room : FIRST_PLACES;
    struct xt_index_entry *entries;

    if ( i->nr < i->room )
        return 0;
    entries = fault_realloc(i->entries, room * sizeof(*entries));
    if ( !entries )
        return -ENOMEM;
    i->entries = entries;
    i->room = room;
    return 0;
}

/*
 * The pcpu's last window begins after `time`.  Is that window's time stamp
 * damaged?  Yes if `time` is after the window before that one.  The pcpu's
 * first window is damaged if it begins long after `time`, but another pcpu's
 * window does not.
 */
static bool last_is_damaged(const struct xt_index *i,
                            const struct xt_cpu_windows *l, uint64_t time)
{
    assert(time < l->time);
    if ( l->time_before )
        return time > l->time_before;
    return time >= i->first && l->time - time > FAR_FUTURE;
}

/* No time of such a window is credible. */
static bool has_broken_seal(const struct xt_window *w)
{
    return !w->cut && xt_seal_check(w) == XT_SEAL_BROKEN;
}

/*
 * Does window `w` of time p->time begin another segment?  Yes if that is before
 * the pcpu's last window, unless one of the two times is damaged.
 */
static bool begins_segment(struct xt_index *i, struct xt_cpu_windows *l,
                           const struct xt_window *w, struct xt_index_entry *p)
{
    uint64_t time = l->time_before ? l->time_before : i->first;

    if ( l->last == XT_NOWHERE || p->time >= l->time )
        return false;
    if ( window_is_after(i, w, l->time) || has_broken_seal(w) )
    {
        p->time = l->time;
        return false;
    }
    if ( !last_is_damaged(i, l, p->time) )
        return true;
    if ( l->last >= i->dropped )
        xt_index_get_entry(i, l->last)->time = time;
    l->time = time;
    return false;
}

/*
 * Windows before the first timed one have metadata, which is no older than the
 * first record.
 */
static void date_untimed(struct xt_index *i, uint64_t time)
{
    for ( size_t n = 0; n < i->nr; n++ )
        if ( !i->entries[n].timed )
            i->entries[n].time = time;
}

/*
 * The visits of a pass follow each other.  A visit reads all records of the
 * pcpu, so the first record of a window is before all visits of the next pass.
 */
static void begin_pass(struct xt_index *i)
{
    if ( i->last_pass_time > i->drained )
        i->drained = i->last_pass_time;
    i->last_pass_time = i->pass_time;
    i->pass_time = 0;
    i->pass++;
    assert(i->pass);
}

int xt_index_note_gaps(struct xt_index *i, uint64_t nr_gaps)
{
    assert(nr_gaps >= i->nr_gaps);
    if ( !i->is_whole || nr_gaps == i->nr_gaps )
        return 0;
    i->nr_gaps = nr_gaps;
    return xt_gaps_add(&i->gaps, i->dropped + i->nr, i->drained);
}

/*
 * The collector visits the pcpus in ascending order, pass after pass.  An exit
 * and its handlers are read in the same pass, or in two in succession.  After a
 * silent pass nothing shows how old a record is, and a stream has delivered
 * later records than the pcpu's last one.  Consecutive windows of one pcpu may
 * belong to one visit, and count as one pass.
 *
 * In the first two passes, the previous record may be before the index.
 */
static bool has_recent_record(struct xt_index *i,
                              const struct xt_cpu_windows *l,
                              unsigned int cpu)
{
    if ( cpu < i->cpu )
        begin_pass(i);
    i->cpu = cpu;
    assert(l->pass <= i->pass);
    return i->pass - l->pass <= 1;
}

/*
 * Find the window of a pcpu's list behind which a window of `time` belongs;
 * *after is XT_NOWHERE if that is the first place.  The windows of a displaced
 * block follow each other.  False if the search takes too long, as in a hostile
 * file.
 */
static bool find_place(struct xt_index *i, const struct xt_cpu_windows *l,
                       uint64_t time, uint64_t *after)
{
    const uint64_t hint = l->inserted;
    uint64_t at = l->first;

    assert(i->is_whole && at != XT_NOWHERE);
    *after = XT_NOWHERE;
    if ( hint != XT_NOWHERE && xt_index_get_entry(i, hint)->time <= time )
        at = hint;
    for ( ; at != XT_NOWHERE && xt_index_get_entry(i, at)->time <= time;
          at = xt_index_get_entry(i, at)->next )
    {
        *after = at;
        if ( i->inserting++ > MIN_INSERTING + INSERTING_RATE * i->nr )
            return false;
    }
    return true;
}

/*
 * Insert a displaced window, of which the time is before the pcpu's last
 * window, into the pcpu's list.
 */
static void insert_entry(struct xt_index *i, struct xt_cpu_windows *l,
                         const struct xt_index_entry *p, uint64_t after)
{
    const uint64_t number = i->dropped + i->nr;
    uint64_t *link = after == XT_NOWHERE
                     ? &l->first : &xt_index_get_entry(i, after)->next;

    assert(i->nr < i->room && p->time < l->time && *link != XT_NOWHERE);
    i->entries[i->nr] = *p;
    i->entries[i->nr++].next = *link;
    *link = l->inserted = number;
    if ( p->time > l->time_before )
        l->time_before = p->time;
    i->first = p->time < i->first ? p->time : i->first;
}

/*
 * Give a displaced window its place.  False if the window is the pcpu's last
 * one after all; its time is then no less than that of the window before.
 */
static bool place_displaced(struct xt_index *i, struct xt_cpu_windows *l,
                            struct xt_index_entry *p)
{
    uint64_t after;

    if ( p->time >= l->time )
        return false;
    assert(l->first != XT_NOWHERE);
    if ( i->is_whole && find_place(i, l, p->time, &after) )
    {
        insert_entry(i, l, p, after);
        return true;
    }
    p->time = l->time;
    return false;
}

int xt_index_add(struct xt_index *i, const struct xt_window *w)
{
    struct xt_cpu_windows *l = get_cpu_windows(i, w->cpu);
    struct xt_index_entry p = { .at = w->at, .size = w->size, .cpu = w->cpu,
                                .cut = w->cut, .next = XT_NOWHERE };
    uint64_t number = i->dropped + i->nr;

    assert(w->size <= XT_WINDOW_MAX);
    assert(!i->nr || i->entries[i->nr - 1].at < w->at);
    /* Nothing to read: a file may have millions of empty windows. */
    if ( l && !w->size )
        return 0;
    if ( !l || grow_entries(i) || xt_index_note_gaps(i, w->gaps) )
        return -ENOMEM;
    set_entry_time(&p, w);
    if ( p.timed )
        p.time = cap_time(xt_index_correct(i, w->cpu, p.time));
    if ( !p.timed )
        p.time = l->time > i->time ? l->time : i->time;
    else if ( w->displaced )
    {
        if ( place_displaced(i, l, &p) )
            return 0;
    }
    else if ( begins_segment(i, l, w, &p) )
        return 1;

    p.inherits_time &= has_recent_record(i, l, w->cpu);
    if ( l->last >= i->dropped && l->last != XT_NOWHERE )
        xt_index_get_entry(i, l->last)->next = number;
    if ( l->first == XT_NOWHERE )
        l->first = number;
    l->last = number;
    if ( p.timed )
    {
        l->last_timed = number;
        l->time_before = l->time;
        l->time = p.time;
        l->pass = i->pass;
        i->first = p.time < i->first ? p.time : i->first;
        i->pass_time = p.time > i->pass_time ? p.time : i->pass_time;
        if ( !i->time )
            date_untimed(i, p.time);
    }
    i->time = p.time;
    assert(i->nr < i->room && p.time <= XT_LAST_TIME);
    i->entries[i->nr++] = p;
    return 0;
}

void xt_index_drop_done(struct xt_index *i)
{
    size_t n = 0;

    while ( n < i->nr && i->entries[n].done )
        n++;
    /* Amortised O(1): wait until no more entries move than are dropped. */
    if ( n < i->nr - n || !n )
        return;
    memmove(i->entries, i->entries + n, (i->nr - n) * sizeof(*i->entries));
    i->nr -= n;
    i->dropped += n;
    assert(!i->nr || !i->entries[0].done);
}

/* A loss begins with the first lost record. */
static uint64_t find_record_begin(const struct xt_record *r)
{
    uint64_t from = r->event == TRC_LOST_RECORDS
                    ? xt_field_load(r, XT_AT(lost_records, first_tsc)) : r->tsc;

    assert(xt_record_is_timed(r));
    return from < r->tsc ? from : r->tsc;
}

uint64_t xt_index_entry_begin_time(const struct xt_index *i,
                                   const struct xt_index_entry *p,
                                   const unsigned char *records)
{
    const unsigned char *end = records + p->size;
    uint64_t time = p->time;
    struct xt_record r;
    size_t size;

    while ( (size = xt_record_decode(&r, records, end)) &&
            xt_record_is_possible(&r) && !xt_record_is_timed(&r) )
        records += size;
    if ( size && xt_record_is_possible(&r) )
        time = xt_index_correct(i, p->cpu, find_record_begin(&r));
    return time < p->time ? time : p->time;
}

/* Windows of metadata at the beginning have no time stamp. */
const struct xt_index_entry *xt_index_first_timed(const struct xt_index *i,
                                                  unsigned int cpu)
{
    uint64_t at;

    assert(cpu < i->nr_cpus);
    at = i->cpus[cpu].first;
    while ( at != XT_NOWHERE && !xt_index_get_entry(i, at)->timed )
        at = xt_index_get_entry(i, at)->next;
    return at == XT_NOWHERE ? NULL : xt_index_get_entry(i, at);
}

uint64_t xt_index_find_window(const struct xt_index *i, unsigned int cpu,
                              uint64_t time)
{
    uint64_t at = cpu < i->nr_cpus ? i->cpus[cpu].first : XT_NOWHERE;
    uint64_t found = at;

    for ( ; at != XT_NOWHERE; at = xt_index_get_entry(i, at)->next )
    {
        const struct xt_index_entry *p = xt_index_get_entry(i, at);

        if ( p->time > time )
            break;
        if ( p->timed )
            found = at;
    }
    return found;
}
