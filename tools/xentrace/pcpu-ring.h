/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader's side of the ring of one pcpu.
 *
 *   0      4      8                                     8 + data_size
 *   +------+------+--------------------------------------+
 *   | cons | prod |  records ...                         |
 *   +------+------+--------------------------------------+
 *
 * cons and prod count bytes modulo 2 * data_size, to tell a full ring from an
 * empty one; byte x is stored at offset x % data_size.  Xen writes prod and the
 * records, the reader writes cons.  Other processes in dom0 can write to the
 * page, so both fields are copied once and checked before use.
 */
#ifndef XENTRACE_PCPU_RING_H
#define XENTRACE_PCPU_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <public/trace.h>

#include "common/err.h"

struct ring
{
    struct t_buf *buf;      /* NULL: not mapped (yet) */
    size_t data_size;
    unsigned int cpu;
    bool given_up;          /* had invalid data: no access any more */
    bool begun;             /* the next three members are valid */
    uint32_t cons;          /* as last written or seen */
    uint32_t copied;        /* records before this index are copied */
    uint64_t place;         /* sink position of the bytes [cons, copied) */
    unsigned int cons_moves; /* times that another reader changed cons */
    uint64_t taken;         /* records that another reader took ... */
    bool taken_is_estimate; /* ... as far as they could be counted */
    size_t peak;            /* maximum of used bytes */
    uint64_t windows, bytes, records; /* copied so far */
    uint64_t reported;      /* losses, by loss records that were copied */
};

/* The records that can be read, in the memory of the ring. */
struct ring_view
{
    struct iovec span[2];   /* two if the records wrap around */
    int nr_spans;           /* 0: no new records */
    size_t bytes;
    size_t used;            /* bytes from cons to prod */
    size_t taken;           /* bytes that another reader has released since the
                               last view, before they were copied */
    struct iovec taken_span[2];
    int nr_taken_spans;     /* 0: Xen has reused their space */
};

/*
 * View the records from `copied` on.  Returns 0, or -EBADMSG if cons and prod
 * are invalid.  If another reader has moved cons beyond `copied`, reading
 * continues there.
 */
int ring_peek(struct ring *r, struct ring_view *view, struct err *e);

/* False: Xen may have reused the space of view->taken_span since the view. */
bool ring_has_taken_spans(const struct ring *r, const struct ring_view *view);

/* Mark the first bytes of the view as copied. */
void ring_take(struct ring *r, size_t bytes);

/* Accept a new value of cons, which Xen has changed. */
static inline void ring_restart(struct ring *r)
{
    r->begun = false;
}

/*
 * Allow Xen to overwrite the records that were copied.  A cons that another
 * reader has moved stays: it must not go back, or Xen's ring would look full,
 * and the other reader would read records twice.
 */
void ring_release(struct ring *r);

#endif /* XENTRACE_PCPU_RING_H */
