/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing buffer for each pcpu.  All together have a limit, so the number of
 * pcpus does not matter.
 */
#include "xenalyze/convert/window-buffer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/internal.h"

#define MAX_HELD (4u << 20)
#define MAX_KEPT (64u << 10)    /* a larger buffer is freed when written */

void window_buffer_init(struct window_buffer *w, FILE *out)
{
    assert(out);
    *w = (struct window_buffer){ .out = out };
}

void window_buffer_fini(struct window_buffer *w)
{
    for ( unsigned int i = 0; i < w->nr_cpus; i++ )
        free(w->cpus[i].bytes);
    free(w->cpus);
    free(w->preface.bytes);
    *w = (struct window_buffer){ .out = NULL };
}

static int window_append(struct window_bytes *b, const void *bytes, size_t size)
{
    size_t room = b->room ? b->room : 4096;
    unsigned char *grown;

    assert(b->used <= b->room);
    while ( room - b->used < size )
        room *= 2;
    if ( room != b->room )
    {
        grown = fault_realloc(b->bytes, room);
        if ( !grown )
            return -ENOMEM;
        b->bytes = grown;
        b->room = room;
    }
    memcpy(b->bytes + b->used, bytes, size);
    b->used += size;
    return 0;
}

int window_buffer_preface(struct window_buffer *w, const void *bytes,
                          size_t size)
{
    assert(!w->number);
    return window_append(&w->preface, bytes, size);
}

int window_buffer_add(struct window_buffer *w, unsigned int cpu,
                      const void *record, size_t size)
{
    assert(cpu < XT_MAX_CPUS && size && size <= XT_RECORD_MAX_BYTES);
    if ( !grow_to_index(&w->cpus, &w->nr_cpus, cpu, sizeof(*w->cpus)) ||
         window_append(&w->cpus[cpu], record, size) )
        return -ENOMEM;
    w->cpus[cpu].is_metadata = false;
    w->held += size;
    return w->held < MAX_HELD ? 0 : window_buffer_flush(w);
}

int window_buffer_add_metadata(struct window_buffer *w, unsigned int cpu,
                               const void *record, size_t size)
{
    int rc = 0;

    assert(record && cpu < XT_MAX_CPUS);
    if ( cpu < w->nr_cpus && w->cpus[cpu].used && !w->cpus[cpu].is_metadata )
        rc = window_buffer_flush(w);
    rc = rc ? rc : window_buffer_add(w, cpu, record, size);
    if ( !rc )
        w->cpus[cpu].is_metadata = true;
    return rc;
}

/* Write a window of one or two spans. */
static int write_window(struct window_buffer *w, unsigned int cpu,
                        const struct iovec *spans, int nr_spans)
{
    struct xt_frame f;

    assert(nr_spans == 1 || nr_spans == 2);
    xt_frame_init(&f, cpu, spans, nr_spans);
    if ( w->sealed )
        xt_frame_seal(&f, w->number++);
    for ( int i = 0; i < f.nr_iov; i++ )
        if ( fwrite(f.iov[i].iov_base, 1, f.iov[i].iov_len, w->out) !=
             f.iov[i].iov_len )
            return errno ? -errno : -EIO;
    return 0;
}

int window_buffer_add_window(struct window_buffer *w, unsigned int cpu,
                             const void *records, size_t size)
{
    const struct iovec span = { (void *)records, size };

    assert(!w->held && size < XT_WINDOW_MAX);
    return size ? write_window(w, cpu, &span, 1) : 0;
}

static int flush_cpu(struct window_buffer *w, unsigned int cpu)
{
    struct window_bytes *b = &w->cpus[cpu];
    struct iovec spans[2] = { { w->preface.bytes, w->preface.used } };
    int nr = w->preface.used > 0, rc;

    assert(b->used <= w->held);
    spans[nr++] = (struct iovec){ b->bytes, b->used };
    rc = write_window(w, cpu, spans, nr);
    w->preface.used = 0;
    w->held -= b->used;
    b->used = 0;
    if ( b->room > MAX_KEPT )
    {
        free(b->bytes);
        *b = (struct window_bytes){ .bytes = NULL };
    }
    return rc;
}

int window_buffer_flush(struct window_buffer *w)
{
    int rc = 0;

    for ( unsigned int cpu = 0; !rc && cpu < w->nr_cpus; cpu++ )
        if ( w->cpus[cpu].used )
            rc = flush_cpu(w, cpu);
    assert(rc || !w->held);
    return rc;
}
