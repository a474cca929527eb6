/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffered input from a file or pipe, some hundred KB at a time.  A reader
 * sees each item contiguous, and a file that is truncated meanwhile is an end
 * of file, not a SIGBUS.
 */
#ifndef SIMPLETRACE_INPUT_H
#define SIMPLETRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "common/err.h"

#define ST_INPUT_MAX (128u << 10)   /* largest request */
#define ST_INPUT_PAD 16u            /* readable bytes behind the buffer */

struct st_input
{
    const char *name;           /* borrowed */
    int fd;
    bool follow;                /* the file may grow */
    bool ended;
    uint64_t offset;            /* of buffer[0] in the file */
    unsigned char *buffer;
    size_t at, end;             /* unread part of buffer */
};

/* "-" is standard input. */
int st_input_open(struct st_input *in, const char *path, struct err *e);

/* An open file, which st_input_close() closes; also after an error. */
int st_input_open_fd(struct st_input *in, int fd, const char *name,
                     struct err *e);
void st_input_close(struct st_input *in);

/*
 * Try to make `n` bytes available at st_input_bytes().  Returns the number of
 * available bytes: fewer than n at the end of the file, often more; or -errno.
 * Moves the bytes.
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
    debug_assert(in->at <= in->end);
    return in->buffer + in->at;
}

/* File offset of st_input_bytes(). */
static inline uint64_t st_input_offset(const struct st_input *in)
{
    return in->offset + in->at;
}

#endif /* SIMPLETRACE_INPUT_H */
