/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One formatted line, for the back ends that print.  Most fit the struct; a
 * longer one is taken from the heap, or cut if there is none.
 */
#ifndef LIBUSERTRACE_LINE_H
#define LIBUSERTRACE_LINE_H

#include <stdarg.h>
#include <stddef.h>

struct ut_line
{
    char *text;                 /* with its newline, if there was one */
    size_t length;
    char *heap;                 /* NULL: it fits */
    char room[1024];
};

/* `front` as it is, then the format.  ut_line_fini() in any case. */
void ut_line_format(struct ut_line *line, const char *front, const char *format,
                    va_list args);
void ut_line_fini(struct ut_line *line);

/* All of it, and nothing of errno. */
void ut_line_write(int fd, const char *text, size_t length);

#endif /* LIBUSERTRACE_LINE_H */
