/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows in memory, one behind the other, in a buffer that goes round.
 *
 *      tail                           head
 *        |                             |
 *   ...--+-----------+-----+-----------+-- free ...
 *        | 12 | recs | ... | 12 | recs |
 *   ...--+-----------+-----+-----------+--
 *
 * Places are counted in bytes that ever came and never wrap; byte x stands at
 * x % size, so a window may go over the end.  Only whole windows are ever in
 * it, and only what was put there can be read: memory that nothing was written
 * to stays where it is.
 *
 * It knows nothing of threads: outlet.c lets one thread put and another take.
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
    uint64_t head, tail;    /* where it goes on, and the oldest window */
};

/* One that is in it; valid until it is dropped. */
struct window_fifo_entry
{
    unsigned int cpu;
    uint64_t end;           /* the place behind it */
    struct iovec span[2];   /* its records */
    int nr_spans;
};

#define WINDOW_FIFO_MIN 4096u

/* Memory is taken as it is used. */
int window_fifo_init(struct window_fifo *s, uint64_t size, struct err *e);
void window_fifo_fini(struct window_fifo *s);

/* The most bytes of records that one window should have in it. */
uint64_t window_fifo_window_max(const struct window_fifo *s);

/* Bytes of records in these spans. */
uint64_t window_fifo_span_bytes(const struct iovec *spans, int nr_spans);

/* Is there room for a window of so many bytes of records? */
bool window_fifo_has_room(const struct window_fifo *s, uint64_t bytes);

/* Put a window there, for which there is room. */
void window_fifo_put(struct window_fifo *s, unsigned int cpu,
                     const struct iovec *spans, int nr_spans);

/*
 * The window at this place; there is one.  Looks at nothing else, so that one
 * may put behind it meanwhile.
 */
void window_fifo_get(const struct window_fifo *s, uint64_t at,
                     struct window_fifo_entry *w);

#endif /* XENTRACE_WINDOW_FIFO_H */
