/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The window codec.  In valid input, reading takes two comparisons per window:
 * its header is credible, and so is the next header.  All other cases are the
 * slow path, resync.c, which decides what is still credible.
 */
#include "libxentrace/window.h"

#include <assert.h>
#include <string.h>

#include "libxentrace/resync.h"

#define CACHE_LINE 64u
#define FETCH_HEADERS 1024u

_Static_assert(sizeof(struct xt_header) == XT_WINDOW_HEADER, "layout");

bool xt_header_read(struct xt_windows *w, size_t at, struct xt_header *h)
{
    if ( !xt_windows_has(w, at, sizeof(*h)) )
        return false;
    memcpy(h, w->bytes + at, sizeof(*h));
    return xt_header_is_credible(h);
}

bool xt_header_read_head(struct xt_windows *w, size_t at, struct xt_header *h)
{
    if ( !xt_windows_has(w, at, sizeof(*h)) )
        return false;
    memcpy(h, xt_windows_head(w, at), sizeof(*h));
    return xt_header_is_credible(h);
}

void xt_windows_init(struct xt_windows *w, const void *bytes, size_t size,
                     struct xt_damage *damage)
{
    assert((bytes || !size) && damage);
    *w = (struct xt_windows){ .bytes = bytes, .size = size, .damage = damage };
}

void xt_windows_move(struct xt_windows *w, const void *bytes, size_t size,
                     uint64_t origin, bool more)
{
    uint64_t next = w->origin + w->next;

    assert(next >= origin && next - origin <= size);
    w->bytes = bytes;
    w->size = size;
    w->origin = origin;
    w->more = more;
    w->next = next - origin;
}

/* Does the input end at `at`? */
static bool is_input_end(struct xt_windows *w, size_t at)
{
    return at == w->size && !w->more;
}

/*
 * Prefetch the place of the next headers.  The windows of many pcpus are too
 * short for the hardware prefetcher, and each header says where the next is.
 */
static void fetch_headers(const struct xt_windows *w, size_t at)
{
    for ( size_t i = CACHE_LINE; i < FETCH_HEADERS; i += CACHE_LINE )
        __builtin_prefetch(w->bytes + at + i);
}

/* Copied records suffice if two of Xen's have time stamps, or all are there. */
static void set_first_records(const struct xt_windows *w, size_t at,
                              struct xt_window *out)
{
    const size_t most = XT_HEAD_BYTES - XT_WINDOW_HEADER;
    const unsigned char *head = xt_windows_head(w, at);
    const unsigned char *first = head + XT_WINDOW_HEADER, *next = first;
    const unsigned char *end = first + (out->size < most ? out->size : most);
    unsigned int timed = 0;
    struct xt_record r;
    size_t size;

    if ( head == w->bytes + at )
        return;
    while ( timed < 2 && (size = xt_record_decode(&r, next, end)) &&
            xt_record_is_possible(&r) )
    {
        timed += xt_record_is_timed(&r) && xt_event_is_of_xen(r.event);
        next += size;
    }
    if ( timed < 2 && out->size > most )
        return;
    out->first = first;
    out->first_size = end - first;
}

/*
 * Take the window at w->next.  False if its header turns out to be wrong: then
 * try again at the new w->next.
 */
static bool take_window(struct xt_windows *w, const struct xt_header *h,
                        struct xt_window *out)
{
    size_t at = w->next, end = at + XT_WINDOW_HEADER + h->size;
    struct xt_header after;
    uint64_t gaps = w->gaps;
    bool cut = false;

    w->next = end;
    if ( !w->heads )
        fetch_headers(w, end);
    if ( is_input_end(w, end) || xt_header_read_head(w, end, &after) )
    {
        if ( !xt_resync_check_window(w, at, h) )
            return false;
    }
    else
    {
        cut = end > w->size;
        end = xt_resync_find_end(w, at, end);
        cut = cut && w->next == w->size;
    }

    *out = (struct xt_window){
        .cpu = h->cpu, .at = w->origin + at,
        .bytes = w->bytes + at + XT_WINDOW_HEADER,
        .size = end - at - XT_WINDOW_HEADER, .cut = cut, .gaps = gaps,
    };
    if ( w->heads )
        set_first_records(w, at, out);
    return true;
}

enum step { STEP_END, STEP_ON, STEP_WINDOW };

static enum step next_step(struct xt_windows *w, struct xt_window *out)
{
    struct xt_header h;

    if ( w->is_no_trace || is_input_end(w, w->next) )
        return STEP_END;
    if ( xt_header_read_head(w, w->next, &h) )
        return take_window(w, &h, out) ? STEP_WINDOW : STEP_ON;
    if ( !w->need_more )
        xt_resync_skip_damage(w);
    return STEP_ON;
}

/*
 * next_step() on a copy of the walk, which is kept only if no input was
 * missing.
 */
static enum step next_step_on_copy(struct xt_windows *w, struct xt_window *out)
{
    struct xt_damage damage = *w->damage;
    struct xt_windows copy = *w;
    enum step step_taken;

    assert(w->more);
    copy.damage = &damage;
    step_taken = next_step(&copy, out);
    w->need_more = copy.need_more;
    if ( copy.need_more )
        return STEP_END;
    *w->damage = damage;
    copy.damage = w->damage;
    *w = copy;
    return step_taken;
}

bool xt_windows_next(struct xt_windows *w, struct xt_window *out)
{
    enum step taken;

    assert(w->next <= w->size);
    w->need_more = false;
    do
        taken = w->more ? next_step_on_copy(w, out) : next_step(w, out);
    while ( taken == STEP_ON );
    return taken == STEP_WINDOW;
}

void xt_records_stop(struct xt_records *w)
{
    size_t left = w->end - w->at;

    assert(w->at <= w->end);
    if ( left )
        xt_damage_add(w->damage, XT_DAMAGE_RECORD, w->offset_of_end - left,
                      left);
    w->end = w->at;
}

void xt_frame_init(struct xt_frame *f, unsigned int cpu,
                   const struct iovec *spans, int nr_spans)
{
    struct xt_header h = { .magic = XT_WINDOW_MAGIC, .cpu = cpu };

    assert(cpu < XT_MAX_CPUS && nr_spans >= 1 && nr_spans <= 2);
    f->iov[0].iov_base = f->header;
    f->iov[0].iov_len = XT_WINDOW_HEADER;
    for ( int i = 0; i < nr_spans; i++ )
    {
        f->iov[1 + i] = spans[i];
        h.size += spans[i].iov_len;
    }
    f->nr_iov = 1 + nr_spans;
    assert(h.size % 4 == 0 && h.size <= XT_WINDOW_MAX);
    memcpy(f->header, &h, sizeof(h));
}
