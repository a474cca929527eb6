/* SPDX-License-Identifier: GPL-2.0-only */
/* Writer of JSON lines: an object per line. */
#ifndef XENSIM_JSON_LINES_H
#define XENSIM_JSON_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_LINES_BUFFER 65536u

struct json_lines
{
    FILE *file;         /* NULL: output is off */
    uint32_t used;
    bool failed;        /* an error was reported; no more output */
    char buffer[JSON_LINES_BUFFER];
};

/*
 * The members of a line. A name is a literal with its punctuation, so a line
 * is built by copying:
 *
 *     json_line_begin(t, "wake");
 *     json_line_number(t, ",\"dom\":", 1);
 *     json_line_end(t);
 */
void json_line_begin(struct json_lines *t, const char *what);
void json_line_number(struct json_lines *t, const char *name, uint64_t value);
void json_line_signed(struct json_lines *t, const char *name, int64_t value);
/* Write a string that needs no escaping in JSON. */
void json_line_text(struct json_lines *t, const char *name, const char *text);
void json_line_end(struct json_lines *t);

/* Write the buffer to the file. Return 0 or -EIO. */
int json_lines_flush(struct json_lines *t);

#endif /* XENSIM_JSON_LINES_H */
