/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * There is one thread, and no safer place for a window than this buffer, so
 * ring space is released to Xen at once.
 */
#include "xentrace/memory-buffer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

int memory_buffer_open(struct memory_buffer *m, uint64_t bytes,
                       unsigned int nr_cpus, struct err *e)
{
    int rc;

    assert(nr_cpus > 0);
    *m = (struct memory_buffer){ .nr_cpus = nr_cpus };
    m->dropped = fault_calloc(nr_cpus, sizeof(*m->dropped));
    if ( !m->dropped )
        return err_sys(e, -ENOMEM, "cannot allocate the counts of dropped "
                       "events");
    rc = window_fifo_init(&m->fifo, bytes, e);
    if ( rc )
        memory_buffer_close(m);
    return rc;
}

void memory_buffer_close(struct memory_buffer *m)
{
    window_fifo_fini(&m->fifo);
    free(m->dropped);
    m->dropped = NULL;
}

void memory_buffer_clear(struct memory_buffer *m)
{
    assert(m->fifo.tail <= m->fifo.head);
    m->fifo.tail = m->fifo.head;
}

static void drop_oldest(struct memory_buffer *m)
{
    struct window_fifo_entry w;

    assert(m->fifo.tail < m->fifo.head);
    window_fifo_get(&m->fifo, m->fifo.tail, &w);
    assert(w.cpu < m->nr_cpus);
    m->dropped[w.cpu] += scan_count_events(w.span, w.nr_spans);
    m->fifo.tail = w.end;
}

static uint64_t memory_buffer_put(void *arg, unsigned int cpu,
                                  const struct iovec *spans, int nr_spans)
{
    struct memory_buffer *m = arg;
    uint64_t bytes = window_fifo_span_bytes(spans, nr_spans);

    assert(cpu < m->nr_cpus);
    /* Or dropping windows would never make enough room. */
    assert(bytes + XT_WINDOW_HEADER <= m->fifo.size);
    if ( m->triggers )
        triggers_window(m->triggers, cpu, spans, nr_spans);
    while ( !window_fifo_has_room(&m->fifo, bytes) )
        drop_oldest(m);
    window_fifo_put(&m->fifo, cpu, spans, nr_spans);
    return m->fifo.head;
}

static uint64_t memory_buffer_get_safe(void *arg)
{
    (void)arg;
    return UINT64_MAX;
}

struct window_sink memory_buffer_sink(struct memory_buffer *m)
{
    return (struct window_sink){
        .put = memory_buffer_put, .safe = memory_buffer_get_safe,
        .window_max = window_fifo_window_max(&m->fifo), .arg = m,
    };
}

/* Extend `all` by a window; true: the window ended at `since` or later. */
static bool add_times(struct scan_times *all,
                      const struct window_fifo_entry *window, uint64_t since)
{
    struct scan_times t;

    if ( !scan_times(window->span, window->nr_spans, &t) )
        return true;
    if ( t.last < since )
        return false;
    if ( !all->last || t.first < all->first )
        all->first = t.first;
    if ( t.last > all->last )
        all->last = t.last;
    return true;
}

int memory_buffer_write(const struct memory_buffer *m, uint64_t since,
                        struct writer *w, struct scan_times *times,
                        struct err *e)
{
    struct scan_times all = { .first = 0 };
    struct window_fifo_entry window;
    int rc = 0;

    assert(m->fifo.bytes);
    assert(times || !since);
    for ( uint64_t at = m->fifo.tail; !rc && at < m->fifo.head;
          at = window.end )
    {
        window_fifo_get(&m->fifo, at, &window);
        if ( !times || add_times(&all, &window, since) )
            rc = writer_window(w, window.cpu, window.span, window.nr_spans,
                               e);
    }
    if ( times )
        *times = all;
    return rc ? rc : writer_flush(w, true, e);
}

void memory_buffer_count(const struct memory_buffer *m, uint64_t skip,
                         struct scan_counts *counts)
{
    struct window_fifo_entry w;

    for ( uint64_t at = m->fifo.tail; at < m->fifo.head; at = w.end )
    {
        window_fifo_get(&m->fifo, at, &w);
        assert(w.cpu < m->nr_cpus);
        if ( skip )
            skip--;
        else
            scan_add(&counts[w.cpu], w.span, w.nr_spans);
    }
}
