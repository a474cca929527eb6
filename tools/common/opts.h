/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options as a table with a row per option.  The parser, --help, the shell
 * completion and the check of the man pages use the same rows, so they always
 * agree.  --help (-h, -?), --version (-V), --completion=SHELL and, hidden,
 * --list-options (a line per row, for that check) are built in.  A program may
 * use one of their letters for a row of its own.  With commands, --help prints
 * a short page, and the built-in command `help` the page of a command, or all.
 *
 *     struct config { unsigned int cpus; bool quiet; };
 *
 *     static const struct opt opts[] = {
 *         { .name = "cpus", .letter = 'c', .type = OPT_UINT, .arg = "N",
 *           .at = offsetof(struct config, cpus), .min = 1, .max = 1024,
 *           .preset = "4", .help = "how many pcpus to play" },
 *         { .name = "quiet", .letter = 'q', .type = OPT_FLAG,
 *           .at = offsetof(struct config, quiet), .help = "say nothing" },
 *     };
 */
#ifndef COMMON_OPTS_H
#define COMMON_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

enum opt_type
{
    OPT_GROUP,      /* a heading in --help: only .help is used            */
    OPT_FLAG,       /* bool: --NAME sets, --no-NAME clears the member     */
    OPT_UINT,       /* unsigned int; decimal, 0x.., 0..; min..max         */
    OPT_U64,        /* uint64_t, likewise                                 */
    OPT_SIZE,       /* uint64_t bytes, suffix k K m M g G t T (1024)      */
    OPT_TIME,       /* uint64_t ns; 10 or 10s, 5ms, 3us, 7ns, 2m, 1h      */
    OPT_HZ,         /* uint64_t Hz, suffix k K m M g G (1000), 2.4G       */
    OPT_TEXT,       /* const char *, borrowed from argv                   */
    OPT_FILE,       /* likewise: the name of a file, which is not empty   */
    OPT_CHOICE,     /* unsigned int: index into .choices                  */
    OPT_CALL,       /* .parse is called; no argument if .arg is NULL      */
};

struct opt
{
    const char *name;           /* long spelling, no dashes; may be NULL */
    char letter;                /* short spelling, or 0 */
    char also;                  /* alternative spelling, not shown */
    enum opt_type type;
    size_t at;                  /* offset of the field in the config */
    const char *arg;            /* label of the argument; NULL: no argument */
    const char *help;           /* one line, lower case, no full stop */
    const char *preset;         /* default, parsed like a word; may be NULL */
    uint64_t min, max;          /* inclusive; max 0: no upper bound */
    bool or_zero;               /* 0 is valid, too, for "none" */
    const char *const *choices; /* words, then NULL; also for OPT_CALL */
    int (*parse)(const struct opt *o, const char *text, void *config,
                 struct err *e);
    void (*suggest)(FILE *out); /* prints words for the shell completion, with
                                   a blank behind each; or NULL */
    const char *values;         /* the hidden option --complete-values=VALUES
                                   prints the words that FILE has; or NULL */
    bool list;                  /* the argument is a list with commas */
    bool file_follows;          /* the argument is CHOICE:FILE */
    bool hidden;                /* accepted, but not shown in --help */
    bool common;                /* on the short page of --help */
};

/*
 * A row of the table of commands.  A command is the first positional argument,
 * as in "xenalyze latency FILE", and only stands for options: the parser stores
 * the array `options` before the user's options.  If all arguments are existing
 * files, none is a command.
 */
struct command
{
    const char *name;           /* "latency" */
    const char *args;           /* "[KIND] FILE" */
    const char *help;           /* one line, lower case, no full stop */
    const char *details;        /* sentences for `help NAME`; may be NULL */
    const char *const *options; /* "--NAME" or "--NAME=TEXT", then NULL */
    const char *const *related; /* names of options for `help NAME`, NULL */

    /*
     * Callback: parse the first of the `nr` arguments after the name.  Returns
     * the number of arguments used, or -EINVAL with *e.  NULL: none is used.
     */
    int (*take)(void *config, int nr, char **args, struct err *e);
    /* Completion of the first argument: as in struct opt; or all NULL. */
    const char *const *words;
    void (*suggest)(FILE *out);
    const char *values;
};

struct program
{
    const char *name;           /* "xentrace" */
    const char *version;        /* text of --version after the name */
    const char *synopsis;       /* "[OPTION...] [FILE]" */
    const char *summary;        /* one line: the purpose */
    const char *footer;         /* examples, last in --help; may be NULL */
    const struct opt *opts;
    size_t nr_opts;
    unsigned int min_args, max_args; /* positional, without the command's */
    const struct command *commands;  /* may be NULL */
    size_t nr_commands;
    bool args_exist;            /* positional arguments are files to read */
    /*
     * With args_exist: by its options, may the first of several arguments be a
     * word instead?  NULL: no.
     */
    bool (*takes_word)(const void *config);
    /* Callback: the argument list has a file, with the name of a command. */
    void (*hides_command)(const void *config, const char *name);
};

enum opts_next { OPTS_RUN, OPTS_EXIT };

/*
 * Apply the presets, then argv.  A member without preset keeps the caller's
 * value; the preset of a flag is "yes" or "no".  Returns
 *
 *     0, *next == OPTS_RUN     argv[*first..] are the positional arguments;
 *                              argv is reordered: options may stand between
 *                              them, and "--" ends the options
 *     0, *next == OPTS_EXIT    --help, --version etc. was printed on stdout
 *     -EINVAL                  *e has the option, the error and the remedy
 *
 * Long options may be abbreviated, and take =VALUE or the next word.
 */
int opts_parse(const struct program *p, int argc, char **argv, void *config,
               int *first, enum opts_next *next, struct err *e);

void opts_help(const struct program *p, FILE *out);         /* all options */
void opts_help_short(const struct program *p, FILE *out);
void opts_help_command(const struct program *p, const struct command *c,
                       FILE *out);
int opts_completion(const struct program *p, const char *shell, FILE *out,
                    struct err *e);

/* The same syntax of numbers, for arguments that are not options. */
int opts_number(const char *text, uint64_t *value);
int opts_size(const char *text, uint64_t *bytes);
int opts_time(const char *text, uint64_t *ns);
int opts_hz(const char *text, uint64_t *hz);

#endif /* COMMON_OPTS_H */
