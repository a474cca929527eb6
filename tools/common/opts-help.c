/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --help, the built-in command `help`, and --list-options.  A page is two
 * columns:
 *
 *     Ring buffers:
 *       -c, --cpus=N            how many pcpus to play (1 to 1024; default: 4)
 *           --format=json|text  what to write
 *     ^ MARGIN                  ^ as wide as the widest option, in reason
 *
 * and no line is wider than 80 characters, unless it has no blank.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "common/opts-private.h"

#define WIDTH 79
#define MARGIN 2
#define GAP 2
#define MAX_LEFT 28             /* a longer option gets a separate line */
#define LEFT_ROOM (OPT_ARG_MAX + OPT_LABEL_MAX + 16)
#define RIGHT_ROOM 1024
#define NOTES_ROOM 512

/* Print wrapped text from column `at`; indent further lines. */
static void put_words(FILE *out, const char *text, int indent, int at)
{
    int len;
    bool first = true;

    for ( text += strspn(text, " "); *text != '\0'; text += strspn(text, " ") )
    {
        len = strcspn(text, " ");
        if ( !first && at + 1 + len > WIDTH )
        {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        at += fprintf(out, "%s%.*s", first ? "" : " ", len, text);
        text += len;
        first = false;
    }
    fputc('\n', out);
}

/* The left column, "-c, --cpus=N". */
static size_t left_column(const struct program *p, const struct opt *o,
                          char buf[LEFT_ROOM])
{
    char letter[] = { '-', opts_letter(p, o), '\0' };
    char room[OPT_ARG_MAX];
    const char *arg = opt_takes_text(o) ? opt_arg(o, room) : "";
    bool yes = o->type == OPT_FLAG && o->preset && *o->preset == 'y';

    if ( o->name == NULL )
        return snprintf(buf, LEFT_ROOM, "-%c%s%s", o->letter, *arg ? " " : "",
                        arg);

    return snprintf(buf, LEFT_ROOM, "%s%s--%s%s%s%s",
                    letter[1] ? letter : "  ", letter[1] ? ", " : "  ",
                    yes ? "[no-]" : "", o->name, *arg ? "=" : "", arg);
}

static void add_note(char notes[NOTES_ROOM], const char *what, const char *text)
{
    size_t len = strlen(notes);

    assert(len + strlen(what) + strlen(text) + 3 <= NOTES_ROOM);
    if ( *text != '\0' )
        snprintf(notes + len, NOTES_ROOM - len, "%s%s%s", len ? "; " : "", what,
                 text);
}

/* The right column, "how many pcpus to play (1 to 1024; default: 4)". */
static void right_column(const struct opt *o, char buf[RIGHT_ROOM])
{
    char notes[NOTES_ROOM] = "", range[OPT_RANGE_MAX], all[OPT_ARG_MAX];

    if ( o->choices != NULL && o->arg != NULL )
        add_note(notes, "", opt_choices(o, ", ", all));
    add_note(notes, "", opt_range(o, range));
    if ( o->preset != NULL )
        add_note(notes, "default: ", o->preset);

    snprintf(buf, RIGHT_ROOM, "%s%s%s%s", o->help, *notes ? " (" : "", notes,
             *notes ? ")" : "");
}

/* The options of a page: all, those marked common, or those of a command. */
typedef bool choose_fn(const struct opt *o, const struct command *c);

static bool choose_all(const struct opt *o, const struct command *c)
{
    (void)o;
    (void)c;
    return true;
}

static bool choose_common(const struct opt *o, const struct command *c)
{
    (void)c;
    return o->common;
}

static bool choose_related(const struct opt *o, const struct command *c)
{
    const char *const *name = c->related;

    for ( ; name != NULL && *name != NULL; name++ )
        if ( o->name != NULL && !strcmp(*name, o->name) )
            return true;
    return false;
}

static int help_column(const struct program *p, choose_fn *choose,
                       const struct command *c)
{
    const struct opt *o;
    char left[LEFT_ROOM];
    size_t i, len, widest = 0;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        len = opts_is_shown(o) && choose(o, c) ? left_column(p, o, left) : 0;
        assert(len < LEFT_ROOM);
        if ( len <= MAX_LEFT && len > widest )
            widest = len;
    }
    return MARGIN + widest + GAP;
}

static void put_option(const struct program *p, const struct opt *o,
                       int column, FILE *out)
{
    char left[LEFT_ROOM], right[RIGHT_ROOM];
    int len = MARGIN + left_column(p, o, left);

    assert(len < MARGIN + (int)LEFT_ROOM);
    right_column(o, right);
    assert(strlen(right) < RIGHT_ROOM - 1);     /* or it is truncated */
    fprintf(out, "%*s%s", MARGIN, "", left);
    if ( len + GAP > column )
        fprintf(out, "\n%*s", column, "");
    else
        fprintf(out, "%*s", column - len, "");
    put_words(out, right, column, column);
}

/* Options without headings. */
static void put_chosen(const struct program *p, choose_fn *choose,
                       const struct command *c, FILE *out)
{
    const int column = help_column(p, choose, c);
    const struct opt *o;
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
        if ( opts_is_shown(o) && choose(o, c) )
            put_option(p, o, column, out);
}

static void put_commands(const struct program *p, FILE *out)
{
    const struct command *c;
    size_t i, len, widest = 0;

    for ( i = 0; i < p->nr_commands; i++ )
    {
        c = &p->commands[i];
        len = strlen(c->name) + strlen(" ") + strlen(c->args);
        widest = len > widest ? len : widest;
    }
    if ( i > 0 )
        fprintf(out, "\nCommands (%s help COMMAND; %s help all):\n", p->name,
                p->name);
    for ( i = 0; i < p->nr_commands; i++ )
    {
        c = &p->commands[i];
        len = fprintf(out, "%*s%s %s", MARGIN, "", c->name, c->args);
        fprintf(out, "%*s", (int)(MARGIN + widest + GAP - len), "");
        put_words(out, c->help, MARGIN + widest + GAP, MARGIN + widest + GAP);
    }
}

static void put_usage(const struct program *p, FILE *out)
{
    fprintf(out, "Usage: %s %s\n", p->name, p->synopsis);
    put_words(out, p->summary, 0, 0);
}

static void put_footer(const struct program *p, FILE *out)
{
    if ( p->footer != NULL )
        fprintf(out, "\n%s%s", p->footer,
                *p->footer && p->footer[strlen(p->footer) - 1] == '\n' ? ""
                                                                       : "\n");
}

void opts_help(const struct program *p, FILE *out)
{
    const int column = help_column(p, choose_all, NULL);
    const struct opt *o;
    size_t i;

    put_usage(p, out);
    put_commands(p, out);
    if ( p->nr_opts > 0 && p->opts[0].type != OPT_GROUP )
        fprintf(out, "\nOptions:\n");
    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        if ( o->type == OPT_GROUP )
            fprintf(out, "\n%s:\n", o->help);
        else if ( opts_is_shown(o) )
            put_option(p, o, column, out);
    }
    put_footer(p, out);
}

void opts_help_short(const struct program *p, FILE *out)
{
    put_usage(p, out);
    put_commands(p, out);
    fputs("\nCommon options:\n", out);
    put_chosen(p, choose_common, NULL, out);
    put_footer(p, out);
}

void opts_help_command(const struct program *p, const struct command *c,
                       FILE *out)
{
    fprintf(out, "Usage: %s %s [OPTION...] %s\n", p->name, c->name, c->args);
    fputc(toupper((unsigned char)*c->help), out);
    fprintf(out, "%s%s\n", c->help + 1,
            c->help[strlen(c->help) - 1] == '?' ? "" : ".");
    if ( c->details != NULL )
    {
        fputc('\n', out);
        put_words(out, c->details, 0, 0);
    }
    if ( c->related != NULL )
    {
        fprintf(out, "\nOptions (%s help all lists every option):\n", p->name);
        put_chosen(p, choose_related, c, out);
    }
}

void opts_help_parsed(const struct parse *s, FILE *out)
{
    if ( s->command != NULL )
        opts_help_command(s->p, s->command, out);
    else if ( s->p->nr_commands > 0 )
        opts_help_short(s->p, out);
    else
        opts_help(s->p, out);
}

void opts_list(const struct program *p, FILE *out)
{
    const struct opt *o;
    char room[OPT_ARG_MAX];
    size_t i;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        char letter[] = { opts_letter(p, o), '\0' };

        if ( opts_is_shown(o) )
            fprintf(out, "%s\t%s\t%s\t%s\n", o->name ? o->name : "", letter,
                    opt_takes_text(o) ? opt_arg(o, room) : "", o->help);
    }
}
