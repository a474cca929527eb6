/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files opts-*.c share and nobody else sees.
 *
 *     opts-number.c    text -> number with a unit, and back
 *     opts-value.c     the types: one row each says how a text is stored
 *     opts-builtin.c   the rows that every program has
 *     opts-match.c     a word of argv -> a row, or what was likely meant
 *     opts-parse.c     the walk over argv
 *     opts-help.c      --help and --list-options
 *     opts-complete.c  --completion
 *
 * Whoever walks the options of a program walks its own rows and then the
 * built-in ones with opts_row(), and so treats both alike.
 */
#ifndef COMMON_OPTS_PRIVATE_H
#define COMMON_OPTS_PRIVATE_H

#include "common/opts.h"

struct opt_kind
{
    /*
     * Convert text (NULL if there is none) and store it in the config.  May
     * be NULL: a heading.
     */
    int (*store)(const struct opt *o, const char *text, void *config,
                 struct err *e);
    bool bare;                  /* never has a text */
    bool fixed;                 /* its texts are numbers or .choices */

    /* Numbers only. */
    int (*read)(const char *text, uint64_t *value);
    void (*show)(uint64_t value, char *buf);
    uint64_t most;              /* what the field can hold */
    const char *name, *like;    /* "a size", "64k or 2G" */
};

const struct opt_kind *opt_kind(enum opt_type type);

/* Whether a text follows.  What it is called: .arg, else the choices. */
bool opt_takes_text(const struct opt *o);
#define OPT_ARG_MAX 128
const char *opt_arg(const struct opt *o, char buf[OPT_ARG_MAX]);
const char *opt_choices(const struct opt *o, const char *between,
                        char buf[OPT_ARG_MAX]);

/* "--cpus", or "-c" if it has no name: what messages call it. */
#define OPT_LABEL_MAX 64
const char *opt_label(const struct opt *o, char buf[OPT_LABEL_MAX]);

/* text NULL: there is none.  On failure *e is filled, whatever .parse did. */
int opt_store(const struct opt *o, const char *text, void *config,
              struct err *e);

#define OPT_NUMBER_MAX 32

/* "1 to 1024", "at least 1"; "" if any value will do. */
#define OPT_RANGE_MAX (2 * OPT_NUMBER_MAX + 16)
const char *opt_range(const struct opt *o, char buf[OPT_RANGE_MAX]);

/* The way back from opts_number() and the others, for ranges. */
void opts_show_number(uint64_t value, char *buf);
void opts_show_size(uint64_t bytes, char *buf);
void opts_show_time(uint64_t ns, char *buf);
void opts_show_hz(uint64_t hz, char *buf);

/*
 * The state of a walk over argv.  The built-in rows get it where others get
 * their config.
 *
 *     argv:  | name | options so far | positional so far | not read yet |
 *              0      1                first               at
 */
struct parse
{
    const struct program *p;
    void *config;
    struct err *e;
    char **argv;
    int argc, first, at;
    enum opts_next next;
};

/* Row i of the program and then of the built-in ones; NULL after the last. */
const struct opt *opts_row(const struct program *p, size_t i);
bool opts_is_builtin(const struct opt *o);

/* Its letter; 0 for a built-in row whose letter the program wants itself. */
char opts_letter(const struct program *p, const struct opt *o);

/* Shown in help, completion and suggestions: no heading, not hidden. */
bool opts_is_shown(const struct opt *o);

struct match
{
    const struct opt *o;
    bool negated;               /* --no-NAME */
};

const struct opt *opts_find_letter(const struct program *p, char letter);
int opts_find_name(const struct program *p, const char *name, size_t len,
                   struct match *m, struct err *e);

/* One row an option, for the check of the man pages:
 * name TAB letter TAB arg TAB help. */
void opts_list(const struct program *p, FILE *out);

#endif /* COMMON_OPTS_PRIVATE_H */
