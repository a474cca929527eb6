/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines into a buffer, the buffer into the file.  A run writes millions of
 * them, so numbers are made by hand.
 */
#include "xensim/workload/truth.h"

#include <errno.h>
#include <string.h>

#define LINE_MAX_BYTES 512u     /* no line is longer */

static void put(struct truth *t, const char *text, size_t length)
{
    if ( length > TRUTH_BUFFER - t->used )
        return; /* cannot be: a line begins with room for it */
    memcpy(t->buffer + t->used, text, length);
    t->used += length;
}

static void put_text(struct truth *t, const char *text)
{
    put(t, text, strlen(text));
}

int truth_flush(struct truth *t)
{
    if ( t->file && !t->failed &&
         fwrite(t->buffer, 1, t->used, t->file) != t->used )
        t->failed = true;
    t->used = 0;
    return t->failed ? -EIO : 0;
}

void truth_begin(struct truth *t, const char *what)
{
    if ( t->used > TRUTH_BUFFER - LINE_MAX_BYTES )
        truth_flush(t);
    put_text(t, "{\"what\":\"");
    put_text(t, what);
    put_text(t, "\"");
}

void truth_number(struct truth *t, const char *name, uint64_t value)
{
    char digits[20], *at = digits + sizeof(digits);

    do
        *--at = '0' + value % 10;
    while ( value /= 10 );
    put_text(t, name);
    put(t, at, digits + sizeof(digits) - at);
}

void truth_signed(struct truth *t, const char *name, int64_t value)
{
    if ( value >= 0 )
    {
        truth_number(t, name, value);
        return;
    }
    put_text(t, name);
    truth_number(t, "-", -(uint64_t)value);
}

void truth_text(struct truth *t, const char *name, const char *text)
{
    put_text(t, name);
    put_text(t, "\"");
    put_text(t, text);
    put_text(t, "\"");
}

void truth_end(struct truth *t)
{
    put_text(t, "}\n");
}
