/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The begins of windows of a mapped file, read into memory for an index, which
 * needs no other bytes of a window: to map the pages there costs ten times as
 * much (window-bytes.h).  Short windows are read many at once.
 */
#ifndef LIBXENTRACE_WINDOW_HEADS_H
#define LIBXENTRACE_WINDOW_HEADS_H

#include "libxentrace/window-bytes.h"

/* A header, a seal, metadata and some records. */
#define XT_HEAD_BYTES 512u

struct xt_window_heads
{
    struct xt_window_bytes bytes[2];    /* a window, and the next one */
    unsigned int last;          /* the one that was used last ... */
    uint64_t at;                /* ... for this offset */
};

void xt_window_heads_fini(struct xt_window_heads *h);

/*
 * The input from offset `at` on: XT_HEAD_BYTES, or all bytes up to its end.
 * Valid until the next but one call.  NULL: not readable; use the mapping.
 */
const unsigned char *xt_window_heads_at(struct xt_window_heads *h,
                                        const struct xt_source *s, uint64_t at);

#endif /* LIBXENTRACE_WINDOW_HEADS_H */
