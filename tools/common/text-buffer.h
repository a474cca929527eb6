/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that is written in large pieces: stdio would take most of the time.
 * Call text_reserve() before adding a piece at `at`.
 */
#ifndef COMMON_TEXT_BUFFER_H
#define COMMON_TEXT_BUFFER_H

#include <stdio.h>

#include "common/num.h"

struct text_buffer
{
    FILE *out;
    char *at;                   /* in `bytes` */
    char bytes[8192];
};

#define TEXT_PIECE 64u          /* bytes that are added at once, at most */

_Static_assert(TEXT_PIECE >= 2 * NUM_U64_MAX + 8 &&
               TEXT_PIECE >= NUM_I64_MAX + 8, "two numbers fit");

static inline void text_begin(struct text_buffer *t, FILE *out)
{
    t->out = out;
    t->at = t->bytes;
}

static inline void text_end(struct text_buffer *t)
{
    fwrite(t->bytes, 1, t->at - t->bytes, t->out);
    t->at = t->bytes;
}

/* Make room for a piece. */
static inline void text_reserve(struct text_buffer *t)
{
    if ( (size_t)(t->bytes + sizeof(t->bytes) - t->at) < TEXT_PIECE )
        text_end(t);
}

#endif /* COMMON_TEXT_BUFFER_H */
