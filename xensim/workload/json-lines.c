/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of JSON into a buffer, the buffer into a file. A run writes millions
 * of lines, so numbers are converted by hand.
 */
#include "xensim/workload/json-lines.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define LINE_MAX_BYTES 512u     /* maximum length of a line */

static void put_bytes(struct json_lines *t, const char *text, size_t length)
{
    if ( length > JSON_LINES_BUFFER - t->used )
        return; /* unreachable: a line starts with room for it */
    memcpy(t->buffer + t->used, text, length);
    t->used += length;
}

static void write_json_string(struct json_lines *t, const char *text)
{
    put_bytes(t, text, strlen(text));
}

int json_lines_flush(struct json_lines *t)
{
    if ( t->file && !t->failed &&
         fwrite(t->buffer, 1, t->used, t->file) != t->used )
        t->failed = true;
    t->used = 0;
    return t->failed ? -EIO : 0;
}

void json_line_begin(struct json_lines *t, const char *what)
{
    assert(!t->used || t->buffer[t->used - 1] == '\n');
    if ( t->used > JSON_LINES_BUFFER - LINE_MAX_BYTES )
        json_lines_flush(t);
    write_json_string(t, "{\"what\":\"");
    write_json_string(t, what);
    write_json_string(t, "\"");
}

void json_line_number(struct json_lines *t, const char *name, uint64_t value)
{
    char digits[20], *at = digits + sizeof(digits);

    do
        *--at = '0' + value % 10;
    while ( value /= 10 );
    write_json_string(t, name);
    put_bytes(t, at, digits + sizeof(digits) - at);
}

void json_line_signed(struct json_lines *t, const char *name, int64_t value)
{
    if ( value >= 0 )
    {
        json_line_number(t, name, value);
        return;
    }
    write_json_string(t, name);
    json_line_number(t, "-", -(uint64_t)value);
}

void json_line_text(struct json_lines *t, const char *name, const char *text)
{
    write_json_string(t, name);
    write_json_string(t, "\"");
    write_json_string(t, text);
    write_json_string(t, "\"");
}

void json_line_end(struct json_lines *t)
{
    assert(t->used && t->used < JSON_LINES_BUFFER);
    write_json_string(t, "}\n");
}
