/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a compressed trace, and as a trace of the other byte order.  The
 * output does not depend on the sizes of reads; in a file with a seek table
 * every listed place is reachable; nothing is read beyond the input.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "libxentrace/crc.h"
#include "libxentrace/swap.h"
#include "libxentrace/zstd.h"

#define MOST (64u << 20) /* zeroes for broken frames, at most */

/* --- a source of bytes in memory ----------------------------------------- */

struct bytes
{
    struct xt_source source;
    const uint8_t *bytes;
    size_t size, at, piece;
};

static ssize_t bytes_read(struct xt_source *s, void *to, size_t room,
                          struct err *e)
{
    struct bytes *b = (struct bytes *)s;
    size_t n = b->size - b->at < b->piece ? b->size - b->at : b->piece;

    (void)e;
    n = n < room ? n : room;
    memcpy(to, b->bytes + b->at, n);
    b->at += n;
    return n;
}

static int bytes_seek(struct xt_source *s, uint64_t at, struct err *e)
{
    struct bytes *b = (struct bytes *)s;

    (void)e;
    MUST(at <= b->size);
    b->at = at;
    return 0;
}

static void bytes_close(struct xt_source *s)
{
    free(s);
}

static struct xt_source *bytes_open(const uint8_t *bytes, size_t size,
                                    size_t piece)
{
    static const struct xt_source_ops ops = {
        .read = bytes_read, .seek = bytes_seek, .close = bytes_close,
    };
    struct bytes *b = calloc(1, sizeof(*b));

    MUST(b);
    *b = (struct bytes){
        .source = { .ops = &ops, .size = size, .map = bytes, .name = "it" },
        .bytes = bytes, .size = size, .piece = piece,
    };
    return &b->source;
}

/* --- output -------------------------------------------------------------- */

typedef int open_layer(struct xt_source **s, struct xt_source *inner,
                       struct err *e);

/* Checksum and size of the whole output. */
static uint32_t read_all(struct xt_source *s, uint64_t *size)
{
    static uint8_t buffer[70000];
    struct err e = ERR_INIT;
    uint32_t sum = 0;
    ssize_t got;

    for ( *size = 0; *size < MOST; *size += got )
    {
        got = s->ops->read(s, buffer, sizeof(buffer), &e);
        MUST(got >= 0);
        if ( !got )
            break;
        sum = xt_crc32c(sum, buffer, got);
    }
    return sum;
}

static void go_everywhere(struct xt_source *s)
{
    struct err e = ERR_INIT;
    const uint64_t *points;
    uint8_t byte;
    size_t nr;

    if ( !s->ops->points )
        return;
    points = s->ops->points(s, &nr);
    for ( size_t i = 0; i < nr && i < 20; i++ )
    {
        MUST(!s->ops->seek(s, points[i], &e));
        MUST(s->ops->read(s, &byte, 1, &e) >= 0);
    }
}

static uint64_t both_ways(open_layer *open, const uint8_t *bytes, size_t size)
{
    struct err e = ERR_INIT;
    uint64_t first, second;
    struct xt_source *s;
    uint32_t sum;

    MUST(!open(&s, bytes_open(bytes, size, size + 1), &e));
    sum = read_all(s, &first);
    go_everywhere(s);
    xt_source_close(s);

    MUST(!open(&s, bytes_open(bytes, size, 1 + size / 7), &e));
    MUST(read_all(s, &second) == sum && first == second);
    xt_source_close(s);
    return first;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    MUST(both_ways(xt_swap_open, bytes, size) == size);
    if ( xt_zstd_detect(bytes, size) )
        both_ways(xt_zstd_open, bytes, size);
    return 0;
}
