/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressed traces: a sequence of zstd frames with whole windows, and a table
 * with the offsets of the frames.
 *
 *   +---------+---------+-----+---------+------------------------------------+
 *   | windows | windows | ... | windows | table, in a skippable frame        |
 *   +---------+---------+-----+---------+------------------------------------+
 *
 * `zstd -dc` restores the trace.  The table is in zstd's "seekable format", so
 * that other tools can use it.  A capture that ended abruptly has no table, and
 * can be read from its beginning, as any other file of zstd.
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

/* Do these first bytes begin a zstd file? */
static inline bool xt_zstd_detect(const unsigned char *first, size_t nr)
{
    static const unsigned char frame[] = { 0x28, 0xb5, 0x2f, 0xfd };
    static const unsigned char skipped[] = { 0x2a, 0x4d, 0x18 };

    return nr >= 4 && (!memcmp(first, frame, 4) ||
                       (first[0] >> 4 == 5 && !memcmp(first + 1, skipped, 3)));
}

/*
 * Open a source on top of `inner`, and own `inner` from here on, also on
 * failure.
 *
 * A broken frame reads as zeroes of its size, or as a few if its size is
 * unknown: zeroes are no window, so the reader of windows notes the damage.
 * A frame that the end of the input cuts off reads as its complete words, and
 * one zero.  A broken frame that is the only one reads as its blocks before the
 * broken one, and zeroes.
 */
int xt_zstd_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e);

/* The first expanded bytes, at most XT_SOURCE_HEAD. */
size_t xt_zstd_head(const struct xt_source *s, const unsigned char **head);

/* --- writing ------------------------------------------------------------- */

struct xt_zstd_writer;

/* Callback for compressed bytes.  0 or -errno. */
typedef int xt_zstd_sink(void *to, const void *bytes, size_t size);

/* Levels are zstd's: 1 is fast.  0, or -errno with the reason in *e. */
int xt_zstd_writer_new(struct xt_zstd_writer **w, int level,
                       xt_zstd_sink *sink, void *to, struct err *e);
void xt_zstd_writer_free(struct xt_zstd_writer *w);     /* NULL is fine */

/* Add the bytes of one window.  0, or -errno of the sink, or -ENOMEM. */
int xt_zstd_write(struct xt_zstd_writer *w, const struct iovec *iov, int nr);

/* Compress and emit the windows that are collected for the next frame. */
int xt_zstd_flush(struct xt_zstd_writer *w);

/* Flush, and write the table. */
int xt_zstd_end(struct xt_zstd_writer *w);

#endif /* LIBXENTRACE_ZSTD_H */
