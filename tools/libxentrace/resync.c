/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding the way again.
 *
 *      header      records        end = header + 12 + size
 *      |           |              |
 *   ---[H]---------r---r---r--x---[H']----
 *                             stop
 *
 * If no header stands at `end`, the size may be damaged, or what stands at
 * `end`, or the input may simply be over.  The records tell these apart:
 * they lead to `end` (then the window is whole and the junk begins there),
 * to a header before it (then the size was wrong), past the end of the input
 * (torn), or to an impossible record (then nothing speaks for `end`, and the
 * search begins).  If bytes fell out of a window, its records lead astray, and
 * across headers before they stop: so the search begins at the first record.
 * Of a sealed window that is not whole no record is believed.
 *
 * If a header stands at `end`, the size can still be wrong, and have led to a
 * window farther on.  Where windows are sealed, that shows in their numbers.
 *
 * To hear these witnesses costs a look at all bytes of a window, and an input
 * can be made in which any number of headers claim the same bytes.  So there
 * is a budget for what is looked at in vain, by how far the walk has come.
 * Beyond it less is believed; whoever reads a window looks at its seal anyway.
 */
#define _GNU_SOURCE /* memmem */

#include "libxentrace/resync.h"

#include <assert.h>
#include <string.h>

#include "libxentrace/seal.h"

/* There was no seal before, so this is what to expect: no number. */
#define NO_NUMBER (1ull << 32)

/* Of the budget: to begin with, and for each byte of input. */
#define WASTE_FIRST (1u << 24)
#define WASTE_RATE 8u

static struct xt_window make_window(const struct xt_windows *w, size_t at,
                                    const struct xt_header *h)
{
    return (struct xt_window){
        .cpu = h->cpu, .at = w->origin + at, .size = h->size,
        .bytes = w->bytes + at + XT_WINDOW_HEADER,
    };
}

static bool within_budget(const struct xt_windows *w, size_t at)
{
    return w->wasted <= WASTE_FIRST + WASTE_RATE * (w->origin + at);
}

/* The seal of a window, or XT_SEAL_NONE if it is too dear to know. */
static enum xt_seal check_seal(struct xt_windows *w, size_t at,
                               const struct xt_header *h)
{
    struct xt_window window = make_window(w, at, h);
    enum xt_seal seal;

    if ( !within_budget(w, at) ||
         !xt_windows_has(w, at, XT_WINDOW_HEADER + h->size) )
        return XT_SEAL_NONE;
    seal = xt_seal_check(&window);
    if ( seal == XT_SEAL_BROKEN )
        w->wasted += h->size;
    return seal;
}

/* Where a walk over records that starts at `at` gets to, `end` at most. */
static size_t walk_records(const struct xt_windows *w, size_t at, size_t end)
{
    struct xt_record r;
    size_t size;

    assert(at <= end && end <= w->size);
    while ( (size = xt_record_decode(&r, w->bytes + at, w->bytes + end)) &&
            xt_record_is_possible(&r) )
        at += size;
    return at;
}

/*
 * Are these bytes records, one behind the other?  Enough of them, so that no
 * payload holds them all.
 */
static bool are_records(struct xt_windows *w, size_t from, size_t to)
{
    size_t stop;

    if ( to - from <= 4 * XT_RECORD_MAX_WORDS || !within_budget(w, from) )
        return false;
    stop = walk_records(w, from, to);
    w->wasted += stop - from;
    return stop == to;
}

/*
 * A header that only the search found needs witnesses: bytes that look like
 * one can stand in any payload.  They are the first record of its window,
 * and the header that it leads to, unless the input ends before that; or all
 * its records.  A seal speaks for all of it, or against it.
 */
static bool header_is_corroborated(struct xt_windows *w, size_t at)
{
    size_t first = at + XT_WINDOW_HEADER, end, limit;
    struct xt_header h, next;
    enum xt_seal seal;
    struct xt_record r;

    if ( !xt_header_read(w, at, &h) )
        return false;
    end = first + h.size;
    if ( !xt_windows_has(w, end, XT_WINDOW_HEADER) && w->need_more )
        return false;
    seal = check_seal(w, at, &h);
    if ( seal != XT_SEAL_NONE )
        return seal == XT_SEAL_GOOD;
    limit = end < w->size ? end : w->size;
    if ( h.size && !(xt_record_decode(&r, w->bytes + first,
                                      w->bytes + limit) &&
                     xt_record_is_possible(&r)) )
        return false;
    return end + XT_WINDOW_HEADER > w->size ||
           xt_header_read(w, end, &next) || are_records(w, first, end);
}

/*
 * The first place in [from, to) where a header of this kind stands, or `to`.
 * Starved: the first where one may stand.
 */
static size_t find_header(struct xt_windows *w, size_t from, size_t to,
                          bool (*is_one)(struct xt_windows *w, size_t at))
{
    const uint32_t magic = XT_WINDOW_MAGIC;
    const unsigned char *p = w->bytes + from, *end = w->bytes + to;

    while ( (p = memmem(p, end - p, &magic, sizeof(magic))) )
    {
        if ( is_one(w, p - w->bytes) || w->need_more )
            return p - w->bytes;
        p++;
    }
    return to;
}

/*
 * Nothing can be read from `from` on: go to the next window, or to the input's
 * end, and note what is lost.
 *
 * If only part of the input is in memory, go as far as there certainly is no
 * window, and one byte less: then nobody takes what stands there for a header
 * because it is where one should be.  The note waits for the end of it.
 */
static void skip_damage(struct xt_windows *w, enum xt_damage_kind kind,
                        size_t from)
{
    size_t to = find_header(w, from, w->size, header_is_corroborated);

    if ( !w->skipping )
        w->skipped = (struct xt_damage_place){ .offset = w->origin + from,
                                               .kind = kind };
    if ( to == w->size && !xt_windows_has(w, to, 1) && w->need_more )
        to -= w->size - from < 3 ? w->size - from : 3;

    w->skipping = w->need_more;
    if ( !w->need_more )
    {
        w->next = to;
        xt_damage_add(w->damage, w->skipped.kind, w->skipped.offset,
                      w->origin + to - w->skipped.offset);
    }
    else if ( to > from + 1 )
    {
        w->next = to - 1;
        w->need_more = false;
    }
}

/* Is it the input's end that stops a walk at `stop`? */
static bool is_cut_at(const struct xt_windows *w, size_t stop)
{
    struct xt_record r;

    return !xt_record_decode(&r, w->bytes + stop, w->bytes + w->size);
}

static void note_damage(struct xt_windows *w, enum xt_damage_kind kind,
                        size_t from, size_t to)
{
    xt_damage_add(w->damage, kind, w->origin + from, to - from);
}

/* The number of the window whose header stands at `at`, if it is sealed. */
static bool get_seal_number(struct xt_windows *w, size_t at, uint32_t *number)
{
    struct xt_header h;

    return xt_header_read(w, at, &h) && h.size >= XT_SEAL_BYTES &&
           xt_windows_has(w, at, XT_WINDOW_HEADER + XT_SEAL_BYTES) &&
           xt_seal_number(w->bytes + at + XT_WINDOW_HEADER, h.size, number);
}

/*
 * If the window at `at` is sealed, is it whole when it ends at `stop`?  Where
 * something is wrong, one without a seal behind one with a seal had one.
 */
static bool seal_agrees(struct xt_windows *w, size_t at, size_t stop)
{
    struct xt_header h;
    uint32_t number;

    if ( !get_seal_number(w, at, &number) )
        return !w->expected_seal || w->expected_seal == NO_NUMBER;
    if ( !xt_header_read(w, at, &h) )
        return false;
    h.size = stop - at - XT_WINDOW_HEADER;
    return check_seal(w, at, &h) == XT_SEAL_GOOD;
}

/*
 * Where the records stop that begin at `first` and should end at `end`, but
 * there is no header.  The walk may have gone astray long before, and across
 * headers, whatever it happened to come to: it stops at the first of these.
 */
static size_t find_records_end(struct xt_windows *w, size_t first, size_t end)
{
    size_t stop = walk_records(w, first, end < w->size ? end : w->size), inside;
    size_t to = w->size - stop < 3 ? w->size : stop + 3;

    if ( !within_budget(w, first) )
        return stop;
    inside = find_header(w, first, to, header_is_corroborated);
    if ( inside == to )
        return stop;
    w->wasted += stop - first;
    return walk_records(w, first, inside);
}

size_t xt_resync_find_end(struct xt_windows *w, size_t at, size_t end)
{
    size_t first = at + XT_WINDOW_HEADER, stop;
    struct xt_header h;
    bool header;

    stop = xt_windows_has(w, end, XT_WINDOW_HEADER) || !w->need_more
           ? find_records_end(w, first, end) : end;
    if ( w->need_more )
        return stop;
    w->next = stop;
    header = stop < end && xt_header_read(w, stop, &h);
    if ( end > w->size && !header && is_cut_at(w, stop) )
    {
        w->next = w->size;
        note_damage(w, XT_DAMAGE_TORN, stop, w->next);
    }
    else if ( within_budget(w, at) && !seal_agrees(w, at, stop) )
    {
        w->wasted += stop - first;
        stop = first;
        skip_damage(w, XT_DAMAGE_RECORD, stop);
    }
    else if ( header )
        note_damage(w, XT_DAMAGE_SIZE, at, at);
    else if ( stop < end )
        skip_damage(w, XT_DAMAGE_RECORD, stop);
    return stop;
}

void xt_resync_skip_damage(struct xt_windows *w)
{
    bool torn = w->size - w->next < XT_WINDOW_HEADER;

    skip_damage(w, torn ? XT_DAMAGE_TORN : XT_DAMAGE_JUNK, w->next);
}

void xt_resync_find_first(struct xt_windows *w, size_t from, size_t limit)
{
    w->expected_seal = NO_NUMBER;
    w->skipping = false;
    w->next = limit;
    if ( from < limit )
        w->next = find_header(w, from, limit, header_is_corroborated);
}

/* --- sealed windows ------------------------------------------------------- */

static bool header_is_sealed(struct xt_windows *w, size_t at)
{
    struct xt_header h;

    return xt_header_read(w, at, &h) &&
           check_seal(w, at, &h) == XT_SEAL_GOOD;
}

/* What is sealed is broken: go on at `to`. */
static bool reject_window(struct xt_windows *w, size_t at, size_t to)
{
    note_damage(w, XT_DAMAGE_SUM, at, to);
    w->next = to;
    return false;
}

/*
 * A seal that does not have its number's neighbours around it: is the size in
 * the header wrong, or are windows missing behind it?
 */
static bool check_seal_order(struct xt_windows *w, size_t at,
                             const struct xt_header *h, bool missing)
{
    size_t end = at + XT_WINDOW_HEADER + h->size, inside;
    enum xt_seal seal = check_seal(w, at, h);

    if ( missing && seal == XT_SEAL_GOOD && header_is_sealed(w, end) )
        note_damage(w, XT_DAMAGE_GONE, end, end);
    if ( seal != XT_SEAL_BROKEN )
        return true;
    inside = find_header(w, at + XT_WINDOW_HEADER, end, header_is_sealed);
    return inside == end || reject_window(w, at, inside);
}

bool xt_resync_check_window(struct xt_windows *w, size_t at,
                            const struct xt_header *h)
{
    size_t end = at + XT_WINDOW_HEADER + h->size;
    uint32_t number, next;
    bool sealed = get_seal_number(w, at, &number);
    bool follows = get_seal_number(w, end, &next);
    uint64_t expected = w->expected_seal;

    w->expected_seal = sealed ? (uint64_t)number + 1 : NO_NUMBER;
    if ( !sealed )
    {
        /* With one wrong bit a seal is still one (seal.h): here are more. */
        if ( follows && next == expected + 1 )
            return reject_window(w, at, end);
        return true;
    }
    if ( follows && (next == number + 1 || !next) )
        return true;
    return check_seal_order(w, at, h, follows && next > number);
}
