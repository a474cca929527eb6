/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer of protocol buffers: tags, varints and nested messages.
 *
 *     size_t packet = protobuf_begin(p, 1);
 *
 *     protobuf_add_number(p, 8, time);
 *     protobuf_end(p, packet);
 *
 * The length of a message is not known when the message begins, so two bytes
 * are left for it: a varint may have leading zeros.  A message is therefore
 * below PROTOBUF_MESSAGE_MAX bytes, which the caller guarantees.
 */
#ifndef XENALYZE_VIEWERS_PROTOBUF_H
#define XENALYZE_VIEWERS_PROTOBUF_H

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/debug.h"

#define PROTOBUF_MESSAGE_MAX (1u << 14)
#define PROTOBUF_BUFFER (4 * PROTOBUF_MESSAGE_MAX)

struct protobuf
{
    FILE *out;
    int error;                  /* 0, or -errno of the first failed write */
    size_t used;
    uint8_t bytes[PROTOBUF_BUFFER];
};

enum { PROTOBUF_VARINT, PROTOBUF_FIXED64, PROTOBUF_BYTES };

static inline void protobuf_put_varint(struct protobuf *p, uint64_t value)
{
    debug_assert(p->used + 10 <= PROTOBUF_BUFFER);
    for ( ; value >= 0x80; value >>= 7 )
        p->bytes[p->used++] = value | 0x80;
    p->bytes[p->used++] = value;
}

static inline void protobuf_add_number(struct protobuf *p, unsigned int field,
                                       uint64_t value)
{
    protobuf_put_varint(p, field << 3 | PROTOBUF_VARINT);
    protobuf_put_varint(p, value);
}

static inline void protobuf_add_fixed64(struct protobuf *p, unsigned int field,
                                        uint64_t value)
{
    protobuf_put_varint(p, field << 3 | PROTOBUF_FIXED64);
    debug_assert(p->used + 8 <= PROTOBUF_BUFFER);
    for ( unsigned int i = 0; i < 8; i++ )
        p->bytes[p->used++] = value >> 8 * i;
}

static inline void protobuf_add_double(struct protobuf *p, unsigned int field,
                                       double value)
{
    uint64_t bits;

    _Static_assert(sizeof(bits) == sizeof(value), "a double has 64 bits");
    memcpy(&bits, &value, sizeof(bits));
    protobuf_add_fixed64(p, field, bits);
}

static inline void protobuf_add_bytes(struct protobuf *p, unsigned int field,
                                      const void *bytes, size_t size)
{
    assert(size < PROTOBUF_MESSAGE_MAX &&
           p->used + 20 + size <= PROTOBUF_BUFFER);
    protobuf_put_varint(p, field << 3 | PROTOBUF_BYTES);
    protobuf_put_varint(p, size);
    memcpy(&p->bytes[p->used], bytes, size);
    p->used += size;
}

static inline void protobuf_add_text(struct protobuf *p, unsigned int field,
                                     const char *text)
{
    protobuf_add_bytes(p, field, text, strlen(text));
}

/* Begin a nested message; returns its position for protobuf_end(). */
static inline size_t protobuf_begin(struct protobuf *p, unsigned int field)
{
    protobuf_put_varint(p, field << 3 | PROTOBUF_BYTES);
    p->used += 2;
    return p->used;
}

static inline void protobuf_end(struct protobuf *p, size_t begin)
{
    size_t size = p->used - begin;

    assert(begin >= 2 && begin <= p->used && size < PROTOBUF_MESSAGE_MAX);
    p->bytes[begin - 2] = size | 0x80;
    p->bytes[begin - 1] = size >> 7;
}

static inline void protobuf_flush(struct protobuf *p)
{
    size_t done;

    assert(p->used <= PROTOBUF_BUFFER);
    errno = 0;
    done = fwrite(p->bytes, 1, p->used, p->out);
    if ( done < p->used && !p->error )
        p->error = errno ? -errno : -EIO;
    p->used = 0;
}

/* Between two outermost messages. */
static inline void protobuf_flush_full(struct protobuf *p)
{
    if ( p->used > PROTOBUF_BUFFER - PROTOBUF_MESSAGE_MAX )
        protobuf_flush(p);
}

#endif /* XENALYZE_VIEWERS_PROTOBUF_H */
