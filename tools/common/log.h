/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of a program to its user: lines on stderr that begin with the
 * program's name.
 *
 * Level and name are in a struct that is passed down instead of in global
 * variables.  So a function's signature shows whether the function prints
 * messages.  A function without a `const struct log *` returns the reason of a
 * failure in a struct err; libraries have no such parameter, hence print none.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdio.h>

#include "common/err.h"
#include "common/opts.h"
#include "common/progress.h"

enum log_level
{
    LOG_LEVEL_ERROR,    /* "PROGRAM: text": the task was not done        */
    LOG_LEVEL_WARNING,  /* "PROGRAM: warning: text": done, with a problem */
    LOG_LEVEL_INFO,     /* "PROGRAM: text": the default level            */
    LOG_LEVEL_DEBUG,    /* "PROGRAM: debug: text"                        */
};

/* Receives a message without the program's name. */
typedef void log_deliver_fn(enum log_level level, const char *text);

struct log
{
    const char *program;
    FILE *out;
    enum log_level level;       /* of the least important messages shown */
    struct progress *line;      /* cleared before a message; may be NULL */
    log_deliver_fn *deliver;    /* replaces `out`, unless NULL */
};

#define LOG_INIT(name) \
    { .program = (name), .out = stderr, .level = LOG_LEVEL_INFO }

/*
 * Print a message as one line with one write, so that lines of several threads
 * do not mix.  `log` may be NULL: no output.  errno is preserved.
 */
void log_print(const struct log *log, enum log_level level, const char *fmt,
               ...) __attribute__((format(printf, 3, 4)));

/* Print the reason of a failure, with its offset. */
void log_err(const struct log *log, enum log_level level, const struct err *e);

#define log_error(log, ...)   log_print(log, LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(log, ...) log_print(log, LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(log, ...)    log_print(log, LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(log, ...)   log_print(log, LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Change the level by a step, at most to debug; errors are never hidden. */
void log_louder(struct log *log);
void log_quieter(struct log *log);

/*
 * Rows --verbose and --quiet of an option table, for a `struct log` member:
 *     LOG_OPTS(struct config, log),
 */
#define LOG_OPTS(config, field)                                             \
    { .name = "verbose", .letter = 'v', .type = OPT_CALL,                   \
      .at = offsetof(config, field), .parse = log_parse_verbose,            \
      .help = "say more on stderr; may be given again" },                   \
    { .name = "quiet", .letter = 'q', .type = OPT_CALL,                     \
      .at = offsetof(config, field), .parse = log_parse_quiet,              \
      .help = "say less on stderr; given twice: only errors" }

int log_parse_verbose(const struct opt *o, const char *text, void *config,
                      struct err *e);
int log_parse_quiet(const struct opt *o, const char *text, void *config,
                    struct err *e);

#endif /* COMMON_LOG_H */
