/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options that every program has: ordinary rows of type OPT_CALL, so that
 * help, completion and matching need no special case.  Their callbacks get
 * the state of the parser instead of the config, since their output covers all
 * options of the program, and ends the program.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/closest-word.h"
#include "common/opts-private.h"

int opts_flush_answer(struct parse *s, struct err *e)
{
    s->next = OPTS_EXIT;
    if ( fflush(stdout) || ferror(stdout) )
        return err_sys(e, errno ? -errno : -EIO,
                       "cannot write to the standard output");

    return 0;
}

static int answer_help(const struct opt *o, const char *text, void *state,
                       struct err *e)
{
    struct parse *s = state;

    (void)o;
    (void)text;
    opts_help_parsed(s, stdout);
    return opts_flush_answer(s, e);
}

static int answer_version(const struct opt *o, const char *text, void *state,
                          struct err *e)
{
    struct parse *s = state;

    (void)o;
    (void)text;
    printf("%s %s\n", s->p->name, s->p->version);
    return opts_flush_answer(s, e);
}

static int answer_completion(const struct opt *o, const char *text,
                             void *state, struct err *e)
{
    struct parse *s = state;
    int rc;

    assert(text);
    rc = closest_word_find(o->choices, text, strlen(text)) < 0
         ? closest_word_refuse(o->choices, "--completion", text, e)
         : opts_completion(s->p, text, stdout, e);
    return rc ? rc : opts_flush_answer(s, e);
}

static int answer_list(const struct opt *o, const char *text, void *state,
                       struct err *e)
{
    struct parse *s = state;

    (void)o;
    (void)text;
    opts_list(s->p, stdout);
    return opts_flush_answer(s, e);
}

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static const struct opt builtins[] = {
    { .type = OPT_GROUP, .help = "About this program" },
    { .name = "help", .letter = 'h', .type = OPT_CALL, .parse = answer_help,
      .help = "print this page" },
    { .name = "version", .letter = 'V', .type = OPT_CALL,
      .parse = answer_version, .help = "print the version" },
    { .name = "completion", .type = OPT_CALL, .parse = answer_completion,
      .arg = "SHELL", .choices = shells,
      .help = "print what that shell reads to complete these options" },
    { .name = "list-options", .type = OPT_CALL, .parse = answer_list,
      .hidden = true, .help = "print one line an option, for scripts" },
    { .letter = '?', .type = OPT_CALL, .parse = answer_help, .hidden = true,
      .help = "print this page" },
};

#define NR_BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

const struct opt *opts_row(const struct program *p, size_t i)
{
    if ( i < p->nr_opts )
        return &p->opts[i];
    i -= p->nr_opts;
    return i < NR_BUILTINS ? &builtins[i] : NULL;
}

bool opts_is_builtin(const struct opt *o)
{
    return o >= builtins && o < builtins + NR_BUILTINS;
}

char opts_letter(const struct program *p, const struct opt *o)
{
    return o->letter && opts_find_letter(p, o->letter) == o ? o->letter : 0;
}

bool opts_is_shown(const struct opt *o)
{
    return o->type != OPT_GROUP && !o->hidden;
}
