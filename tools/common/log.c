/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A message is formatted into a buffer on the stack and passed to stdio in one
 * call, which locks the stream.  A message longer than the buffer is truncated:
 * a user reads the message, no program does.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/log.h"

#define LINE_MAX_BYTES 1024

static const char *const words[] = {
    [LOG_LEVEL_ERROR] = "",
    [LOG_LEVEL_WARNING] = "warning: ",
    [LOG_LEVEL_INFO] = "",
    [LOG_LEVEL_DEBUG] = "debug: ",
};

_Static_assert(sizeof(words) / sizeof(words[0]) == LOG_LEVEL_DEBUG + 1,
               "a word for each level");

static void print_line(const struct log *log, enum log_level level,
                       const char *text)
{
    char line[LINE_MAX_BYTES + 128];

    if ( log->line != NULL )
        progress_hide(log->line);
    snprintf(line, sizeof(line), "%.64s: %s%s\n", log->program, words[level],
             text);
    fputs(line, log->out);
}

void log_print(const struct log *log, enum log_level level, const char *fmt,
               ...)
{
    char text[LINE_MAX_BYTES];
    int saved = errno;
    va_list ap;

    assert(level <= LOG_LEVEL_DEBUG);
    if ( log == NULL || level > log->level )
        return;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);

    if ( log->deliver != NULL )
        log->deliver(level, text);
    else
        print_line(log, level, text);
    errno = saved;
}

void log_err(const struct log *log, enum log_level level, const struct err *e)
{
    assert(e->code < 0);
    if ( e->offset == ERR_NO_OFFSET )
        log_print(log, level, "%s", e->text);
    else
        log_print(log, level, "%s (at byte %" PRIu64 ")", e->text, e->offset);
}

void log_louder(struct log *log)
{
    if ( log->level < LOG_LEVEL_DEBUG )
        log->level++;
}

void log_quieter(struct log *log)
{
    if ( log->level > LOG_LEVEL_ERROR )
        log->level--;
}

static struct log *log_at(const struct opt *o, void *config)
{
    return (struct log *)((char *)config + o->at);
}

int log_parse_verbose(const struct opt *o, const char *text, void *config,
                      struct err *e)
{
    (void)text;
    (void)e;
    log_louder(log_at(o, config));
    return 0;
}

int log_parse_quiet(const struct opt *o, const char *text, void *config,
                    struct err *e)
{
    (void)text;
    (void)e;
    log_quieter(log_at(o, config));
    return 0;
}
