/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Swapping words in place, in a buffer from which they are then delivered:
 *
 *      |  given  |  swapped       |  raw         |       |
 *      0         at               raw            end     room
 *
 * Words may be unaligned, since bytes can be missing.  So the code follows the
 * windows from header to header, and searches for the next header after damage.
 */
#define _GNU_SOURCE /* memmem */

#include "libxentrace/swap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/window.h"

#define ROOM (1u << 18)
#define SWAPPED_MAGIC __builtin_bswap32(XT_WINDOW_MAGIC)

struct swap
{
    struct xt_source source;    /* first: the public part */
    struct xt_source *inner;
    size_t at, raw, end;
    bool ended;
    uint64_t left;              /* rest of the window at `raw` */
    unsigned char bytes[ROOM];
};

static struct swap *swap_of(struct xt_source *s)
{
    return (struct swap *)s;
}

bool xt_swap_detect(const unsigned char *first, size_t nr)
{
    return nr >= 4 && xt_load32(first) == SWAPPED_MAGIC;
}

/* --- raw bytes ------------------------------------------------------------ */

/* Does a window begin here?  Then set its size. */
static bool begins_window(struct swap *s)
{
    const unsigned char *at = s->bytes + s->raw;
    uint32_t size;

    if ( s->end - s->raw < XT_WINDOW_HEADER ||
         xt_load32(at) != SWAPPED_MAGIC )
        return false;
    size = __builtin_bswap32(xt_load32(at + 8));
    if ( size > XT_WINDOW_MAX )
        return false;
    s->left = XT_WINDOW_HEADER + size;
    return true;
}

static void swap_words_ready(struct swap *s)
{
    for ( ; s->left >= 4 && s->end - s->raw >= 4; s->raw += 4, s->left -= 4 )
    {
        uint32_t word = __builtin_bswap32(xt_load32(s->bytes + s->raw));

        memcpy(s->bytes + s->raw, &word, sizeof(word));
    }
    /* Less than a word is left, of the window or of the input. */
    if ( s->left < 4 || s->ended )
        s->left = 0;
}

/* Skip bytes unchanged, up to where the next header may be. */
static void skip_junk(struct swap *s)
{
    const uint32_t magic = SWAPPED_MAGIC;
    const unsigned char *from = s->bytes + s->raw + 1, *found;
    size_t left = s->end - s->raw - 1;

    assert(s->raw < s->end && !s->left);
    found = memmem(from, left, &magic, sizeof(magic));
    if ( found )
        s->raw = found - s->bytes;
    else if ( s->ended )
        s->raw = s->end;
    else
        s->raw = s->end - (left < 3 ? left : 3);
}

/* Swap as many raw bytes as possible. */
static void convert_raw(struct swap *s)
{
    while ( s->raw < s->end )
    {
        if ( s->left || begins_window(s) )
            swap_words_ready(s);
        else if ( s->end - s->raw >= XT_WINDOW_HEADER || s->ended )
            skip_junk(s);
        else
            return;
        if ( s->left && s->end - s->raw < 4 )
            return;
    }
}

/* --- the source ---------------------------------------------------------- */

static int refill_buffer(struct swap *s, struct err *e)
{
    ssize_t got;

    assert(s->at <= s->raw && s->raw <= s->end && s->end <= ROOM);
    memmove(s->bytes, s->bytes + s->at, s->end - s->at);
    s->end -= s->at;
    s->raw -= s->at;
    s->at = 0;
    got = s->inner->ops->read(s->inner, s->bytes + s->end, ROOM - s->end, e);
    if ( got < 0 )
        return got;
    assert((size_t)got <= ROOM - s->end);
    s->end += got;
    s->ended = !got;
    convert_raw(s);
    return 0;
}

static ssize_t swap_read(struct xt_source *source, void *to, size_t room,
                         struct err *e)
{
    struct swap *s = swap_of(source);
    size_t n;
    int rc = 0;

    while ( !rc && s->at == s->raw && !s->ended )
        rc = refill_buffer(s, e);
    if ( rc )
        return rc;
    assert(s->at <= s->raw);
    n = s->raw - s->at < room ? s->raw - s->at : room;
    memcpy(to, s->bytes + s->at, n);
    s->at += n;
    return n;
}

static int swap_seek(struct xt_source *source, uint64_t at, struct err *e)
{
    struct swap *s = swap_of(source);
    int rc = s->inner->ops->seek(s->inner, at, e);

    if ( rc )
        return rc;
    s->at = s->raw = s->end = 0;
    s->left = 0;
    s->ended = false;
    return 0;
}

static const uint64_t *swap_points(struct xt_source *source, size_t *nr)
{
    struct xt_source *inner = swap_of(source)->inner;

    return inner->ops->points(inner, nr);
}

static void swap_close(struct xt_source *source)
{
    xt_source_close(swap_of(source)->inner);
    free(source);
}

static const struct xt_source_ops read_ops = {
    .read = swap_read, .close = swap_close,
};

static const struct xt_source_ops seek_ops = {
    .read = swap_read, .seek = swap_seek, .close = swap_close,
};

static const struct xt_source_ops points_ops = {
    .read = swap_read, .seek = swap_seek, .points = swap_points,
    .close = swap_close,
};

int xt_swap_open(struct xt_source **out, struct xt_source *inner,
                 struct err *e)
{
    struct swap *s = fault_malloc(sizeof(*s));

    *out = NULL;
    if ( !s )
    {
        xt_source_close(inner);
        return err_sys(e, -ENOMEM, "cannot read the trace");
    }
    s->source = (struct xt_source){
        .ops = inner->ops->points ? &points_ops :
               inner->ops->seek ? &seek_ops : &read_ops,
        .size = inner->size,
    };
    memcpy(s->source.name, inner->name, sizeof(s->source.name));
    s->inner = inner;
    s->at = s->raw = s->end = 0;
    s->left = 0;
    s->ended = false;
    *out = &s->source;
    return 0;
}
