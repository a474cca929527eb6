/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pcpu's ring, from the reader's side.
 *
 *   0      4      8                                     8 + data_size
 *   +------+------+--------------------------------------+
 *   | cons | prod |  records ...                         |
 *   +------+------+--------------------------------------+
 *
 * cons and prod count bytes modulo 2 * data_size, so that a full ring and an
 * empty one differ; byte x stands at x % data_size.  Xen writes prod and the
 * records, the reader writes cons.  The page can be written by others in
 * dom0, so both are believed only after a look, and from a copy.
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
    bool given_up;          /* it told lies: not touched any more */
    bool begun;             /* the next three are known */
    uint32_t cons;          /* as we have left it */
    uint32_t taken;         /* what is before it has been copied */
    uint64_t place;         /* in the store, of what is from cons to taken */
    unsigned int cons_moves;    /* times that somebody else had moved cons */
    size_t peak;            /* bytes that it held at most */
    uint64_t windows, bytes, records;   /* taken */
};

/* What there is to read, as it stands in the ring. */
struct ring_view
{
    struct iovec span[2];   /* the second if it goes over the end */
    int nr_spans;           /* 0: nothing to read */
    size_t bytes;
    size_t used;            /* of the ring, with what was taken before */
};

/*
 * What is there from `taken` on.  0, or -EBADMSG if cons and prod cannot both
 * be true.  Where cons is not as we left it, somebody else reads this ring:
 * then we go on from there.
 */
int ring_peek(struct ring *r, struct ring_view *view, struct err *e);

/* These bytes of the view have been copied. */
void ring_take(struct ring *r, size_t bytes);

/* Xen has moved cons: go on from there. */
static inline void ring_restart(struct ring *r)
{
    r->begun = false;
}

/* Xen may overwrite what has been taken. */
void ring_release(struct ring *r);

#endif /* XENTRACE_PCPU_RING_H */
