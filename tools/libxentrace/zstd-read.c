/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expanding.  A frame of our writer is expanded as a whole, in a buffer, before
 * its first byte is delivered: its checksum is at its end.  Until then all its
 * compressed bytes are kept, since after a broken frame the search for the next
 * frame begins right behind the broken frame's first byte, whatever size its
 * header claims.  A frame that is too large for that, as `zstd FILE` makes, or
 * has no size, is streamed.  A last frame that was cut off has no checksum, and
 * is delivered as far as it goes; so is a broken frame without any other.
 *
 *      in:    |  done  | kept | to be read      |      |
 *             0        start  at                end    room
 *
 * Each state of the reader is a function that continues as far as the input
 * reaches; so a source that follows a growing file can stop anywhere.
 */
#include "libxentrace/zstd.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "common/fault.h"
#include "libxentrace/zstd-format.h"

#define IN_FIRST (1u << 18)
#define THROUGH (1u << 16)      /* bytes, in and out, per step */
#define HEADER_MOST 18u         /* largest header of a frame */
#define BLOCK_STEP 1024u        /* less than most compressed blocks */
#define LOST_ZEROES 12u         /* for a frame of unknown size */

struct reader
{
    struct xt_source source;    /* first: the public part */
    struct xt_source *inner;
    ZSTD_DCtx *zstd;
    unsigned char *in;
    size_t start, at, end, room;
    bool ended;

    /* The state: one of the functions below. */
    ssize_t (*step)(struct reader *r, unsigned char *to, size_t room,
                    struct err *e);
    ssize_t (*after)(struct reader *r, unsigned char *to, size_t room,
                     struct err *e);    /* the state after deliver_frame() */
    uint64_t left;              /* bytes to skip, zeroes to deliver */
    unsigned char *frame;       /* expanded: a whole frame, or a part */
    size_t frame_room, frame_size, frame_used;
    bool has_begun;             /* a frame was begun before */
    bool is_first;              /* the current frame is the first */
    uint64_t discard;           /* bytes to drop after a seek */
    unsigned char head[XT_SOURCE_HEAD]; /* expanded to identify the kind */
    size_t nr_head, at_head;    /* bytes in head, and delivered again */

    /* The frame table, or none. */
    size_t nr_frames;
    uint64_t *from;             /* offset in the trace */
    uint64_t *packed;           /* offset in the input */
};

static struct reader *reader_of(struct xt_source *s)
{
    return (struct reader *)s;
}

static ssize_t read_next(struct reader *r, unsigned char *to, size_t room,
                         struct err *e);

/* --- the input ----------------------------------------------------------- */

static int grow_input(struct reader *r)
{
    size_t live = r->end - r->start, room = r->room ? r->room : IN_FIRST;
    unsigned char *in;

    if ( r->start )
        memmove(r->in, r->in + r->start, live);
    r->at -= r->start;
    r->end = live;
    r->start = 0;
    if ( r->room && live < r->room )
        return 0;
    in = fault_realloc(r->in, r->room ? 2 * room : room);
    if ( !in )
        return -ENOMEM;
    r->room = r->room ? 2 * room : room;
    r->in = in;
    return 0;
}

/* Read more input, or set r->ended.  0 or -errno. */
static int read_more_input(struct reader *r, struct err *e)
{
    ssize_t got;

    assert(r->start <= r->at && r->at <= r->end && r->end <= r->room);
    if ( r->ended )
        return 0;
    if ( r->end == r->room && grow_input(r) )
        return err_sys(e, -ENOMEM, "cannot hold %s", r->source.name);
    got = r->inner->ops->read(r->inner, r->in + r->end, r->room - r->end, e);
    if ( got < 0 )
        return got;
    assert((size_t)got <= r->room - r->end);
    r->end += got;
    r->ended = !got;
    return 0;
}

/* Read until `nr` bytes are there, or the input ends.  0 or -errno. */
static int need_input(struct reader *r, size_t nr, struct err *e)
{
    int rc = 0;

    while ( !rc && !r->ended && r->end - r->at < nr )
        rc = read_more_input(r, e);
    return rc;
}

/* Release the input up to r->at. */
static void release_input(struct reader *r)
{
    r->start = r->at;
}

/* --- states --------------------------------------------------------------- */

/*
 * Each state returns the number of bytes delivered; 0 to call r->step again; or
 * -errno.
 */

static ssize_t read_skipped(struct reader *r, unsigned char *to, size_t room,
                            struct err *e)
{
    size_t n = r->end - r->at;
    int rc;

    (void)to;
    (void)room;
    if ( n > r->left )
        n = r->left;
    r->at += n;
    r->left -= n;
    release_input(r);
    rc = r->left ? read_more_input(r, e) : 0;
    if ( !r->left || r->ended )
        r->step = read_next;
    return rc;
}

static ssize_t read_zeroes(struct reader *r, unsigned char *to, size_t room,
                           struct err *e)
{
    size_t n = r->left < room ? r->left : room;

    (void)e;
    memset(to, 0, n);
    r->left -= n;
    if ( !r->left )
        r->step = read_next;
    return n;
}

/*
 * The frame at r->start is broken.  Zeroes replace it, and the search for the
 * next frame begins at its second byte; or at the read position if its
 * beginning was released.
 */
static void begin_zeroes(struct reader *r, uint64_t zeroes)
{
    if ( r->start < r->end )
        r->start++;
    r->at = r->start;
    r->left = zeroes;
    r->step = read_zeroes;
}

static ssize_t deliver_frame(struct reader *r, unsigned char *to, size_t room,
                             struct err *e)
{
    size_t left = r->frame_size - r->frame_used;
    size_t n = left < room ? left : room;

    (void)e;
    assert(r->frame_used <= r->frame_size && r->frame_size <= r->frame_room);
    memcpy(to, r->frame + r->frame_used, n);
    r->frame_used += n;
    if ( n == left )
        r->step = r->after;
    return n;
}

/* Deliver `size` bytes of r->frame, and then return to the current state. */
static void begin_delivery(struct reader *r, size_t size)
{
    r->frame_size = size;
    r->frame_used = 0;
    r->after = r->step;
    if ( size )
        r->step = deliver_frame;
}

/*
 * Does another frame begin in the bytes that are kept of this one?  Then its
 * header is damaged, and claims the frames behind it: no byte is credible.
 */
static bool has_inner_frame(const struct reader *r)
{
    assert(r->start < r->end);
    for ( size_t at = r->start + 1; r->end - at >= 4; at++ )
        if ( xt_zstd_detect(r->in + at, 4) )
            return true;
    return false;
}

/*
 * The input ends inside the frame, as in a file that was cut off: deliver the
 * first `size` bytes without their checksum, as the end of a trace that is not
 * compressed.  One zero follows, so the reader of windows notes the end as
 * damage even if the cut is between two windows.
 */
static void deliver_cut_frame(struct reader *r, size_t size)
{
    assert(r->ended && size <= r->frame_size);
    r->at = r->start = r->end;
    r->left = 1;
    r->step = read_zeroes;
    begin_delivery(r, size - size % 4);
}

/*
 * Expand the frame again, by steps, up to the broken block: the call that fails
 * does not tell the blocks before it.  Bytes of whole words.
 */
static size_t expand_sound_blocks(struct reader *r)
{
    ZSTD_outBuffer out = { r->frame, r->frame_size, 0 };
    ZSTD_inBuffer in = { r->in, r->start, r->start };
    size_t rc = 1, pos = 0;

    ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
    while ( rc && !ZSTD_isError(rc) && in.pos < r->end &&
            (in.pos == in.size || out.pos != pos) )
    {
        pos = out.pos;
        if ( in.pos == in.size )
            in.size += r->end - in.size < BLOCK_STEP ? r->end - in.size
                                                     : BLOCK_STEP;
        rc = ZSTD_decompressStream(r->zstd, &out, &in);
    }
    assert(out.pos <= r->frame_size);
    return out.pos - out.pos % 4;
}

/*
 * A frame is broken.  If the input is one frame, as `zstd FILE` makes, all
 * records are in this frame: deliver the blocks before the broken one, without
 * their checksum, and zeroes for the rest.
 */
static int deliver_broken_frame(struct reader *r, struct err *e)
{
    size_t size = r->frame_size, sound;
    int rc = 0;

    while ( r->is_first && !rc && !r->ended &&
            r->end - r->start <= ZSTD_compressBound(ZSTD_FRAME_WHOLE) )
        rc = read_more_input(r, e);
    if ( rc )
        return rc;
    sound = r->is_first && r->ended && !has_inner_frame(r)
            ? expand_sound_blocks(r) : 0;
    begin_zeroes(r, size > sound ? size - sound : LOST_ZEROES);
    begin_delivery(r, sound);
    return 0;
}

/* Expand a whole frame into r->frame before any byte is delivered. */
static ssize_t read_whole(struct reader *r, unsigned char *to, size_t room,
                          struct err *e)
{
    ZSTD_outBuffer out = { r->frame, r->frame_size, r->frame_used };
    ZSTD_inBuffer in = { r->in, r->end, r->at };
    size_t rc = ZSTD_decompressStream(r->zstd, &out, &in);
    int error = 0;

    (void)to;
    (void)room;
    r->at = in.pos;
    r->frame_used = out.pos;
    if ( !rc && out.pos == r->frame_size )
    {
        release_input(r);
        r->step = read_next;
        begin_delivery(r, out.pos);
    }
    else if ( !rc || ZSTD_isError(rc) ||
              r->at - r->start > ZSTD_compressBound(ZSTD_FRAME_WHOLE) )
        error = deliver_broken_frame(r, e);
    else if ( in.pos == r->end && !r->ended )
        error = read_more_input(r, e);
    else if ( in.pos == r->end && has_inner_frame(r) )
        begin_zeroes(r, r->frame_size);
    else if ( in.pos == r->end )
        deliver_cut_frame(r, out.pos);
    return error;
}

/*
 * Stream by steps of a fixed size, so that the bytes delivered of a broken
 * frame do not depend on the chunks of the input.
 */
static ssize_t read_through(struct reader *r, unsigned char *to, size_t room,
                            struct err *e)
{
    int error = need_input(r, THROUGH, e);
    size_t n = r->end - r->at < THROUGH ? r->end - r->at : THROUGH;
    ZSTD_outBuffer out = { r->frame, THROUGH, 0 };
    ZSTD_inBuffer in = { r->in, r->at + n, r->at };
    size_t rc;

    (void)to;
    (void)room;
    if ( error )
        return error;
    rc = ZSTD_decompressStream(r->zstd, &out, &in);
    r->at = in.pos;
    release_input(r);
    if ( !rc )
        r->step = read_next;
    else if ( ZSTD_isError(rc) || (!n && !out.pos) )
        begin_zeroes(r, LOST_ZEROES);
    begin_delivery(r, out.pos);
    return 0;
}

/* Find the next frame, skipping other bytes. */
static int find_frame(struct reader *r, struct err *e)
{
    int rc = need_input(r, 4, e);

    while ( !rc && r->end - r->at >= 4 && !xt_zstd_detect(r->in + r->at, 4) )
    {
        r->at++;
        release_input(r);
        rc = need_input(r, 4, e);
    }
    if ( !rc && r->end - r->at < 4 )
        r->at = r->start = r->end;
    return rc;
}

/* Begin to expand a frame with a buffer of `size` bytes. */
static int begin_frame(struct reader *r, size_t size, bool whole,
                       struct err *e)
{
    if ( size > r->frame_room )
    {
        unsigned char *frame = fault_realloc(r->frame, size);

        if ( !frame )
            return err_sys(e, -ENOMEM, "cannot expand %s", r->source.name);
        r->frame = frame;
        r->frame_room = size;
    }
    ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
    r->frame_size = size;
    r->frame_used = 0;
    r->is_first = !r->has_begun;
    r->has_begun = true;
    r->step = whole ? read_whole : read_through;
    return 0;
}

/* Begin the frame at r->at; its header is in memory as far as it exists. */
static int begin_any_frame(struct reader *r, struct err *e)
{
    const unsigned char *at = r->in + r->at;
    size_t left = r->end - r->at;
    unsigned long long size;

    if ( (zstd_load(at) & ZSTD_SKIPPED_MASK) == ZSTD_SKIPPED_MAGIC )
    {
        r->left = ZSTD_SKIPPED_HEADER +
                  (left < ZSTD_SKIPPED_HEADER ? 0ull : zstd_load(at + 4));
        r->step = read_skipped;
        return 0;
    }
    size = ZSTD_getFrameContentSize(at, left);
    if ( size <= ZSTD_FRAME_WHOLE )
        return begin_frame(r, size, true, e);
    if ( size != ZSTD_CONTENTSIZE_ERROR )
        return begin_frame(r, THROUGH, false, e);
    begin_zeroes(r, LOST_ZEROES);
    return 0;
}

static ssize_t read_next(struct reader *r, unsigned char *to, size_t room,
                         struct err *e)
{
    int rc;

    (void)to;
    (void)room;
    release_input(r);
    rc = need_input(r, HEADER_MOST, e);
    if ( rc || r->at == r->end )
        return rc;
    if ( r->end - r->at < 4 || !xt_zstd_detect(r->in + r->at, 4) )
    {
        rc = find_frame(r, e);
        return rc ? rc : need_input(r, HEADER_MOST, e);
    }
    return begin_any_frame(r, e);
}

/* --- the source ---------------------------------------------------------- */

static bool is_at_end(const struct reader *r)
{
    return r->step == read_next && r->ended && r->at == r->end;
}

static ssize_t read_step(struct reader *r, unsigned char *to, size_t room,
                         struct err *e)
{
    ssize_t got = 0;

    while ( !got && !is_at_end(r) )
        got = r->step(r, to, room, e);
    assert(got < 0 || (size_t)got <= room);
    return got;
}

static size_t read_head(struct reader *r, void *to, size_t room)
{
    size_t left = r->nr_head - r->at_head, n = room < left ? room : left;

    assert(r->at_head <= r->nr_head);
    memcpy(to, r->head + r->at_head, n);
    r->at_head += n;
    return n;
}

static ssize_t zstd_read(struct xt_source *s, void *to, size_t room,
                         struct err *e)
{
    struct reader *r = reader_of(s);
    ssize_t got = 1;

    if ( r->at_head < r->nr_head )
        return read_head(r, to, room);
    while ( r->discard && got > 0 )
    {
        got = read_step(r, to, r->discard < room ? r->discard : room, e);
        if ( got > 0 )
            r->discard -= got;
    }
    return got > 0 ? read_step(r, to, room, e) : got;
}

static void zstd_close(struct xt_source *s)
{
    struct reader *r = reader_of(s);

    xt_source_close(r->inner);
    ZSTD_freeDCtx(r->zstd);
    free(r->in);
    free(r->frame);
    free(r->from);
    free(r->packed);
    free(r);
}

/* --- with a table --------------------------------------------------------- */

/* The last frame that begins at or before byte `at` of the trace. */
static size_t find_frame_at(const struct reader *r, uint64_t at)
{
    size_t low = 0, high = r->nr_frames;

    assert(high);
    while ( high - low > 1 )
    {
        size_t middle = low + (high - low) / 2;

        if ( r->from[middle] <= at )
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int zstd_seek(struct xt_source *s, uint64_t at, struct err *e)
{
    struct reader *r = reader_of(s);
    size_t frame = find_frame_at(r, at);
    int rc;

    if ( at > s->size )
        return err_at(e, -EINVAL, at, "%s ends before", s->name);
    rc = r->inner->ops->seek(r->inner, r->packed[frame], e);
    if ( rc )
        return rc;
    r->start = r->at = r->end = 0;
    r->ended = false;
    r->step = read_next;
    assert(r->from[frame] <= at);
    r->discard = at - r->from[frame];
    r->at_head = r->nr_head;
    return 0;
}

static const uint64_t *zstd_points(struct xt_source *s, size_t *nr)
{
    struct reader *r = reader_of(s);

    *nr = r->nr_frames;
    return r->from;
}

static const struct xt_source_ops stream_ops = {
    .read = zstd_read, .close = zstd_close,
};

static const struct xt_source_ops table_ops = {
    .read = zstd_read, .seek = zstd_seek, .points = zstd_points,
    .close = zstd_close,
};

/* Sum up the sizes of `nr` frames.  True if the sum is the table's offset. */
static bool fill_table(struct reader *r, const unsigned char *row, size_t nr,
                       size_t row_size, uint64_t table_at)
{
    uint64_t from = 0, packed = 0;

    for ( size_t i = 0; i < nr; i++, row += row_size )
    {
        r->from[i] = from;
        r->packed[i] = packed;
        packed += zstd_load(row);
        from += zstd_load(row + 4);
        if ( zstd_load(row + 4) > ZSTD_FRAME_WHOLE )
            return false;
    }
    r->nr_frames = nr;
    r->source.size = from;
    return packed == table_at;
}

/*
 * Load the table at the end of the mapped input, if it is consistent.  The
 * sizes of single frames are not checked: each frame is expanded as usual, and
 * a wrong size cannot read beyond it.
 */
static int load_table(struct reader *r)
{
    uint64_t size = r->inner->size, table;
    const unsigned char *end;
    size_t nr, row;

    if ( !r->inner->map || !r->inner->ops->seek ||
         size < ZSTD_SKIPPED_HEADER + ZSTD_TABLE_END )
        return 0;
    end = r->inner->map + size;
    if ( zstd_load(end - 4) != ZSTD_TABLE_END_MAGIC ||
         end[-5] & ZSTD_TABLE_RESERVED )
        return 0;
    nr = zstd_load(end - ZSTD_TABLE_END);
    row = end[-5] & ZSTD_TABLE_HAS_SUMS ? 12 : 8;
    table = ZSTD_SKIPPED_HEADER + row * (uint64_t)nr + ZSTD_TABLE_END;
    if ( !nr || table > size || zstd_load(end - table) != ZSTD_TABLE_MAGIC ||
         zstd_load(end - table + 4) != table - ZSTD_SKIPPED_HEADER )
        return 0;

    r->from = fault_calloc(nr, sizeof(*r->from));
    r->packed = fault_calloc(nr, sizeof(*r->packed));
    if ( !r->from || !r->packed )
        return -ENOMEM;
    if ( fill_table(r, end - table + ZSTD_SKIPPED_HEADER, nr, row,
                    size - table) )
        r->source.ops = &table_ops;
    else
        r->source.size = XT_SIZE_UNKNOWN;
    return 0;
}

/* Read as many bytes as are available. */
static int expand_head(struct reader *r, struct err *e)
{
    ssize_t got = 1;

    while ( got > 0 && r->nr_head < sizeof(r->head) )
    {
        got = read_step(r, r->head + r->nr_head, sizeof(r->head) - r->nr_head,
                        e);
        r->nr_head += got > 0 ? got : 0;
    }
    return got < 0 && got != -EAGAIN ? got : 0;
}

size_t xt_zstd_head(const struct xt_source *s, const unsigned char **head)
{
    const struct reader *r = (const struct reader *)s;

    *head = r->head;
    return r->nr_head;
}

int xt_zstd_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e)
{
    struct reader *r = fault_calloc(1, sizeof(*r));
    int rc;

    *s = NULL;
    if ( !r )
    {
        xt_source_close(inner);
        return err_sys(e, -ENOMEM, "cannot expand");
    }
    r->inner = inner;
    r->step = read_next;
    r->source.ops = &stream_ops;
    r->source.size = XT_SIZE_UNKNOWN;
    memcpy(r->source.name, inner->name, sizeof(r->source.name));
    r->zstd = ZSTD_createDCtx();
    if ( !r->zstd || load_table(r) )
    {
        err_sys(e, -ENOMEM, "cannot expand %s", inner->name);
        zstd_close(&r->source);
        return -ENOMEM;
    }
    rc = expand_head(r, e);
    if ( rc )
        zstd_close(&r->source);
    else
        *s = &r->source;
    return rc;
}
