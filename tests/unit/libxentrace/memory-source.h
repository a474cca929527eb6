/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of bytes in memory, in pieces of a chosen size, for tests of the
 * layers on top of a source.  An assertion of `check` is a system call, so
 * there is none for each piece.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_MEMORY_SOURCE_H
#define TESTS_UNIT_LIBXENTRACE_MEMORY_SOURCE_H

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/source.h"

struct layer_bytes
{
    struct xt_source source;
    unsigned char *bytes;       /* an allocation of the exact size */
    size_t size, at, piece;
    bool again;                 /* return -EAGAIN now and then */
};

static inline ssize_t layer_read(struct xt_source *s, void *to, size_t room,
                                 struct err *e)
{
    struct layer_bytes *b = (struct layer_bytes *)s;
    size_t n = b->size - b->at < b->piece ? b->size - b->at : b->piece;

    (void)e;
    if ( !room )
        ck_abort_msg("a read of nothing");
    b->again = !b->again;
    if ( b->piece < 1000 && b->again )
        return -EAGAIN;
    n = n < room ? n : room;
    memcpy(to, b->bytes + b->at, n);
    b->at += n;
    return n;
}

static inline int layer_seek(struct xt_source *s, uint64_t at, struct err *e)
{
    (void)e;
    ck_assert_uint_le(at, ((struct layer_bytes *)s)->size);
    ((struct layer_bytes *)s)->at = at;
    return 0;
}

static inline void layer_close(struct xt_source *s)
{
    free(((struct layer_bytes *)s)->bytes);
    free(s);
}

/* `mapped`: seekable, like a file; otherwise like a pipe. */
static inline struct xt_source *layer_open(const void *bytes, size_t size,
                                           size_t piece, bool mapped)
{
    static const struct xt_source_ops pipe = {
        .read = layer_read, .close = layer_close,
    };
    static const struct xt_source_ops file = {
        .read = layer_read, .seek = layer_seek, .close = layer_close,
    };
    struct layer_bytes *b = calloc(1, sizeof(*b));

    b->bytes = malloc(size + !size);
    memcpy(b->bytes, bytes, size);
    b->size = size;
    b->piece = piece;
    b->source.ops = mapped ? &file : &pipe;
    b->source.size = mapped ? size : XT_SIZE_UNKNOWN;
    b->source.map = mapped ? b->bytes : NULL;
    strcpy(b->source.name, "the test");
    return &b->source;
}

/* Read all bytes, `room` at a time; at most `most`. */
static inline size_t layer_all(struct xt_source *s, unsigned char *to,
                               size_t most, size_t room)
{
    struct err e = ERR_INIT;
    size_t size = 0;
    ssize_t got = 1;

    while ( got )
    {
        if ( size == most )
            ck_abort_msg("more than %zu bytes", most);
        got = s->ops->read(s, to + size,
                           most - size < room ? most - size : room, &e);
        if ( got < 0 && got != -EAGAIN )
            ck_abort_msg("%s", e.text);
        size += got > 0 ? got : 0;
    }
    return size;
}

#endif /* TESTS_UNIT_LIBXENTRACE_MEMORY_SOURCE_H */
