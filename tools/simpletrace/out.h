/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text on its way out.  A failure to write is kept until somebody asks, and
 * nothing more is written then.
 */
#ifndef SIMPLETRACE_OUT_H
#define SIMPLETRACE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/num.h"

#define ST_OUT_MAX (512u << 10) /* that can be asked for in one piece */

struct st_out
{
    int fd;
    int failed;                 /* -errno of the first write that was not */
    char *buffer, *at, *end;
};

int st_out_init(struct st_out *o, int fd, struct err *e);

/* 0, or why not all of it is written. */
int st_out_fini(struct st_out *o, struct err *e);

void st_out_flush(struct st_out *o);

/* Room for n bytes; written at the place returned, ended by setting o->at. */
static inline char *st_out_need(struct st_out *o, size_t n)
{
    if ( (size_t)(o->end - o->at) < n )
        st_out_flush(o);
    return o->at;
}

/* Bytes as they are. */
void st_out_bytes(struct st_out *o, const char *bytes, size_t n);
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
 * Bytes that came from anywhere, for a terminal or a line: what is no
 * printable character, nor part of one in UTF-8, as \n, \t or \xNN; a
 * backslash as it is.
 */
void st_out_escaped(struct st_out *o, const char *bytes, size_t n);

/* Bytes of the character there, in UTF-8, if it is one to be shown; or 0. */
size_t st_out_char_length(const char *text, size_t left);

/* So many bytes from there on mean themselves in any style: most of them. */
size_t st_out_plain_length(const char *text, size_t n);

#endif /* SIMPLETRACE_OUT_H */
