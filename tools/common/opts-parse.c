/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parser of argv.  Options are moved before the positional arguments one
 * by one, so that at the end the positional arguments are contiguous:
 *
 *     argv:  | name | options so far | positional so far | not read yet |
 *              0      1                first               at
 *
 * Words of argv are checked; rows of the table are asserted: a contradiction in
 * a row is a defect of the program, which the program's first test finds.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/opts-private.h"

static bool row_is_sound(const struct opt *o)
{
    return o->type == OPT_GROUP ? o->help != NULL :
           (o->name != NULL || o->letter != 0) && o->help != NULL &&
           (o->type != OPT_CHOICE || o->choices != NULL) &&
           (o->type != OPT_CALL || o->parse != NULL) &&
           (o->type != OPT_FLAG || o->name != NULL);
}

static bool same_name(const struct opt *a, const struct opt *b)
{
    return a->name != NULL && b->name != NULL && !strcmp(a->name, b->name);
}

static bool table_is_sound(const struct program *p)
{
    const struct opt *o, *other;
    size_t i, j;

    for ( i = 0; i < p->nr_opts; i++ )
    {
        o = &p->opts[i];
        if ( !row_is_sound(o) )
            return false;
        if ( (o->letter != 0 && opts_letter(p, o) != o->letter) ||
             (o->also != 0 && opts_find_letter(p, o->also) != o) )
            return false;
        for ( j = i + 1; (other = opts_row(p, j)) != NULL; j++ )
            if ( same_name(o, other) )
                return false;
    }
    return true;
}

/* Presets are parsed and checked like words of argv, and before these. */
static int apply_presets(const struct parse *s)
{
    const struct opt *o;
    size_t i;
    int rc = 0;

    for ( i = 0; i < s->p->nr_opts && rc == 0; i++ )
    {
        o = &s->p->opts[i];
        if ( o->preset != NULL )
            rc = opt_store(o, o->preset, s->config, s->e);
    }
    return rc;
}

/* Move the `n` words at s->at before the positional arguments. */
static void settle_options(struct parse *s, int n)
{
    char *words[2], **to = s->argv + s->first;

    assert(n >= 1 && n <= 2 && s->at + n <= s->argc);
    assert(s->first <= s->at);
    memcpy(words, s->argv + s->at, n * sizeof(*words));
    memmove(to + n, to, (s->at - s->first) * sizeof(*to));
    memcpy(to, words, n * sizeof(*words));
    s->first += n;
    s->at += n;
}

static int apply_option(struct parse *s, const struct opt *o, const char *text)
{
    if ( s->only_order )
        return 0;
    return opt_store(o, text, opts_is_builtin(o) ? s : s->config, s->e);
}

/*
 * The argument of an option: the text after "=", otherwise the next word, even
 * if that begins with "-".  *words: the number of words of argv used.
 */
static int find_text(struct parse *s, const struct opt *o,
                     const char *attached, const char **text, int *words)
{
    char label[OPT_LABEL_MAX], arg[OPT_ARG_MAX];

    assert(opt_takes_text(o));
    *words = 1;
    *text = attached;
    if ( attached != NULL )
        return 0;

    *text = s->argv[s->at + 1];
    *words = 2;
    if ( s->at + 1 >= s->argc )
        return err_usage(s->e, "%s: needs an argument %s",
                         opt_label(o, label), opt_arg(o, arg));

    return 0;
}

static int parse_long(struct parse *s, const char *word)
{
    size_t len = strcspn(word, "=");
    const char *text = word[len] == '=' ? word + len + 1 : NULL;
    struct match m;
    int words = 1, rc;

    rc = opts_find_name(s->p, word, len, &m, s->e);
    if ( rc )
        return rc;

    if ( opt_takes_text(m.o) )
        rc = find_text(s, m.o, text, &text, &words);
    else if ( text != NULL )
        rc = err_usage(s->e, "--%s%s: takes no argument",
                       m.negated ? "no-" : "", m.o->name);
    else if ( m.negated )
        text = "no";

    if ( rc == 0 )
        rc = apply_option(s, m.o, text);
    if ( rc == 0 )
        settle_options(s, words);
    return rc;
}

/* "-qc4": letters of flags, then optionally a letter with an argument. */
static int parse_letters(struct parse *s, const char *letters)
{
    const struct opt *o;
    const char *text;
    int words = 1, rc = 0;

    for ( ; *letters != '\0' && rc == 0 && s->next == OPTS_RUN; letters++ )
    {
        text = NULL;
        o = opts_find_letter(s->p, *letters);
        if ( o == NULL )
            return err_usage(s->e, "-%c: no such option; --help lists them",
                             *letters);
        if ( opt_takes_text(o) )
        {
            rc = find_text(s, o, letters[1] ? letters + 1 : NULL, &text,
                           &words);
            letters += strlen(letters) - 1;
        }
        if ( rc == 0 )
            rc = apply_option(s, o, text);
    }

    if ( rc == 0 )
        settle_options(s, words);
    return rc;
}

static int walk_args(struct parse *s)
{
    const char *word;
    int rc = 0;

    while ( s->at < s->argc && rc == 0 && s->next == OPTS_RUN )
    {
        word = s->argv[s->at];
        if ( word[0] != '-' || word[1] == '\0' )
            s->at++;            /* positional, as is "-" */
        else if ( word[1] != '-' )
            rc = parse_letters(s, word + 1);
        else if ( word[2] != '\0' )
            rc = parse_long(s, word + 2);
        else
        {
            settle_options(s, 1);       /* "--": the rest is positional */
            break;
        }
    }
    return rc;
}

static int check_positional(const struct parse *s)
{
    const struct program *p = s->p;
    unsigned int n = s->argc - s->first;

    assert(s->first <= s->argc);
    if ( n < p->min_args )
        return err_usage(s->e, "an argument is missing; usage: %s %s",
                         p->name, p->synopsis);
    if ( n > p->max_args )
        return err_usage(s->e, "%s: one argument too many; usage: %s %s",
                         s->argv[s->first + p->max_args], p->name, p->synopsis);
    return 0;
}

/* The options that a command stands for: "--NAME" or "--NAME=TEXT". */
static int apply_command(struct parse *s)
{
    const char *const *options = s->command->options;
    int rc = 0;

    for ( ; options != NULL && *options != NULL && rc == 0; options++ )
    {
        const char *name = *options + strlen("--"), *text = strchr(name, '=');
        struct match m;

        rc = opts_find_name(s->p, name, strcspn(name, "="), &m, s->e);
        if ( rc == 0 )
            rc = apply_option(s, m.o, text != NULL ? text + 1 : NULL);
    }
    return rc;
}

/* The first walk: find the command, and apply its options. */
static int begin_command(struct parse *s)
{
    const int start = s->first;
    int rc;

    s->only_order = true;
    rc = walk_args(s);
    s->only_order = false;
    s->command = opts_choose_command(s);
    s->first = s->at = start;
    return rc || s->command == NULL ? rc : apply_command(s);
}

/* The second walk, and the command's use of positional arguments. */
static int parse_args(struct parse *s)
{
    int rc = walk_args(s);

    if ( rc || s->next != OPTS_RUN )
        return rc;
    rc = s->command != NULL ? opts_run_command(s) : opts_check_command(s);
    return rc || s->next != OPTS_RUN ? rc : check_positional(s);
}

int opts_parse(const struct program *p, int argc, char **argv, void *config,
               int *first, enum opts_next *next, struct err *e)
{
    int start = argc > 0 ? 1 : 0;
    struct parse s = {
        .p = p, .config = config, .e = e, .argv = argv, .argc = argc,
        .first = start, .at = start, .next = OPTS_RUN,
    };
    int rc;

    assert(table_is_sound(p));
    rc = apply_presets(&s);
    if ( rc == 0 && p->nr_commands != 0 )
        rc = begin_command(&s);
    if ( rc == 0 )
        rc = parse_args(&s);
    if ( rc )
        return rc;

    *first = s.first;
    *next = s.next;
    return 0;
}
