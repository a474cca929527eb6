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
#include <unistd.h>

#include "common/edit-distance.h"
#include "common/opts-private.h"

/* --- the built-in command ------------------------------------------------- */

/* `help`, `help all`, `help COMMAND`; the callback gets the parser state. */
static int take_help(void *state, int nr, char **args, struct err *e)
{
    struct parse *s = state;
    const struct command *c = nr ? opts_find_command(s->p, args[0]) : NULL;
    int rc;

    if ( nr > 1 )
        return err_set(e, -EINVAL, "%s: help is about one command; usage: %s "
                       "help [COMMAND|all]", args[1], s->p->name);
    if ( nr && !c && strcmp(args[0], "all") )
        return err_set(e, -EINVAL, "help %s: no such command; %s help lists "
                       "them", args[0], s->p->name);
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
    return used < 0 ? used : 0;
}

/* --- mistyped commands ---------------------------------------------------- */

static const struct command *find_nearest_command(const struct program *p,
                                                  const char *word)
{
    const struct command *c, *best = NULL;
    unsigned int least = EDIT_DISTANCE_CLOSE + 1, d;
    size_t i, length = strlen(word);

    for ( i = 0; (c = opts_command(p, i)) != NULL; i++ )
    {
        d = edit_distance(word, length, c->name);
        if ( d < least && d < length )
        {
            least = d;
            best = c;
        }
    }
    return best;
}

int opts_check_command(const struct parse *s)
{
    const char *word = s->argv[s->first];
    const struct command *c;

    if ( s->command || !s->p->args_exist || s->first >= s->argc ||
         strchr(word, '/') || !access(word, F_OK) ||
         (s->p->takes_word && s->argc - s->first > 1 &&
          s->p->takes_word(s->config)) )
        return 0;
    c = find_nearest_command(s->p, word);
    if ( c )
        return err_set(s->e, -EINVAL, "%s: no such file or command; is %s "
                       "meant?", word, c->name);
    if ( s->argc - s->first > 1 )
        return err_set(s->e, -EINVAL, "%s: no such file or command; %s --help "
                       "lists the commands", word, s->p->name);
    return 0;
}
