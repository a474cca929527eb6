/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One formatted line, for the back ends that print.  Most lines fit into the
 * struct; a longer line is allocated, or cut if there is no memory.
 */
#ifndef LIBUSERTRACE_LINE_H
#define LIBUSERTRACE_LINE_H

#include <stdarg.h>
#include <stddef.h>

struct ut_line
{
    char *text;                 /* with the newline of the format, if any */
    size_t length;
    char *heap;                 /* NULL: the line fits into room[] */
    char room[1024];
};

/* `front` as it is, then the format.  Always call ut_line_fini(). */
void ut_line_format(struct ut_line *line, const char *front, const char *format,
                    va_list args);
void ut_line_fini(struct ut_line *line);

/* Write all of the text; an error ends the write without a report. */
void ut_line_write(int fd, const char *text, size_t length);

#endif /* LIBUSERTRACE_LINE_H */
