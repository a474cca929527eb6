/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of windows in a circular buffer.
 *
 *      tail                           head
 *        |                             |
 *   ...--+-----------+-----+-----------+-- free ...
 *        | 12 | recs | ... | 12 | recs |
 *   ...--+-----------+-----+-----------+--
 *
 * Positions are 64-bit byte counters that never wrap; byte x is stored at
 * offset x % size, so a window may wrap around the end of the buffer.  The
 * queue contains whole windows only.  Memory that was never written is never
 * read, and so never allocated by the kernel.
 *
 * The queue has no lock: write-thread.c lets one thread put and another one get
 * windows.
 */
#ifndef XENTRACE_WINDOW_FIFO_H
#define XENTRACE_WINDOW_FIFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/err.h"

struct window_fifo
{
    unsigned char *bytes;
    uint64_t size;
    uint64_t head, tail;    /* end of the newest, start of the oldest */
};

/* A window of the queue; valid until it is removed. */
struct window_fifo_entry
{
    unsigned int cpu;
    uint64_t end;           /* position behind the window */
    struct iovec span[2];   /* records */
    int nr_spans;
};

#define WINDOW_FIFO_MIN 4096u

/* The kernel allocates pages at the first write. */
int window_fifo_init(struct window_fifo *s, uint64_t size, struct err *e);
void window_fifo_fini(struct window_fifo *s);

/* The maximum size of the records of one window. */
uint64_t window_fifo_window_max(const struct window_fifo *s);

/* The sum of the bytes of these spans. */
uint64_t window_fifo_span_bytes(const struct iovec *spans, int nr_spans);

/* Is there room for a window with `bytes` bytes of records? */
bool window_fifo_has_room(const struct window_fifo *s, uint64_t bytes);

/* Append a window; window_fifo_has_room() was true. */
void window_fifo_put(struct window_fifo *s, unsigned int cpu,
                     const struct iovec *spans, int nr_spans);

/*
 * Return the window at position `at`, which has to exist.  Another thread may
 * append windows at the same time.
 */
void window_fifo_get(const struct window_fifo *s, uint64_t at,
                     struct window_fifo_entry *w);

#endif /* XENTRACE_WINDOW_FIFO_H */
