/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring is in one of three states: no window of the ring is pending in the
 * sink (place is 0), a window is pending, or a window is pending and the ring
 * is half full.  In the second state new records stay in the ring, where they
 * survive this process.  In the third state the disk is slower than Xen, and
 * all space of the ring is released.
 */
#include "xentrace/ring-drain.h"

#include <assert.h>

#include "common/compiler.h"
#include "xentrace/record-scan.h"

static void give_up_ring(struct ring *r, const struct log *log,
                         const struct err *why)
{
    r->given_up = true;
    log_err(log, LOG_LEVEL_WARNING, why);
}

void drain_map(struct rings *r, const struct log *log)
{
    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
    {
        struct err e = ERR_INIT;

        if ( rings_map(r, cpu, &e) )
            log_err(log, LOG_LEVEL_WARNING, &e);
    }
}

/* Mean bytes of a record if a ring has shown none. */
#define RECORD_BYTES 20u

/* Count the records that another reader has taken away. */
COLD
static void count_taken(struct ring *r, const struct ring_view *view)
{
    uint64_t records = scan_count_events(view->taken_span,
                                         view->nr_taken_spans);

    assert(view->taken);
    if ( ring_has_taken_spans(r, view) )
    {
        r->taken += records;
        return;
    }
    r->taken_is_estimate = true;
    r->taken += r->bytes
                ? (unsigned __int128)view->taken * r->records / r->bytes
                : view->taken / RECORD_BYTES;
}

/* True: *view shows the new records of a ring that is still read. */
static bool peek_ring(struct ring *r, struct ring_view *view,
                      const struct log *log)
{
    struct err e = ERR_INIT;

    if ( !r->buf || r->given_up )
        return false;
    assert(r->data_size);
    if ( ring_peek(r, view, &e) )
    {
        give_up_ring(r, log, &e);
        return false;
    }
    if ( view->taken )
        count_taken(r, view);
    return true;
}

/* --- copying -------------------------------------------------------------- */

static bool put_window(struct ring *r, const struct window_sink *s,
                       const struct iovec *spans, int nr_spans)
{
    uint64_t place = s->put(s->arg, r->cpu, spans, nr_spans);
    struct scan_counts counts = { .events = 0 };

    if ( !place )
        return false;
    assert(place > r->place);
    for ( int i = 0; i < nr_spans; i++ )
    {
        ring_take(r, spans[i].iov_len);
        r->bytes += spans[i].iov_len;
    }
    r->place = place;
    r->windows++;
    scan_add(&counts, spans, nr_spans);
    r->records += counts.events;
    r->reported += counts.lost;
    return true;
}

/* Put several windows of whole records. */
static bool put_pieces(struct ring *r, const struct window_sink *s,
                       struct iovec span)
{
    struct iovec piece = span;

    while ( span.iov_len )
    {
        piece.iov_base = span.iov_base;
        piece.iov_len = scan_fit(&span, s->window_max);
        assert(piece.iov_len);
        if ( !put_window(r, s, &piece, 1) )
            return false;
        span.iov_base = (char *)span.iov_base + piece.iov_len;
        span.iov_len -= piece.iov_len;
    }
    return true;
}

static bool put_view(struct ring *r, const struct window_sink *s,
                     const struct ring_view *view)
{
    bool all = true;

    if ( !view->nr_spans )
        return true;
    if ( view->bytes <= s->window_max )
        return put_window(r, s, view->span, view->nr_spans);
    for ( int i = 0; all && i < view->nr_spans; i++ )
        all = put_pieces(r, s, view->span[i]);
    return all;
}

static void release_up_to(struct ring *r, uint64_t safe)
{
    assert(!r->place || r->begun);
    if ( r->place && !r->given_up && r->place <= safe )
        ring_release(r);
}

static void release_if_safe(struct ring *r, const struct window_sink *s)
{
    if ( r->place )
        release_up_to(r, s->safe(s->arg));
}

static bool drain_ring(struct ring *r, const struct window_sink *s, bool last,
                       const struct ring_view *view)
{
    bool is_half_full = view->used > r->data_size / 2, is_pending, all;

    assert(view->bytes <= view->used);
    release_if_safe(r, s);
    is_pending = r->place;
    if ( is_pending && !is_half_full && !last )
        return true;
    all = put_view(r, s, view);
    if ( is_pending && is_half_full && !last )
        ring_release(r);
    else
        release_if_safe(r, s);
    return all;
}

bool drain_all(struct rings *r, const struct window_sink *s, bool last,
               const struct log *log)
{
    struct ring_view view;
    bool all = true;

    assert(s->put && s->safe && s->window_max);
    pthread_mutex_lock(&r->lock);
    drain_map(r, log);
    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
        if ( peek_ring(&r->ring[cpu], &view, log) )
            all &= drain_ring(&r->ring[cpu], s, last, &view);
    pthread_mutex_unlock(&r->lock);
    return all;
}

void drain_release(struct rings *r, const struct window_sink *s)
{
    uint64_t safe;

    pthread_mutex_lock(&r->lock);
    safe = s->safe(s->arg);
    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
        release_up_to(&r->ring[cpu], safe);
    pthread_mutex_unlock(&r->lock);
}

/* --- discarding and counting ---------------------------------------------- */

void drain_discard(struct rings *r, uint64_t *lost, const struct log *log)
{
    struct scan_counts counts;
    struct ring_view view;

    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
        if ( peek_ring(&r->ring[cpu], &view, log) && view.bytes )
        {
            counts = (struct scan_counts){ .events = 0 };
            scan_add(&counts, view.span, view.nr_spans);
            lost[cpu] += counts.lost;
            ring_take(&r->ring[cpu], view.bytes);
            ring_release(&r->ring[cpu]);
        }
}

void drain_count(struct rings *r, uint64_t *records)
{
    struct err ignored = ERR_INIT;
    struct ring_view view;

    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
    {
        struct ring *ring = &r->ring[cpu];

        if ( ring->buf && !ring->given_up &&
             !ring_peek(ring, &view, &ignored) )
            records[cpu] += scan_count_events(view.span, view.nr_spans);
    }
}
