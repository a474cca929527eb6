/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows are stored in the layout of a plain file: header, records.  The
 * writer adds the seal, because it contains the number of the window in the
 * file.
 */
#include "xentrace/window-fifo.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "common/fault.h"
#include "libxentrace/libxentrace.h"

_Static_assert(sizeof(struct xt_header) == XT_WINDOW_HEADER, "layout");

int window_fifo_init(struct window_fifo *s, uint64_t size, struct err *e)
{
    void *at;

    assert(size >= WINDOW_FIFO_MIN);
    size -= size % 4;
    *s = (struct window_fifo){ .size = size };
    if ( size > SIZE_MAX / 2 )
        return err_set(e, -ENOMEM, "a buffer of %llu bytes does not fit into "
                       "the address space",
                       (unsigned long long)size);
    at = fault_mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ( at == MAP_FAILED )
        return err_sys(e, -errno, "cannot allocate a buffer of %llu bytes",
                       (unsigned long long)size);
    s->bytes = at;
    return 0;
}

void window_fifo_fini(struct window_fifo *s)
{
    if ( s->bytes )
        munmap(s->bytes, s->size);
    *s = (struct window_fifo){ .size = 0 };
}

/* A quarter: dropping one window for another leaves most of the buffer. */
uint64_t window_fifo_window_max(const struct window_fifo *s)
{
    uint64_t max = s->size / 4 - XT_WINDOW_HEADER;

    assert(s->size >= WINDOW_FIFO_MIN - 3);
    max -= max % 4;
    return max < XT_WINDOW_MAX / 2 ? max : XT_WINDOW_MAX / 2;
}

bool window_fifo_has_room(const struct window_fifo *s, uint64_t bytes)
{
    assert(s->head - s->tail <= s->size);
    return bytes + XT_WINDOW_HEADER <= s->size - (s->head - s->tail);
}

/* The memory of `bytes` bytes at `at`: two spans if they wrap. */
static int get_spans(const struct window_fifo *s, uint64_t at, uint64_t bytes,
                     struct iovec *span)
{
    uint64_t start = at % s->size, first = s->size - start;

    assert(bytes <= s->size);
    span[0] = (struct iovec){ s->bytes + start,
                              bytes < first ? bytes : first };
    span[1] = (struct iovec){ s->bytes, bytes - span[0].iov_len };
    return span[1].iov_len ? 2 : 1;
}

static void append_bytes(struct window_fifo *s, const void *from, size_t bytes)
{
    struct iovec to[2];

    get_spans(s, s->head, bytes, to);
    memcpy(to[0].iov_base, from, to[0].iov_len);
    memcpy(to[1].iov_base, (const char *)from + to[0].iov_len, to[1].iov_len);
    s->head += bytes;
}

uint64_t window_fifo_span_bytes(const struct iovec *spans, int nr_spans)
{
    uint64_t bytes = 0;

    for ( int i = 0; i < nr_spans; i++ )
        bytes += spans[i].iov_len;
    return bytes;
}

void window_fifo_put(struct window_fifo *s, unsigned int cpu,
                     const struct iovec *spans, int nr_spans)
{
    struct xt_header h = { .magic = XT_WINDOW_MAGIC, .cpu = cpu,
                           .size = window_fifo_span_bytes(spans, nr_spans) };

    /* No check of `tail` here, which another thread may be changing. */
    assert(h.size);
    append_bytes(s, &h, sizeof(h));
    for ( int i = 0; i < nr_spans; i++ )
        append_bytes(s, spans[i].iov_base, spans[i].iov_len);
}

void window_fifo_get(const struct window_fifo *s, uint64_t at,
                     struct window_fifo_entry *w)
{
    struct xt_header h;
    struct iovec span[2];

    get_spans(s, at, sizeof(h), span);
    memcpy(&h, span[0].iov_base, span[0].iov_len);
    memcpy((char *)&h + span[0].iov_len, span[1].iov_base, span[1].iov_len);
    assert(h.magic == XT_WINDOW_MAGIC);

    w->cpu = h.cpu;
    w->end = at + sizeof(h) + h.size;
    assert(w->end > at);
    w->nr_spans = get_spans(s, at + sizeof(h), h.size, w->span);
}
