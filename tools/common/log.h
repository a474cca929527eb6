/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program says to a person while it runs: lines on stderr, with the
 * program's name in front.
 *
 * The level and the name are in a struct that is passed down, not in the
 * process, although there is one stderr: so a function's signature tells
 * whether it may speak.  One without a `const struct log *` has to return its
 * reason in a struct err, and that is how all libraries here stay silent.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdio.h>

#include "common/err.h"
#include "common/opts.h"
#include "common/progress.h"

enum log_level
{
    LOG_LEVEL_ERROR,    /* "PROGRAM: text": what was asked was not done  */
    LOG_LEVEL_WARNING,  /* "PROGRAM: warning: text": it was, but look    */
    LOG_LEVEL_INFO,     /* "PROGRAM: text": the level that is the preset */
    LOG_LEVEL_DEBUG,    /* "PROGRAM: debug: text"                        */
};

/* Takes a message, without the program's name, to somewhere else. */
typedef void log_tell(enum log_level level, const char *text);

struct log
{
    const char *program;
    FILE *out;
    enum log_level level;       /* the least important that is shown */
    struct progress *line;      /* wiped before a message; may be NULL */
    log_tell *tell;             /* instead of `out`; NULL: that is read */
};

#define LOG_INIT(name) \
    { .program = (name), .out = stderr, .level = LOG_LEVEL_INFO }

/*
 * One message, one line, one write, so that lines of several threads do not
 * mix.  `log` may be NULL: then nobody listens.  errno is as it was.
 */
void log_print(const struct log *log, enum log_level level, const char *fmt,
               ...) __attribute__((format(printf, 3, 4)));

/* The same for a reason that came from below, with its offset. */
void log_err(const struct log *log, enum log_level level, const struct err *e);

#define log_error(log, ...)   log_print(log, LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(log, ...) log_print(log, LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(log, ...)    log_print(log, LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(log, ...)   log_print(log, LOG_LEVEL_DEBUG, __VA_ARGS__)

/* One step; the loudest is LOG_LEVEL_DEBUG, and errors cannot be silenced. */
void log_louder(struct log *log);
void log_quieter(struct log *log);

/*
 * Two rows for an option table, for a `struct log` in the config:
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
