/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --help and --list-options.  The page is two columns:
 *
 *     Ring buffers:
 *       -c, --cpus=N            how many pcpus to play (1 to 1024; default: 4)
 *           --format=json|text  what to write
 *     ^ MARGIN                  ^ as wide as the widest option, in reason
 *
 * and no line is wider than 80 characters, unless it has no blank.
 */
#include <assert.h>
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

static int help_column(const struct program *p)
{
    const struct opt *o;
    char left[LEFT_ROOM];
    size_t i, len, widest = 0;

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        len = opts_is_shown(o) ? left_column(p, o, left) : 0;
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

    right_column(o, right);
    fprintf(out, "%*s%s", MARGIN, "", left);
    if ( len + GAP > column )
        fprintf(out, "\n%*s", column, "");
    else
        fprintf(out, "%*s", column - len, "");
    put_words(out, right, column, column);
}

void opts_help(const struct program *p, FILE *out)
{
    const int column = help_column(p);
    const struct opt *o;
    size_t i;

    fprintf(out, "Usage: %s %s\n", p->name, p->synopsis);
    put_words(out, p->summary, 0, 0);
    if ( p->nr_opts > 0 && p->opts[0].type != OPT_GROUP )
        fprintf(out, "\nOptions:\n");

    for ( i = 0; (o = opts_row(p, i)) != NULL; i++ )
    {
        if ( o->type == OPT_GROUP )
            fprintf(out, "\n%s:\n", o->help);
        else if ( opts_is_shown(o) )
            put_option(p, o, column, out);
    }

    if ( p->footer != NULL )
        fprintf(out, "\n%s%s", p->footer,
                *p->footer && p->footer[strlen(p->footer) - 1] == '\n' ? ""
                                                                       : "\n");
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
