/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Without memory for a long line the line is cut, and still ends with a
 * newline: a trace point has no way to report an error.
 */
#include "libusertrace/line.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"

/* vsnprintf() returns -1 for a format that it rejects: print nothing. */
static size_t format_at(char *at, size_t room, const char *format,
                        va_list args)
{
    va_list copy;
    int n;

    va_copy(copy, args);
    n = vsnprintf(at, room, format, copy);
    va_end(copy);
    return n < 0 ? 0 : n;
}

void ut_line_format(struct ut_line *line, const char *front, const char *format,
                    va_list args)
{
    size_t before = strlen(front), room = sizeof(line->room);

    assert(before < room);
    memcpy(line->room, front, before);
    line->heap = NULL;
    line->text = line->room;
    line->length = before + format_at(line->room + before, room - before,
                                      format, args);
    if ( line->length < room )
        return;

    line->heap = fault_malloc(line->length + 1);
    if ( !line->heap )
    {
        line->length = room - 1;
        line->room[room - 2] = '\n';
        return;
    }
    line->text = line->heap;
    memcpy(line->text, front, before);
    line->length = before + format_at(line->text + before,
                                      line->length + 1 - before, format, args);
}

void ut_line_fini(struct ut_line *line)
{
    fault_free(line->heap);
}

void ut_line_write(int fd, const char *text, size_t length)
{
    ssize_t n;

    while ( length )
    {
        n = fault_write(fd, text, length);
        if ( n < 0 && errno != EINTR )
            return;
        text += n > 0 ? n : 0;
        length -= n > 0 ? n : 0;
    }
}
