/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of one file or pipe, some hundred KB at a time: a reader sees a
 * whole item in one piece, and a file that is cut under it is an end, no
 * SIGBUS.
 */
#ifndef SIMPLETRACE_INPUT_H
#define SIMPLETRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define ST_INPUT_MAX (128u << 10)   /* that can be asked for in one piece */

struct st_input
{
    const char *name;           /* borrowed */
    int fd;
    bool follow;                /* there may be more behind the end */
    bool ended;
    uint64_t offset;            /* of buffer[0] */
    unsigned char *buffer;
    size_t at, end;             /* what is not yet taken */
};

/* "-" is standard input. */
int st_input_open(struct st_input *in, const char *path, struct err *e);
void st_input_close(struct st_input *in);

/*
 * Try to have `n` bytes at st_input_bytes(); how many there are: fewer at the
 * end of the file, more most of the time.  -errno.  Moves the bytes.
 */
int64_t st_input_fill(struct st_input *in, size_t n, struct err *e);

static inline int64_t st_input_need(struct st_input *in, size_t n,
                                    struct err *e)
{
    return in->end - in->at >= n ? (int64_t)(in->end - in->at) :
                                   st_input_fill(in, n, e);
}

static inline const unsigned char *st_input_bytes(const struct st_input *in)
{
    return in->buffer + in->at;
}

/* Where in the file they are. */
static inline uint64_t st_input_offset(const struct st_input *in)
{
    return in->offset + in->at;
}

#endif /* SIMPLETRACE_INPUT_H */
