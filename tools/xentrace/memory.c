/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread, and no window is safe anywhere else, so Xen gets the space in
 * its rings back at once.
 */
#include "xentrace/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/records.h"

int memory_open(struct memory *m, uint64_t bytes, unsigned int nr_cpus,
                struct err *e)
{
    *m = (struct memory){ .nr_cpus = nr_cpus };
    m->dropped = fault_calloc(nr_cpus, sizeof(*m->dropped));
    if ( !m->dropped )
        return err_sys(e, -ENOMEM, "cannot count what is dropped");
    if ( !spool_init(&m->spool, bytes, e) )
        return 0;
    memory_close(m);
    return e->code;
}

void memory_close(struct memory *m)
{
    spool_fini(&m->spool);
    free(m->dropped);
    m->dropped = NULL;
}

void memory_empty(struct memory *m)
{
    m->spool.tail = m->spool.head;
}

static void drop_oldest(struct memory *m)
{
    struct spool_window w;

    assert(m->spool.tail < m->spool.head);
    spool_window(&m->spool, m->spool.tail, &w);
    assert(w.cpu < m->nr_cpus);
    m->dropped[w.cpu] += records_count(w.span, w.nr_spans);
    m->spool.tail = w.end;
}

static uint64_t put(void *store, unsigned int cpu, const struct iovec *spans,
                    int nr_spans)
{
    struct memory *m = store;
    uint64_t bytes = spool_bytes(spans, nr_spans);

    if ( m->triggers )
        triggers_window(m->triggers, cpu, spans, nr_spans);
    while ( !spool_has_room(&m->spool, bytes) )
        drop_oldest(m);
    spool_put(&m->spool, cpu, spans, nr_spans);
    return m->spool.head;
}

static uint64_t safe(void *store)
{
    (void)store;
    return UINT64_MAX;
}

struct store memory_store(struct memory *m)
{
    return (struct store){
        .put = put, .safe = safe,
        .window_max = spool_window_max(&m->spool), .store = m,
    };
}

int memory_dump(const struct memory *m, uint64_t since, struct writer *w,
                struct err *e)
{
    struct spool_window window;
    int rc = 0;

    for ( uint64_t at = m->spool.tail; !rc && at < m->spool.head;
          at = window.end )
    {
        spool_window(&m->spool, at, &window);
        if ( records_last_tsc(window.span, window.nr_spans) >= since )
            rc = writer_window(w, window.cpu, window.span, window.nr_spans,
                               e);
    }
    return rc ? rc : writer_flush(w, true, e);
}
