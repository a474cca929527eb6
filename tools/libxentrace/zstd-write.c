/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressing.  Windows are collected into frames of a certain size: smaller
 * frames compress badly, larger frames make a seek expand more than it needs.
 * A frame begins with a window, unless a window is too large for one frame.
 */
#include "libxentrace/zstd.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "common/fault.h"
#include "libxentrace/zstd-format.h"

struct frame
{
    uint32_t packed, bytes;
};

struct xt_zstd_writer
{
    ZSTD_CCtx *zstd;
    xt_zstd_sink *sink;
    void *to;
    unsigned char *plain, *packed;      /* one frame, before and after
                                           compression */
    size_t used, room;                  /* bytes in `plain`, and its size */
    size_t packed_room;
    struct frame *frames;
    size_t nr_frames, max_frames;
};

/* Reserve space for a frame of `room` bytes. */
static int grow_frame(struct xt_zstd_writer *w, size_t room)
{
    size_t packed_room = ZSTD_compressBound(room);
    unsigned char *plain, *packed;

    if ( room <= w->room )
        return 0;
    plain = fault_realloc(w->plain, room);
    if ( plain )
        w->plain = plain;
    packed = fault_realloc(w->packed, packed_room);
    if ( packed )
        w->packed = packed;
    if ( !plain || !packed )
        return -ENOMEM;
    w->room = room;
    w->packed_room = packed_room;
    return 0;
}

int xt_zstd_writer_new(struct xt_zstd_writer **out, int level,
                       xt_zstd_sink *sink, void *to, struct err *e)
{
    struct xt_zstd_writer *w = fault_calloc(1, sizeof(*w));

    assert(sink);
    *out = w;
    if ( w )
        w->zstd = ZSTD_createCCtx();
    if ( !w || !w->zstd || grow_frame(w, ZSTD_FRAME_AIM) )
    {
        xt_zstd_writer_free(w);
        *out = NULL;
        return err_sys(e, -ENOMEM, "cannot compress");
    }
    w->sink = sink;
    w->to = to;
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    return 0;
}

void xt_zstd_writer_free(struct xt_zstd_writer *w)
{
    if ( !w )
        return;
    ZSTD_freeCCtx(w->zstd);
    free(w->plain);
    free(w->packed);
    free(w->frames);
    free(w);
}

/* Add a frame to the table. */
static int add_frame(struct xt_zstd_writer *w, size_t packed)
{
    if ( w->nr_frames == w->max_frames )
    {
        size_t max = w->max_frames ? 2 * w->max_frames : 64;
        struct frame *frames = fault_realloc(w->frames, max * sizeof(*frames));

        if ( !frames )
            return -ENOMEM;
        w->frames = frames;
        w->max_frames = max;
    }
    w->frames[w->nr_frames++] = (struct frame){ packed, w->used };
    return 0;
}

int xt_zstd_flush(struct xt_zstd_writer *w)
{
    size_t packed;
    int rc;

    assert(w->used <= w->room);
    if ( !w->used )
        return 0;
    packed = ZSTD_compress2(w->zstd, w->packed, w->packed_room, w->plain,
                            w->used);
    if ( ZSTD_isError(packed) )
        return -ENOMEM; /* no other error is possible with enough room */
    rc = add_frame(w, packed);
    if ( rc )
        return rc;
    w->used = 0;
    return w->sink(w->to, w->packed, packed);
}

/* Append, and flush each time the frame is full. */
static int append_bytes(struct xt_zstd_writer *w, const unsigned char *bytes,
                        size_t size)
{
    int rc = 0;

    while ( !rc && size )
    {
        size_t left = w->room - w->used, n = size < left ? size : left;

        assert(left);
        memcpy(w->plain + w->used, bytes, n);
        w->used += n;
        bytes += n;
        size -= n;
        if ( w->used == w->room )
            rc = xt_zstd_flush(w);
    }
    return rc;
}

int xt_zstd_write(struct xt_zstd_writer *w, const struct iovec *iov, int nr)
{
    size_t size = 0;
    int rc = 0;

    for ( int i = 0; i < nr; i++ )
        size += iov[i].iov_len;
    if ( w->used && w->used + size > ZSTD_FRAME_AIM )
        rc = xt_zstd_flush(w);
    if ( !rc )
        rc = grow_frame(w, size < ZSTD_FRAME_WHOLE ? size : ZSTD_FRAME_WHOLE);
    for ( int i = 0; !rc && i < nr; i++ )
        rc = append_bytes(w, iov[i].iov_base, iov[i].iov_len);
    return rc;
}

/* Write the table as one frame. */
static int write_table(struct xt_zstd_writer *w)
{
    size_t size = ZSTD_SKIPPED_HEADER + 8 * w->nr_frames + ZSTD_TABLE_END;
    unsigned char *table = fault_malloc(size), *at = table;
    int rc;

    if ( !table )
        return -ENOMEM;
    zstd_store(at, ZSTD_TABLE_MAGIC);
    zstd_store(at + 4, size - ZSTD_SKIPPED_HEADER);
    at += ZSTD_SKIPPED_HEADER;
    for ( size_t i = 0; i < w->nr_frames; i++, at += 8 )
    {
        zstd_store(at, w->frames[i].packed);
        zstd_store(at + 4, w->frames[i].bytes);
    }
    zstd_store(at, w->nr_frames);
    at[4] = 0;
    zstd_store(at + 5, ZSTD_TABLE_END_MAGIC);
    rc = w->sink(w->to, table, size);
    free(table);
    return rc;
}

int xt_zstd_end(struct xt_zstd_writer *w)
{
    int rc = xt_zstd_flush(w);

    return rc ? rc : write_table(w);
}
