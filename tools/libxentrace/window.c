/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The window codec.  Where the input is sound, reading is two comparisons a
 * window: this header is credible, and so is the one that it leads to.  All
 * else is the slow way below, which decides what can still be believed.
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
 * search begins right there).  If bytes fell out of a window, its records may
 * lead astray until then and so cost the next window, too, but no third.
 */
#define _GNU_SOURCE /* memmem */

#include "libxentrace/window.h"

#include <assert.h>
#include <string.h>

struct header
{
    uint32_t magic;
    uint32_t cpu;
    uint32_t size;
};

_Static_assert(sizeof(struct header) == XT_WINDOW_HEADER, "layout");

/* The header at `at`, if all of it is there and it says nothing absurd. */
static bool header_read(const struct xt_windows *w, size_t at,
                        struct header *h)
{
    if ( at > w->size || w->size - at < sizeof(*h) )
        return false;
    memcpy(h, w->bytes + at, sizeof(*h));
    return h->magic == XT_WINDOW_MAGIC && h->cpu < XT_MAX_CPUS &&
           h->size % 4 == 0 && h->size <= XT_WINDOW_MAX;
}

/*
 * A header that only the search found needs witnesses: bytes that look like
 * one can stand in any payload.  They are the first record of its window,
 * and the header that it leads to, unless the input ends before that.
 */
static bool header_has_witnesses(const struct xt_windows *w, size_t at)
{
    const unsigned char *end_of_input = w->bytes + w->size;
    struct header h, next;
    struct xt_record r;
    size_t first, end;

    if ( !header_read(w, at, &h) )
        return false;
    first = at + XT_WINDOW_HEADER;
    end = first + h.size;
    if ( h.size && !(xt_record_decode(&r, w->bytes + first, end_of_input) &&
                     xt_record_possible(&r)) )
        return false;
    return end + XT_WINDOW_HEADER > w->size || header_read(w, end, &next);
}

/* Offset of the next window at or behind `from`, or of the input's end. */
static size_t search(const struct xt_windows *w, size_t from)
{
    const uint32_t magic = XT_WINDOW_MAGIC;
    const unsigned char *p = w->bytes + from;

    while ( (p = memmem(p, w->bytes + w->size - p, &magic, sizeof(magic))) )
    {
        if ( header_has_witnesses(w, p - w->bytes) )
            return p - w->bytes;
        p++;
    }
    return w->size;
}

/* Where a walk over records that starts at `at` gets to, `end` at most. */
static size_t walk(const struct xt_windows *w, size_t at, size_t end)
{
    struct xt_record r;
    size_t size;

    assert(at <= end && end <= w->size);
    while ( (size = xt_record_decode(&r, w->bytes + at, w->bytes + end)) &&
            xt_record_possible(&r) )
        at += size;
    return at;
}

/* Is it the input's end that stops a walk at `stop`? */
static bool cut_at(const struct xt_windows *w, size_t stop)
{
    struct xt_record r;

    return !xt_record_decode(&r, w->bytes + stop, w->bytes + w->size);
}

/*
 * The window whose header stands at `at` claims to reach to `end`, and there
 * is no header.  Say where its records stop, and set w->next behind what is
 * lost with them.
 */
static size_t settle(struct xt_windows *w, size_t at, size_t end)
{
    size_t limit = end < w->size ? end : w->size;
    size_t stop = walk(w, at + XT_WINDOW_HEADER, limit);
    struct header h;

    if ( stop == end )
        w->next = end;
    else if ( header_read(w, stop, &h) )
    {
        xt_damage_add(w->damage, XT_DAMAGE_SIZE, at, 0);
        w->next = stop;
    }
    else if ( end > w->size && cut_at(w, stop) )
    {
        xt_damage_add(w->damage, XT_DAMAGE_TORN, stop, w->size - stop);
        w->next = w->size;
    }
    else
    {
        w->next = search(w, stop);
        xt_damage_add(w->damage, XT_DAMAGE_RECORD, stop, w->next - stop);
    }
    return stop;
}

/* No header at w->next: go to one. */
static void skip_junk(struct xt_windows *w)
{
    size_t at = w->next, left = w->size - at;

    w->next = search(w, at);
    if ( left < XT_WINDOW_HEADER )
        xt_damage_add(w->damage, XT_DAMAGE_TORN, at, left);
    else
        xt_damage_add(w->damage, XT_DAMAGE_JUNK, at, w->next - at);
}

void xt_windows_init(struct xt_windows *w, const void *bytes, size_t size,
                     struct xt_damage *damage)
{
    assert((bytes || !size) && damage);
    *w = (struct xt_windows){ .bytes = bytes, .size = size, .damage = damage };
}

bool xt_windows_next(struct xt_windows *w, struct xt_window *out)
{
    struct header h, after;
    size_t at, end;

    assert(w->next <= w->size);
    if ( w->next < w->size && !header_read(w, w->next, &h) )
        skip_junk(w);
    if ( !header_read(w, w->next, &h) )
        return false;

    at = w->next;
    end = at + XT_WINDOW_HEADER + h.size;
    w->next = end;
    if ( end != w->size && !header_read(w, end, &after) )
        end = settle(w, at, end);

    *out = (struct xt_window){
        .cpu = h.cpu, .at = at, .bytes = w->bytes + at + XT_WINDOW_HEADER,
        .size = end - at - XT_WINDOW_HEADER,
    };
    return true;
}

void xt_records_stop(struct xt_records *w)
{
    size_t left = w->end - w->at;

    if ( left )
        xt_damage_add(w->damage, XT_DAMAGE_RECORD, w->offset_of_end - left,
                      left);
    w->end = w->at;
}

void xt_frame_init(struct xt_frame *f, unsigned int cpu,
                   const struct iovec *spans, int nr_spans)
{
    struct header h = { .magic = XT_WINDOW_MAGIC, .cpu = cpu };

    assert(cpu < XT_MAX_CPUS && nr_spans >= 1 && nr_spans <= 2);
    f->iov[0].iov_base = f->header;
    f->iov[0].iov_len = sizeof(f->header);
    for ( int i = 0; i < nr_spans; i++ )
    {
        f->iov[1 + i] = spans[i];
        h.size += spans[i].iov_len;
    }
    f->nr_iov = 1 + nr_spans;
    assert(h.size % 4 == 0 && h.size <= XT_WINDOW_MAX);
    memcpy(f->header, &h, sizeof(h));
}
