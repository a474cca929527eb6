/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffered text output.  A write error is kept until st_out_fini(), and
 * nothing is written after it.
 */
#ifndef SIMPLETRACE_OUT_H
#define SIMPLETRACE_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/debug.h"
#include "common/err.h"
#include "common/num.h"

#define ST_OUT_MAX (512u << 10) /* largest request */

/*
 * Texts are copied in pieces of 16 bytes, so ST_PAD bytes behind the source are
 * read, and as many behind the copy are written.
 */
#define ST_PAD 16u

struct st_text                  /* readable up to length + ST_PAD */
{
    const char *text;
    size_t length;
};

struct st_out
{
    int fd;
    /* Callback in place of the file: gets the text of the buffer; or NULL. */
    void (*take)(void *arg, const char *bytes, size_t n);
    void *take_arg;
    int failed;                 /* -errno of the first failed write */
    char *buffer, *at, *end;
};

int st_out_init(struct st_out *o, int fd, struct err *e);

/* The same for text that a callback takes. */
int st_out_init_callback(struct st_out *o,
                         void (*take)(void *arg, const char *bytes, size_t n),
                         void *arg, struct err *e);

/* 0, or the first write error. */
int st_out_fini(struct st_out *o, struct err *e);

void st_out_flush(struct st_out *o);

/*
 * Reserve n bytes.  The caller writes at the address returned, and sets o->at
 * to the end of the text.
 */
static inline char *st_out_need(struct st_out *o, size_t n)
{
    debug_assert(n <= ST_OUT_MAX);
    if ( (size_t)(o->end - o->at) < n )
        st_out_flush(o);
    return o->at;
}

/* Copy a padded source to p. */
static inline char *st_put_padded(char *p, const char *text, size_t length)
{
    memcpy(p, text, ST_PAD);
    for ( size_t i = ST_PAD; i < length; i += ST_PAD )
        memcpy(p + i, text + i, ST_PAD);
    return p + length;
}

static inline char *st_put_text(char *p, const struct st_text *text)
{
    return st_put_padded(p, text->text, text->length);
}

/* Length of the prefix of plain ASCII of a padded source; copies the prefix. */
size_t st_put_plain(char *p, const char *text, size_t length);

/* st_out_escaped() of a padded source; up to 4 * length + 2 * ST_PAD. */
char *st_put_escaped(char *p, const char *text, size_t length);

/* Append bytes unchanged. */
void st_out_bytes(struct st_out *o, const char *bytes, size_t n);

static inline void st_out_padded(struct st_out *o, const struct st_text *text)
{
    if ( text->length > ST_OUT_MAX / 2 )
        st_out_bytes(o, text->text, text->length);
    else
        o->at = st_put_text(st_out_need(o, text->length + ST_PAD), text);
}
void st_out_text(struct st_out *o, const char *text);
void st_out_print(struct st_out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline void st_out_char(struct st_out *o, char c)
{
    *st_out_need(o, 1) = c;
    o->at++;
}

static inline void st_out_u64(struct st_out *o, uint64_t value)
{
    o->at = num_u64(st_out_need(o, NUM_U64_MAX), value);
}

/* 0x and the digits. */
static inline void st_out_hex(struct st_out *o, uint64_t value)
{
    char *p = st_out_need(o, 2 + NUM_HEX_MAX);

    *p++ = '0';
    *p++ = 'x';
    o->at = num_hex(p, value);
}

/*
 * Append untrusted bytes, made safe for a terminal and for a line: bytes that
 * are not part of a printable UTF-8 character become \n, \t or \xNN.  A
 * backslash stays unchanged.
 */
void st_out_escaped(struct st_out *o, const char *bytes, size_t n);

/* Length of the printable UTF-8 character at text; 0: none. */
size_t st_out_char_length(const char *text, size_t left);

/* Length of the prefix of plain ASCII, which no style has to escape. */
size_t st_out_plain_length(const char *text, size_t n);

#endif /* SIMPLETRACE_OUT_H */
