/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: the first positional argument of a program that has a table of
 * commands.  The parser walks over the argv array twice: the first walk finds
 * the row of the table, the second stores the options, after the options of the
 * row.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/closest-word.h"
#include "common/opts-private.h"

/* Search the table of commands for the closest name; NULL: none is close. */
static const char *find_closest_command(const struct program *p,
                                        const char *word)
{
    const struct command *c;
    struct closest_word closest;
    size_t i;

    closest_word_init(&closest, word, strlen(word));
    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        closest_word_compare(&closest, c->name);
    return closest.best;
}

/* --- the built-in command ------------------------------------------------- */

/* `help`, `help all`, `help COMMAND`; the callback gets the parser state. */
static int take_help(void *state, int nr, char **args, struct err *e)
{
    struct parse *s = state;
    const struct command *c = nr ? opts_find_command(s->p, args[0]) : NULL;
    const char *closest;
    int rc;

    if ( nr > 1 )
        return err_usage(e, "%s: help is about one command; usage: %s help "
                         "[COMMAND|all]", args[1], s->p->name);
    if ( nr && !c && strcmp(args[0], "all") )
    {
        closest = find_closest_command(s->p, args[0]);
        return closest ? err_usage(e, "help %s: no such command; is %s meant?",
                                   args[0], closest)
                       : err_usage(e, "help %s: no such command; %s help lists "
                                   "them", args[0], s->p->name);
    }
    if ( c )
        opts_help_command(s->p, c, stdout);
    else if ( nr )
        opts_help(s->p, stdout);
    else
        opts_help_short(s->p, stdout);
    rc = opts_flush_answer(s, e);
    return rc ? rc : nr;
}

static const struct command help = {
    .name = "help", .args = "[COMMAND|all]", .take = take_help,
    .help = "explain a command, or list all options",
};

bool opts_is_help(const struct command *c)
{
    return c == &help;
}

const struct command *opts_command(const struct program *p, size_t i)
{
    if ( i < p->nr_commands )
        return &p->commands[i];
    return p->nr_commands && i == p->nr_commands ? &help : NULL;
}

const struct command *opts_find_command(const struct program *p,
                                        const char *name)
{
    const struct command *c;
    size_t i;

    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
        if ( !strcmp(c->name, name) )
            break;
    return c;
}

static bool is_file(const char *word)
{
    struct stat st;

    return !strcmp(word, "-") || (!stat(word, &st) && !S_ISDIR(st.st_mode));
}

const struct command *opts_choose_command(const struct parse *s)
{
    int nr = s->argc - s->first, files = 0;

    while ( files < nr && is_file(s->argv[s->first + files]) )
        files++;
    return !nr || files == nr ? NULL
                              : opts_find_command(s->p, s->argv[s->first]);
}

/* The parser returns a usage error for a second command, unless a file. */
static int refuse_second_command(const struct parse *s)
{
    const struct program *p = s->p;

    if ( !p->args_exist || (p->takes_word && p->takes_word(s->config)) )
        return 0;
    for ( int i = s->first; i < s->argc; i++ )
        if ( opts_find_command(p, s->argv[i]) && access(s->argv[i], F_OK) )
            return err_usage(s->e, "%s: give one command at a time; %s is one "
                             "already", s->argv[i], s->command->name);
    return 0;
}

int opts_run_command(struct parse *s)
{
    const struct command *c = s->command;
    int used = 0;

    assert(c && s->first < s->argc && !strcmp(s->argv[s->first], c->name));
    s->first++;
    if ( c->take )
        used = c->take(c == &help ? (void *)s : s->config, s->argc - s->first,
                       s->argv + s->first, s->e);
    assert(used <= s->argc - s->first);
    if ( used > 0 )
        s->first += used;
    return used < 0 ? used : refuse_second_command(s);
}

/* --- mistyped commands ---------------------------------------------------- */

/* Lower case letters may be a mistyped command; "a.xt" and "/a" are files. */
static bool is_command_like(const char *word)
{
    return !word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")];
}

/*
 * A file to write need not exist, so that any word may be one.  Only with more
 * arguments than a file needs, the first is a mistyped command.
 */
static int check_surplus_word(const struct parse *s)
{
    unsigned int nr = s->argc - s->first;
    const char *word = s->argv[s->first];
    const char *closest = nr > s->p->max_args && is_command_like(word)
                          ? find_closest_command(s->p, word) : NULL;

    return closest ? err_usage(s->e, "%s: no such command; is %s meant?", word,
                               closest) : 0;
}

int opts_check_command(const struct parse *s)
{
    const char *word = s->argv[s->first], *closest;
    bool several = s->argc - s->first > 1;

    assert(!s->command);
    if ( s->first < s->argc && s->p->hides_command &&
         opts_find_command(s->p, word) )
        s->p->hides_command(s->config, word);
    if ( s->first >= s->argc || strchr(word, '/') || !access(word, F_OK) )
        return 0;
    if ( !s->p->args_exist )
        return check_surplus_word(s);
    if ( s->p->takes_word && several && s->p->takes_word(s->config) )
        return 0;
    closest = find_closest_command(s->p, word);
    if ( closest )
        return err_usage(s->e, "%s: no such file or command; is %s meant?",
                         word, closest);
    if ( several && is_command_like(word) )
        return err_usage(s->e, "%s: no such file or command; %s --help lists "
                         "the commands", word, s->p->name);
    return 0;
}
