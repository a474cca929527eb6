/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations shared by the files opts-*.c.
 *
 *     opts-number.c    text -> number with a unit, and back
 *     opts-value.c     the types of options, and how each stores a text
 *     opts-builtin.c   the rows that every program has
 *     opts-match.c     a word of argv -> a row, or a suggestion
 *     opts-parse.c     the parser of argv
 *     opts-command.c   the first positional argument -> a command
 *     opts-help.c      --help and --list-options
 *     opts-complete.c  --completion
 *
 * A loop over the options of a program uses opts_row(), which returns the
 * program's rows and then the built-in rows.
 */
#ifndef COMMON_OPTS_PRIVATE_H
#define COMMON_OPTS_PRIVATE_H

#include "common/opts.h"

struct opt_kind
{
    /*
     * Convert the text (NULL: none) and store the value in the config.  NULL
     * for a heading.
     */
    int (*store)(const struct opt *o, const char *text, void *config,
                 struct err *e);
    bool bare;                  /* never has an argument */
    bool fixed;                 /* arguments are numbers or .choices */

    /* The remaining members are for numbers only. */
    int (*read)(const char *text, uint64_t *value);
    void (*show)(uint64_t value, char *buf);
    uint64_t most;              /* maximum of the member */
    const char *name, *like;    /* "a size", "64k or 2G" */
};

const struct opt_kind *opt_kind(enum opt_type type);

/* True if the option has an argument; and its label: .arg, or the choices. */
bool opt_takes_text(const struct opt *o);
#define OPT_ARG_MAX 128
const char *opt_arg(const struct opt *o, char buf[OPT_ARG_MAX]);
const char *opt_choices(const struct opt *o, const char *between,
                        char buf[OPT_ARG_MAX]);

/* The option in messages: "--cpus", or "-c" if the row has no name. */
#define OPT_LABEL_MAX 64
const char *opt_label(const struct opt *o, char buf[OPT_LABEL_MAX]);

/* text may be NULL: none.  On failure *e is filled, even if .parse did not. */
int opt_store(const struct opt *o, const char *text, void *config,
              struct err *e);

#define OPT_NUMBER_MAX 32

/* "1 to 1024", "at least 1"; "" if all values are allowed. */
#define OPT_RANGE_MAX (2 * OPT_NUMBER_MAX + 16)
const char *opt_range(const struct opt *o, char buf[OPT_RANGE_MAX]);

/* The inverse functions of opts_number() etc., for ranges in messages. */
void opts_show_number(uint64_t value, char *buf);
void opts_show_size(uint64_t bytes, char *buf);
void opts_show_time(uint64_t ns, char *buf);
void opts_show_hz(uint64_t hz, char *buf);

/*
 * The state of the parser.  Callbacks of built-in rows get this struct as their
 * config.
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
    bool only_order;            /* reorder argv, store nothing */
    const struct command *command;      /* or NULL */
    enum opts_next next;
};

/* Row i of the program, then of the built-in rows; NULL after the last. */
const struct opt *opts_row(const struct program *p, size_t i);
bool opts_is_builtin(const struct opt *o);

/* The row's letter; 0 for a built-in row if the program uses the letter. */
char opts_letter(const struct program *p, const struct opt *o);

/* True if shown in help, completion and suggestions: no heading, not hidden. */
bool opts_is_shown(const struct opt *o);

/* After an answer on stdout: end the program.  -errno if a write failed. */
int opts_flush_answer(struct parse *s, struct err *e);

struct match
{
    const struct opt *o;
    bool negated;               /* --no-NAME */
};

const struct opt *opts_find_letter(const struct program *p, char letter);
int opts_find_name(const struct program *p, const char *name, size_t len,
                   struct match *m, struct err *e);

/* Command i of the program, then `help`; NULL after the last. */
const struct command *opts_command(const struct program *p, size_t i);

/* Is this the built-in command, with commands as words? */
bool opts_is_help(const struct command *c);

/* The command of that name, or NULL. */
const struct command *opts_find_command(const struct program *p,
                                        const char *name);

/*
 * The command that the positional arguments begin with, or NULL.  They begin
 * with a file if it has the name of a command, and all other arguments are
 * files, too.
 */
const struct command *opts_choose_command(const struct parse *s);

/* Let s->command use its positional arguments. */
int opts_run_command(struct parse *s);

/* If `word` is no file but resembles a command: the error that says so. */
int opts_check_command(const struct parse *s);

/* --help: the page of the command on the command line, or the program's. */
void opts_help_parsed(const struct parse *s, FILE *out);

/* One line per option, for the check of the man pages:
 * name TAB letter TAB arg TAB help. */
void opts_list(const struct program *p, FILE *out);

#endif /* COMMON_OPTS_PRIVATE_H */
