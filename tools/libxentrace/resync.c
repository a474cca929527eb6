/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resynchronization after damage.
 *
 *      header      records        end = header + 12 + size
 *      |           |              |
 *   ---[H]---------r---r---r--x---[H']----
 *                             stop
 *
 * If no header stands at `end`, either the size is damaged, or the bytes at
 * `end` are, or the input has ended.  The records distinguish these cases.
 * They lead to `end` (then the window is complete and junk begins there), to a
 * header before `end` (then the size was wrong), past the end of the input
 * (torn), or to an impossible record (then `end` is not credible, and the
 * search begins).  If bytes fell out of a window, decoding its records goes out
 * of step, and may cross headers before it stops: so the search begins at the
 * first record.  No record of an incomplete sealed window is credible.
 *
 * If a header stands at `end`, the size can still be wrong, and lead to a later
 * window.  The numbers of sealed windows show that.
 *
 * This evidence costs a read of all bytes of a window, and a hostile input can
 * have any number of headers that claim the same bytes.  So fruitless reads
 * have a budget, which grows with the position of the walk.  Beyond the budget
 * fewer windows are accepted; a reader verifies each window's seal in any case.
 */
#define _GNU_SOURCE /* memmem */

#include "libxentrace/resync.h"

#include <assert.h>
#include <string.h>

#include "libxentrace/seal.h"
#include "libxentrace/source.h"

/* The budget: at the beginning, and for each byte of input. */
#define WASTE_FIRST (1u << 24)
#define WASTE_RATE 8u

/*
 * A file that was cut out of a trace has a header within the size of a window.
 * An input without any there is no trace, and may be endless, as /dev/zero.
 */
#define FIRST_WITHIN XT_WINDOW_MAX

/* Bytes searched between two counts for the release of pages. */
#define SEARCH_BYTES (1u << 20)

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

/* Check the seal of a window.  XT_SEAL_NONE if that exceeds the budget. */
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

/* Decode records from `at` on.  Returns where that stops, at most `end`. */
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
 * Are these bytes a sequence of records?  It has to be longer than any payload.
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
 * A header that the search finds needs evidence, since any payload can contain
 * bytes that look like a header: the first record of its window, and the header
 * behind the window, unless the input ends before; or all its records.  A seal
 * decides alone.
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

/* The first offset in [from, to) with the magic of a header, or `to`. */
static size_t find_magic(struct xt_windows *w, size_t from, size_t to)
{
    const uint32_t magic = XT_WINDOW_MAGIC;

    while ( to - from >= sizeof(magic) )
    {
        size_t bytes = to - from < SEARCH_BYTES ? to - from : SEARCH_BYTES;
        const unsigned char *found = memmem(w->bytes + from, bytes, &magic,
                                            sizeof(magic));

        if ( found )
            return found - w->bytes;
        if ( w->source )
            xt_source_count_used(w->source, bytes);
        /* The end of a piece may be the begin of the magic. */
        from += bytes - (sizeof(magic) - 1);
    }
    return to;
}

/*
 * The first offset in [from, to) with a header that is_one() accepts, or `to`.
 * With need_more set, the first offset where one may be.
 */
static size_t find_header(struct xt_windows *w, size_t from, size_t to,
                          bool (*is_one)(struct xt_windows *w, size_t at))
{
    assert(from <= to && to <= w->size);
    for ( ; (from = find_magic(w, from, to)) < to; from++ )
        if ( is_one(w, from) || w->need_more )
            break;
    return from;
}

/* The end of a search that begins at `from`. */
static size_t limit_search(const struct xt_windows *w, size_t from)
{
    uint64_t begin = w->skipping ? w->skipped.offset : w->origin + from;

    assert(from <= w->size);
    if ( begin || w->origin + w->size <= FIRST_WITHIN )
        return w->size;
    assert(w->origin + from < FIRST_WITHIN);
    return FIRST_WITHIN - w->origin;
}

/*
 * Nothing is readable from `from` on: skip to the next window or to the end of
 * the input, and note the skipped bytes.
 *
 * If only part of the input is in memory, skip the bytes that certainly begin
 * no window, less one byte: then the next bytes are not taken for a header only
 * because one is due there.  The damage is noted when its end is found.
 */
static void skip_damage(struct xt_windows *w, enum xt_damage_kind kind,
                        size_t from)
{
    size_t limit = limit_search(w, from);
    size_t to = find_header(w, from, limit, header_is_corroborated);

    if ( to == limit && limit < w->size )
    {
        to = w->size;
        w->is_no_trace = true;
    }
    if ( !w->skipping )
        w->skipped = (struct xt_damage_place){ .offset = w->origin + from,
                                               .kind = kind };
    if ( to == w->size && !w->is_no_trace && !xt_windows_has(w, to, 1) &&
         w->need_more )
        to -= w->size - from < 3 ? w->size - from : 3;

    w->skipping = w->need_more;
    if ( !w->need_more )
    {
        w->next = to;
        w->gaps++;
        xt_damage_add(w->damage, w->skipped.kind, w->skipped.offset,
                      w->origin + to - w->skipped.offset);
    }
    else if ( to > from + 1 )
    {
        w->next = to - 1;
        w->need_more = false;
    }
}

/* Does decoding stop at `stop` because the input ends? */
static bool is_cut_at(const struct xt_windows *w, size_t stop)
{
    struct xt_record r;

    return !xt_record_decode(&r, w->bytes + stop, w->bytes + w->size);
}

static void note_damage(struct xt_windows *w, enum xt_damage_kind kind,
                        size_t from, size_t to)
{
    assert(from <= to && to <= w->size);
    w->gaps++;
    xt_damage_add(w->damage, kind, w->origin + from, to - from);
}

/* The number of the window at `at`, if it is sealed. */
static bool get_seal_number(struct xt_windows *w, size_t at, uint32_t *number)
{
    struct xt_header h;

    return xt_header_read_head(w, at, &h) && h.size >= XT_SEAL_BYTES &&
           xt_windows_has(w, at, XT_WINDOW_HEADER + XT_SEAL_BYTES) &&
           xt_seal_number(xt_windows_head(w, at) + XT_WINDOW_HEADER, h.size,
                          number);
}

/*
 * True if the window at `at`, ending at `stop`, is complete as far as seals can
 * show.  After damage, an unsealed window behind a sealed one has lost its
 * seal.
 */
static bool seal_agrees(struct xt_windows *w, size_t at, size_t stop)
{
    struct xt_header h;
    uint32_t number;

    if ( !get_seal_number(w, at, &number) )
        return !w->expected_seal || w->expected_seal == XT_NO_SEAL;
    if ( !xt_header_read(w, at, &h) )
        return false;
    h.size = stop - at - XT_WINDOW_HEADER;
    return check_seal(w, at, &h) == XT_SEAL_GOOD;
}

/*
 * The end of the credible records between `first` and `end`, where no header
 * is.  Decoding may have been out of step and crossed headers: the records end
 * at the first of these.
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

    assert(first <= end);
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
    assert(limit <= w->size);
    w->expected_seal = XT_NO_SEAL;
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

/* The seal is broken: note the window as damage and continue at `to`. */
static bool reject_window(struct xt_windows *w, size_t at, size_t to)
{
    assert(at < to);
    note_damage(w, XT_DAMAGE_SUM, at, to);
    w->next = to;
    return false;
}

/*
 * The numbers of the neighbouring seals do not match: is the size in the header
 * wrong, or are windows missing behind this one?
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

    w->expected_seal = sealed ? (uint64_t)number + 1 : XT_NO_SEAL;
    if ( !sealed )
    {
        /*
         * A single flipped bit leaves a seal recognizable (seal.h): more bits
         * are wrong here.
         */
        if ( follows && next == expected + 1 )
            return reject_window(w, at, end);
        return true;
    }
    if ( follows && (next == number + 1 || !next) )
        return true;
    return check_seal_order(w, at, h, follows && next > number);
}
