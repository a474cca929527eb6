/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The truth: what really happened, a JSON object a line.  Times are cycles of
 * the true clock.  xensim(8) lists the lines.
 */
#ifndef XENSIM_TRUTH_H
#define XENSIM_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TRUTH_BUFFER 65536u

struct truth
{
    FILE *file;         /* NULL: nobody wants it, nothing is done */
    uint32_t used;
    bool failed;        /* it could not be written; nothing is, since */
    char buffer[TRUTH_BUFFER];
};

/*
 * A line of members: the names are literals that hold their punctuation, so
 * that a line is made by copying:
 *
 *     truth_begin(t, "wake");
 *     truth_number(t, ",\"dom\":", 1);
 *     truth_end(t);
 */
void truth_begin(struct truth *t, const char *what);
void truth_number(struct truth *t, const char *name, uint64_t value);
void truth_signed(struct truth *t, const char *name, int64_t value);
/* The text has no character that JSON would want escaped. */
void truth_text(struct truth *t, const char *name, const char *text);
void truth_end(struct truth *t);

/* Write what is in the buffer.  0 or -EIO. */
int truth_flush(struct truth *t);

#endif /* XENSIM_TRUTH_H */
