/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One buffer, written when it is full.
 */
#include "simpletrace/out.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"

#define ROOM (2 * ST_OUT_MAX)
#define LINE 4096

int st_out_init(struct st_out *o, int fd, struct err *e)
{
    *o = (struct st_out){ .fd = fd, .buffer = fault_malloc(ROOM) };
    if ( !o->buffer )
        return err_sys(e, -ENOMEM, "cannot allocate an output buffer");
    o->at = o->buffer;
    o->end = o->buffer + ROOM;
    return 0;
}

int st_out_init_callback(struct st_out *o,
                         void (*take)(void *arg, const char *bytes, size_t n),
                         void *arg, struct err *e)
{
    int rc = st_out_init(o, -1, e);

    assert(take);
    o->take = take;
    o->take_arg = arg;
    return rc;
}

void st_out_flush(struct st_out *o)
{
    const char *at = o->buffer;
    ssize_t n;

    assert(o->buffer <= o->at && o->at <= o->end);
    if ( o->take )
    {
        o->take(o->take_arg, o->buffer, o->at - o->buffer);
        at = o->at;
    }
    while ( at < o->at && !o->failed )
    {
        n = fault_write(o->fd, at, o->at - at);
        if ( n > 0 )
            at += n;
        else if ( n < 0 && errno != EINTR )
            o->failed = -errno;
    }
    o->at = o->buffer;
}

int st_out_fini(struct st_out *o, struct err *e)
{
    if ( o->buffer )
        st_out_flush(o);
    fault_free(o->buffer);
    o->buffer = NULL;
    return o->failed ? err_sys(e, o->failed, "cannot write the output") : 0;
}

void st_out_bytes(struct st_out *o, const char *bytes, size_t n)
{
    size_t part;

    for ( ; n; n -= part, bytes += part )
    {
        part = n < ST_OUT_MAX ? n : ST_OUT_MAX;
        memcpy(st_out_need(o, part), bytes, part);
        o->at += part;
    }
}

void st_out_text(struct st_out *o, const char *text)
{
    st_out_bytes(o, text, strlen(text));
}

void st_out_print(struct st_out *o, const char *fmt, ...)
{
    char *p = st_out_need(o, LINE);
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(p, LINE, fmt, args);
    va_end(args);
    assert(n >= 0);
    o->at += n < LINE ? n : LINE - 1;
}

size_t st_out_char_length(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + left;
    static const struct { unsigned char mask, type_bytes; } forms[] = {
        { 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 },
    };
    size_t i, n;

    debug_assert(left);
    if ( *at < 0x80 )
        return *at >= ' ' && *at != 0x7f;
    for ( n = 2; n <= 4; n++ )
        if ( (*at & forms[n - 2].mask) == forms[n - 2].type_bytes )
            break;
    if ( n > 4 || (size_t)(end - at) < n || *at < 0xc2 )
        return 0;
    for ( i = 1; i < n; i++ )
        if ( (at[i] & 0xc0) != 0x80 )
            return 0;
    /* U+0080 to U+009f are control characters, too. */
    return *at == 0xc2 && at[1] < 0xa0 ? 0 : n;
}

/* Writes up to 2 + NUM_HEX_MAX bytes. */
static char *put_escaped_byte(char *p, unsigned char byte)
{
    if ( byte == '\n' || byte == '\t' )
    {
        *p++ = '\\';
        *p++ = byte == '\n' ? 'n' : 't';
        return p;
    }
    *p++ = '\\';
    *p++ = 'x';
    return num_hex_zero(p, byte, 2);
}

/* Sixteen characters; true in a comparison is all ones. */
typedef unsigned char chars __attribute__((vector_size(ST_PAD)));

/* Behind the first 16 - n entries, n of which are counted: none. */
static const unsigned char beyond[2 * ST_PAD] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255,
};

/* Are the first n of 16 characters plain? */
static inline bool are_plain(const char *text, size_t n)
{
    uint64_t halves[2];
    chars c, plain;

    debug_assert(n && n <= ST_PAD);
    memcpy(&c, text, sizeof(c));
    memcpy(&plain, beyond + ST_PAD - n, sizeof(plain));
    plain |= (chars)((c >= ' ') & (c <= '~') & (c != '"') & (c != '\\'));
    memcpy(halves, &plain, sizeof(halves));
    return (halves[0] & halves[1]) == UINT64_MAX;
}

size_t st_put_plain(char *p, const char *text, size_t length)
{
    size_t at, n;

    for ( at = 0; at < length; at += n )
    {
        n = length - at < ST_PAD ? length - at : ST_PAD;
        memcpy(p + at, text + at, ST_PAD);
        if ( !are_plain(text + at, n) )
            return at + st_out_plain_length(text + at, n);
    }
    return length;
}

char *st_put_escaped(char *p, const char *text, size_t length)
{
    const char *end = text + length;
    size_t n;

    for ( ; ; text += n ? n : 1 )
    {
        n = st_put_plain(p, text, end - text);
        p += n;
        text += n;
        if ( text == end )
            return p;
        n = st_out_char_length(text, end - text);
        if ( n )
            p = st_put_padded(p, text, n);
        else
            p = put_escaped_byte(p, *text);
    }
}

size_t st_out_plain_length(const char *text, size_t n)
{
    size_t i;

    for ( i = 0; i < n; i++ )
        if ( text[i] < ' ' || text[i] > '~' || text[i] == '"' ||
             text[i] == '\\' )
            break;
    return i;
}

void st_out_escaped(struct st_out *o, const char *bytes, size_t n)
{
    const char *end = n ? bytes + n : bytes;    /* may be NULL */
    size_t length;
    char *p;

    for ( ; bytes < end; bytes += length ? length : 1 )
    {
        length = st_out_plain_length(bytes, end - bytes);
        st_out_bytes(o, bytes, length);
        bytes += length;
        if ( bytes == end )
            break;
        p = st_out_need(o, 4 + NUM_HEX_MAX);
        length = st_out_char_length(bytes, end - bytes);
        debug_assert(length <= (size_t)(end - bytes));
        memcpy(p, bytes, length);
        o->at = length ? p + length : put_escaped_byte(p, *bytes);
    }
}
