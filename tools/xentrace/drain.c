/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The windows are written straight out of the rings: the copy is the one
 * that the kernel makes.  So a slow file holds up the ring that it is
 * written from; to decouple them is a thread's work, and its place is
 * between peek and release here.
 */
#include "xentrace/drain.h"

#include <assert.h>

static void give_up(struct ring *r, const struct log *log,
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

/* View the ring, if it is one of those that are read. */
static bool look(struct ring *r, struct ring_view *view, const struct log *log)
{
    struct err e = ERR_INIT;

    if ( !r->buf || r->given_up )
        return false;
    if ( ring_peek(r, view, &e) )
    {
        give_up(r, log, &e);
        return false;
    }
    return view->nr_spans > 0;
}

int drain_all(struct rings *r, struct writer *w, const struct log *log,
              struct err *e)
{
    struct ring_view view;
    struct ring *ring;
    int rc = 0;

    drain_map(r, log);
    for ( unsigned int cpu = 0; !rc && cpu < r->nr_cpus; cpu++ )
    {
        ring = &r->ring[cpu];
        if ( !look(ring, &view, log) )
            continue;
        assert(view.bytes > 0);
        rc = writer_window(w, cpu, view.span, view.nr_spans, e);
        if ( rc )
            break;
        ring_release(ring, &view);
        ring->windows++;
        ring->bytes += view.bytes;
    }
    return rc;
}

void drain_discard(struct rings *r, const struct log *log)
{
    struct ring_view view;

    for ( unsigned int cpu = 0; cpu < r->nr_cpus; cpu++ )
        if ( look(&r->ring[cpu], &view, log) )
            ring_release(&r->ring[cpu], &view);
}
