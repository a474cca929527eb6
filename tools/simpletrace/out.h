/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffered text output.  A write error is kept until st_out_fini(), and
 * nothing is written after it.
 */
#ifndef SIMPLETRACE_OUT_H
#define SIMPLETRACE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "common/err.h"
#include "common/num.h"

#define ST_OUT_MAX (512u << 10) /* largest request */

struct st_out
{
    int fd;
    int failed;                 /* -errno of the first failed write */
    char *buffer, *at, *end;
};

int st_out_init(struct st_out *o, int fd, struct err *e);

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

/* Append bytes unchanged. */
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
