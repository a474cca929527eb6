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
#ifndef XENTRACE_RING_H
#define XENTRACE_RING_H

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
    uint64_t windows, bytes;
};

/* What there is to read, as it stands in the ring. */
struct ring_view
{
    struct iovec span[2];   /* the second if it goes over the end */
    int nr_spans;           /* 0: nothing to read */
    size_t bytes;
    uint32_t prod;          /* ring_release() moves cons here */
};

/* 0, or -EBADMSG if cons and prod cannot both be true. */
int ring_peek(const struct ring *r, struct ring_view *view, struct err *e);

/* All of the view has been copied: Xen may overwrite it. */
void ring_release(struct ring *r, const struct ring_view *view);

#endif /* XENTRACE_RING_H */
