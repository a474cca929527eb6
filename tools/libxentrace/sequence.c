/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorted arrays of windows.  Nearly all windows are appended, after one
 * comparison.  A seal is believed only after a check if its number is not the
 * next one.
 */
#include "libxentrace/sequence.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/index.h"
#include "libxentrace/meta-event.h"
#include "libxentrace/seal.h"
#include "libxentrace/source.h"

#define FIRST_ROOM 64u

/*
 * Windows that are inserted into one list: beyond, the file has no order, and
 * sorting it would take quadratic time.
 */
#define MAX_INSERTED 4096u

/*
 * Bytes behind a window that are searched.  A window before all others may also
 * be that of another boot: less evidence counts.
 */
#define SEARCH_BYTES (16u << 20)
#define SEARCH_BYTES_FIRST (512u << 10)

/* The budget of these searches: at the beginning, and for each byte. */
#define BUDGET_FIRST (1u << 26)
#define BUDGET_RATE 8u

#define HASH_PRIME 16777619u    /* as in FNV */

/* Time stamps of a window that are compared with the window before. */
#define MAX_TIMES 8u

void xt_sequence_init(struct xt_sequence *s)
{
    *s = (struct xt_sequence){ .ended = false };
}

static void free_lists(struct xt_sequence *s)
{
    assert(s->cpus || !s->nr_cpus);
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
        free(s->cpus[cpu].items);
    free(s->cpus);
    free(s->sealed.items);
}

void xt_sequence_fini(struct xt_sequence *s)
{
    free_lists(s);
    xt_sequence_init(s);
}

/* Another capture begins. */
static void begin_capture(struct xt_sequence *s)
{
    assert(s->sealed.nr <= s->sealed.room);
    s->sealed.nr = s->sealed.inserted = 0;
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
    {
        struct xt_seen_list *l = &s->cpus[cpu];

        l->nr = l->inserted = l->gap_end = 0;
    }
    s->has_first = s->ended = s->restarted = s->displaced = false;
    s->nr_before = 0;
}

/* --- a list --------------------------------------------------------------- */

/* The first item that is not before `number`. */
static size_t find_item(const struct xt_seen_list *l, uint64_t number)
{
    size_t from = 0, to = l->nr;

    while ( from < to )
    {
        size_t middle = from + (to - from) / 2;

        if ( l->items[middle].number < number )
            from = middle + 1;
        else
            to = middle;
    }
    assert(from == l->nr || l->items[from].number >= number);
    return from;
}

static int grow_list(struct xt_seen_list *l)
{
    size_t room = l->room ? 2 * l->room : FIRST_ROOM;
    struct xt_seen *items;

    assert(l->nr <= l->room);
    if ( l->nr < l->room )
        return 0;
    items = fault_realloc(l->items, room * sizeof(*items));
    if ( !items )
        return -ENOMEM;
    l->items = items;
    l->room = room;
    return 0;
}

static int insert_item(struct xt_seen_list *l, size_t at,
                       const struct xt_seen *item)
{
    assert(at <= l->nr);
    if ( at < l->nr && l->inserted++ >= MAX_INSERTED )
        return 0;
    if ( grow_list(l) )
        return -ENOMEM;
    memmove(l->items + at + 1, l->items + at,
            (l->nr - at) * sizeof(*l->items));
    l->items[at] = *item;
    l->nr++;
    return 0;
}

/* --- sealed windows ------------------------------------------------------- */

/* Does the window have the record with which a capture ends? */
static bool has_end(const struct xt_window *w)
{
    const unsigned char *end, *at = xt_window_begin(w, &end);
    struct xt_record r;
    size_t size;

    for ( ; (size = xt_record_decode(&r, at, end)) &&
            xt_event_is_meta(r.event); at += size )
        if ( r.event == TRC_META_END )
            return true;
    return false;
}

/*
 * A capture that begins with the same window as the one before is a copy of
 * that if the first window with a record of Xen is the same, too.
 */
static void compare_captures(struct xt_sequence *s, const struct xt_window *w,
                             const struct xt_seen *item)
{
    const struct xt_seen *before;
    uint64_t time;
    bool same;

    if ( s->sealed.nr >= s->nr_before )
        return;
    assert(s->nr_before <= s->sealed.room);
    before = &s->sealed.items[s->sealed.nr];
    same = before->number == item->number && before->sum == item->sum;
    s->is_copy = same && xt_window_time(w, &time);
    if ( s->is_copy || !same )
        s->nr_before = 0;
}

/*
 * The number belongs to another window of the capture, so another capture has
 * begun, perhaps with the same first window.
 */
static int restart_sealed(struct xt_sequence *s, const struct xt_window *w,
                          const struct xt_seen *item)
{
    const struct xt_seen first = s->sealed.items[0];
    bool has_first = s->restarted;
    size_t nr = s->sealed.nr;

    assert(nr && first.number <= item->number);
    begin_capture(s);
    s->begin = w->at;
    s->nr_before = first.number == item->number ? nr : 0;
    compare_captures(s, w, item);
    if ( has_first && first.number < item->number &&
         insert_item(&s->sealed, 0, &first) )
        return -ENOMEM;
    return insert_item(&s->sealed, s->sealed.nr, item) ? -ENOMEM
                                                       : XT_WINDOW_NEXT;
}

/*
 * The number is not after those of the capture, and the seal is good.  A second
 * copy of the whole capture is another capture; and the files of a rotated
 * capture may begin with the same window, of metadata only.
 */
static int place_sealed(struct xt_sequence *s, const struct xt_window *w,
                        const struct xt_seen *item)
{
    size_t at = find_item(&s->sealed, item->number);
    const struct xt_seen *known = &s->sealed.items[at];
    uint64_t time;

    assert(at < s->sealed.nr);
    if ( known->number != item->number )
        return insert_item(&s->sealed, at, item) ? -ENOMEM
                                                 : XT_WINDOW_DISPLACED;
    if ( known->sum != item->sum || (!at && s->ended) )
        return restart_sealed(s, w, item);
    if ( at || xt_window_time(w, &time) )
        return XT_WINDOW_REPEATED;
    s->restarted = true;
    return XT_WINDOW_NEXT;
}

static int add_sealed(struct xt_sequence *s, const struct xt_window *w,
                      uint32_t number)
{
    const unsigned char *end;
    const struct xt_seen item = {
        .number = number, .sum = xt_seal_sum(xt_window_begin(w, &end)),
        .size = w->size,
    };
    const struct xt_seen_list *l = &s->sealed;
    uint64_t last = l->nr ? l->items[l->nr - 1].number : number;
    int rc;

    if ( number != (l->nr ? last + 1 : 0) &&
         xt_seal_check(w) != XT_SEAL_GOOD )
        return XT_WINDOW_NEXT;
    if ( !l->nr || number > last )
    {
        compare_captures(s, w, &item);
        rc = insert_item(&s->sealed, l->nr, &item) ? -ENOMEM : XT_WINDOW_NEXT;
    }
    else
        rc = place_sealed(s, w, &item);
    s->ended |= rc == XT_WINDOW_NEXT && has_end(w);
    return rc;
}

/* --- windows without a seal ----------------------------------------------- */

/* A hash of the records up to the first time stamp. */
static uint32_t hash_first_records(const struct xt_window *w)
{
    const unsigned char *end, *first = xt_window_begin(w, &end), *at = first;
    struct xt_record r = { .has_tsc = false };
    uint32_t hash = 0;
    size_t size;

    while ( !xt_record_is_timed(&r) && (size = xt_record_decode(&r, at, end)) )
        at += size;
    assert(at <= end);
    for ( const unsigned char *word = first; word < at; word += 4 )
        hash = (hash ^ xt_load32(word)) * HASH_PRIME;
    return hash;
}

/* Are most of the first time stamps of a window before `time`? */
static bool window_is_before(const struct xt_window *w, uint64_t time)
{
    const unsigned char *at = w->bytes, *end = at + w->size;
    unsigned int before = 0, nr = 0;
    struct xt_record r;
    size_t size;

    while ( nr < MAX_TIMES && (size = xt_record_decode(&r, at, end)) &&
            xt_record_is_possible(&r) )
    {
        at += size;
        nr += xt_record_is_timed(&r);
        before += xt_record_is_timed(&r) && r.tsc < time;
    }
    return 2 * before > nr;
}

/* Is all of the input in memory, and the search within the budget? */
static bool can_search(const struct xt_sequence *s,
                       const struct xt_windows *windows)
{
    assert(windows->next <= windows->size);
    return windows->source && windows->source->map &&
           s->searched <= BUDGET_FIRST +
                          BUDGET_RATE * (windows->origin + windows->next);
}

/* The gap in which window `w` belongs; `gap` for a copy of a known window. */
static size_t find_gap(const struct xt_seen_list *l, const struct xt_window *w,
                       size_t gap)
{
    uint64_t time;
    size_t at;

    assert(gap < l->nr);
    if ( !xt_window_time(w, &time) )
        return gap;
    at = find_item(l, time);
    return at < l->nr && l->items[at].number == time ? gap : at;
}

/*
 * Do the next windows of the pcpu fit into the same gap of the known windows,
 * up to one behind all of these, or to the end of the input?  Copies of known
 * windows are ignored.  In front of all known windows the end is no evidence:
 * the second of two traces may be the earlier one.
 */
static bool search_ahead(struct xt_sequence *s, const struct xt_windows *from,
                         unsigned int cpu, size_t gap)
{
    const uint64_t bytes = gap ? SEARCH_BYTES : SEARCH_BYTES_FIRST;
    struct xt_seen_list *l = &s->cpus[cpu];
    struct xt_damage ignored = { 0 };
    struct xt_windows look = *from;
    struct xt_window w;
    size_t place = gap;

    assert(gap < l->nr);
    if ( look.size - look.next > bytes )
        look.size = look.next + bytes;
    look.damage = &ignored;
    look.heads = NULL;
    while ( place == gap && xt_windows_next(&look, &w) )
        if ( w.cpu == cpu )
            place = find_gap(l, &w, gap);
    s->searched += look.next - from->next + look.wasted - from->wasted;
    l->gap_end = place == l->nr || (gap && place == gap &&
                                    look.next == from->size)
                 ? look.origin + look.next : 0;
    return l->gap_end;
}

/* Is the window displaced?  One search is enough for all of a block. */
static bool fits_into_gap(struct xt_sequence *s, const struct xt_windows *from,
                          const struct xt_window *w, size_t gap)
{
    assert(w->cpu < s->nr_cpus);
    return w->at < s->cpus[w->cpu].gap_end ||
           (can_search(s, from) && search_ahead(s, from, w->cpu, gap));
}

/*
 * Is the window a copy of the known one, or of the begin of that?  Two windows
 * in succession may begin at the same time with similar records.
 */
static bool is_copy(const struct xt_seen_list *l, size_t at,
                    const struct xt_seen *item)
{
    assert(l->items[at].number == item->number);
    return l->items[at].sum == item->sum &&
           (at + 1 < l->nr || l->items[at].size == item->size);
}

static int place_unsealed(struct xt_sequence *s,
                          const struct xt_windows *windows,
                          const struct xt_window *w,
                          const struct xt_seen *item)
{
    struct xt_seen_list *l = &s->cpus[w->cpu];
    size_t at = find_item(l, item->number);
    bool is_known = l->items[at].number == item->number;

    assert(at < l->nr);
    if ( is_known && !is_copy(l, at, item) )
        return XT_WINDOW_NEXT;
    if ( is_known && (at || w->cpu != s->first_cpu) )
        return XT_WINDOW_REPEATED;
    if ( !is_known )
    {
        if ( !window_is_before(w, l->items[l->nr - 1].number) )
            return XT_WINDOW_NEXT;
        if ( fits_into_gap(s, windows, w, at) )
            return insert_item(l, at, item) ? -ENOMEM : XT_WINDOW_DISPLACED;
    }
    begin_capture(s);
    s->begin = w->at;
    s->is_copy = is_known;
    s->has_first = true;
    s->first_cpu = w->cpu;
    return insert_item(l, 0, item) ? -ENOMEM : XT_WINDOW_NEXT;
}

static int add_unsealed(struct xt_sequence *s,
                        const struct xt_windows *windows,
                        const struct xt_window *w)
{
    struct xt_seen_list *l;
    struct xt_seen item;

    if ( !xt_window_time(w, &item.number) )
        return XT_WINDOW_NEXT;
    assert(w->cpu < XT_MAX_CPUS);
    if ( !grow_to_index(&s->cpus, &s->nr_cpus, w->cpu, sizeof(*l)) )
        return -ENOMEM;
    l = &s->cpus[w->cpu];
    item.sum = hash_first_records(w);
    item.size = w->size;
    if ( l->nr && item.number <= l->items[l->nr - 1].number )
        return place_unsealed(s, windows, w, &item);
    if ( !s->has_first )
        s->first_cpu = w->cpu;
    s->has_first = true;
    return insert_item(l, l->nr, &item) ? -ENOMEM : XT_WINDOW_NEXT;
}

/* Note a displaced block once, at its first window, and a copy at its begin. */
static void note_damage(struct xt_sequence *s, const struct xt_windows *windows,
                        const struct xt_window *w, bool is_sealed, int verdict)
{
    assert(verdict >= 0);
    if ( verdict == XT_WINDOW_REPEATED )
        xt_damage_add(windows->damage, XT_DAMAGE_REPEATED, w->at,
                      XT_WINDOW_HEADER + w->size);
    else if ( verdict == XT_WINDOW_DISPLACED && !s->displaced )
        xt_damage_add(windows->damage, is_sealed ? XT_DAMAGE_ORDER
                                                 : XT_DAMAGE_BACKWARD,
                      w->at, 0);
    s->displaced = verdict == XT_WINDOW_DISPLACED;
    if ( s->is_copy )
        xt_damage_add(windows->damage, XT_DAMAGE_TWICE, s->begin, 0);
    s->is_copy = false;
}

int xt_sequence_add(struct xt_sequence *s, const struct xt_windows *windows,
                    const struct xt_window *w)
{
    const unsigned char *begin, *end;
    bool is_sealed;
    uint32_t number;
    int verdict;

    assert(w->size <= XT_WINDOW_MAX);
    begin = xt_window_begin(w, &end);
    is_sealed = xt_seal_number(begin, end - begin, &number);
    verdict = is_sealed ? add_sealed(s, w, number)
                        : add_unsealed(s, windows, w);
    if ( verdict >= 0 )
        note_damage(s, windows, w, is_sealed, verdict);
    return verdict;
}
