/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a struct err.  fill_err() is the only writer, since every reason obeys
 * three rules: the first reason wins; the text is one printable line, because a
 * file name may contain a newline or an escape sequence of a terminal; and text
 * that is too long is cut in the middle, so that strerror()'s text is kept.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"

#define EXIT_USAGE 2

static void make_one_line(char *text)
{
    for ( ; *text != '\0'; text++ )
        if ( (unsigned char)*text < ' ' || *text == 0x7f )
            *text = '?';
}

static void append_reason(char *text, size_t size, const char *reason)
{
    size_t need = strlen(reason) + sizeof(": ");
    size_t len = strlen(text);

    assert(need < size);
    if ( len > size - need )
        len = size - need;
    snprintf(text + len, size - len, ": %s", reason);
}

__attribute__((format(printf, 5, 0)))
static int fill_err(struct err *e, int code, uint64_t offset,
                    const char *reason, const char *fmt, va_list ap)
{
    assert(code < 0);
    if ( e == NULL || e->code != 0 )
        return code;

    e->code = code;
    e->offset = offset;
    vsnprintf(e->text, sizeof(e->text), fmt, ap);
    if ( reason != NULL )
        append_reason(e->text, sizeof(e->text), reason);
    make_one_line(e->text);
    return code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = fill_err(e, code, ERR_NO_OFFSET, NULL, fmt, ap);
    va_end(ap);
    return code;
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = fill_err(e, code, ERR_NO_OFFSET, strerror(-code), fmt, ap);
    va_end(ap);
    return code;
}

int err_usage(struct err *e, const char *fmt, ...)
{
    bool first = e != NULL && e->code == 0;
    va_list ap;

    va_start(ap, fmt);
    fill_err(e, -EINVAL, ERR_NO_OFFSET, NULL, fmt, ap);
    va_end(ap);
    if ( first )
        e->usage = true;
    return -EINVAL;
}

int err_at(struct err *e, int code, uint64_t offset, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = fill_err(e, code, offset, NULL, fmt, ap);
    va_end(ap);
    return code;
}

void err_print(const char *program, const struct err *e)
{
    assert(e->code < 0);
    if ( e->offset == ERR_NO_OFFSET )
        fprintf(stderr, "%s: %s\n", program, e->text);
    else
        fprintf(stderr, "%s: %s (at byte %" PRIu64 ")\n", program, e->text,
                e->offset);
}

int err_exit_code(const struct err *e)
{
    return e->usage ? EXIT_USAGE : EXIT_FAILURE;
}
