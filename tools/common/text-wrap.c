/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each item leaves a byte of its row free, for the mark in front of the next
 * item of the list.
 */
#include "common/text-wrap.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "common/utf8.h"

void text_wrap_add(struct text_wrap *w, const char *mark, const char *format,
                   ...)
{
    unsigned int length, marked = (unsigned int)strlen(mark);
    char item[TEXT_ITEM_MAX];
    va_list args;

    assert(marked <= 1);
    va_start(args, format);
    vsnprintf(item, sizeof(item), format, args);
    va_end(args);
    length = utf8_columns(item);
    fputs(mark, w->out);
    if ( w->column && w->column + marked + 1 + length + 1 > TEXT_COLUMNS )
    {
        fprintf(w->out, "\n%*s", TEXT_INDENT - 1, "");
        w->column = TEXT_INDENT - 1;
        marked = 0;
    }
    fprintf(w->out, " %s", item);
    w->column += marked + 1 + length;
}

void text_wrap_end(struct text_wrap *w)
{
    putc('\n', w->out);
    w->column = 0;
}
