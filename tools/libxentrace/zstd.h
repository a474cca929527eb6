/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressed traces: a row of zstd frames, each of which holds whole windows,
 * and behind them a table of where which frame begins.
 *
 *   +---------+---------+-----+---------+------------------------------------+
 *   | windows | windows | ... | windows | table, in a frame that is skipped  |
 *   +---------+---------+-----+---------+------------------------------------+
 *
 * `zstd -dc` gives the trace back.  The table is the one of zstd's "seekable
 * format", so that others' tools can use it, too.  A capture that ends
 * abruptly has none and can still be read, from its beginning; and so can any
 * other file that zstd has made.
 */
#ifndef LIBXENTRACE_ZSTD_H
#define LIBXENTRACE_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

#include "common/err.h"
#include "libxentrace/source.h"

/* --- reading ------------------------------------------------------------- */

/* Does an input that begins like this come from zstd? */
static inline bool xt_zstd_detect(const unsigned char *first, size_t nr)
{
    static const unsigned char frame[] = { 0x28, 0xb5, 0x2f, 0xfd };
    static const unsigned char skipped[] = { 0x2a, 0x4d, 0x18 };

    return nr >= 4 && (!memcmp(first, frame, 4) ||
                       (first[0] >> 4 == 5 && !memcmp(first + 1, skipped, 3)));
}

/*
 * A source on top of `inner`, which it owns from here on, also if it fails.
 *
 * A frame that cannot be expanded reads as so many zeroes, or as a few if
 * nobody knows how many it had: that is no window, which is noticed where
 * windows are read.
 */
int xt_zstd_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e);

/* The first bytes that come out, XT_SOURCE_HEAD at most, from the beginning. */
size_t xt_zstd_head(const struct xt_source *s, const unsigned char **head);

/* --- writing ------------------------------------------------------------- */

struct xt_zstd_writer;

/* Takes what has been compressed.  0, or -errno. */
typedef int xt_zstd_sink(void *to, const void *bytes, size_t size);

/* `level`: as zstd counts, 1 is fast.  0, or -errno and *e says why. */
int xt_zstd_writer_new(struct xt_zstd_writer **w, int level,
                       xt_zstd_sink *sink, void *to, struct err *e);
void xt_zstd_writer_free(struct xt_zstd_writer *w);     /* NULL is fine */

/* All bytes of one window.  0, or -errno: from the sink, or -ENOMEM. */
int xt_zstd_write(struct xt_zstd_writer *w, const struct iovec *iov, int nr);

/* Give the sink what was kept back to make a larger frame of it. */
int xt_zstd_flush(struct xt_zstd_writer *w);

/* Flush, and write the table. */
int xt_zstd_end(struct xt_zstd_writer *w);

#endif /* LIBXENTRACE_ZSTD_H */
