/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes rules-code.c while this tree is built: for each program of a line
 * (rules.c) a function that has what its steps say as constants.
 *
 *     memcpy(p, "vmexit exit_reason \0...", 32);
 *     p += 19;
 *     p = s[0].function(p, c, 0);
 *     memcpy(p, " eip \0...", 16);
 *     p += 5;
 *     p = num_hex(p, xt_load64(w + 4));
 *
 * In it, p is where the text goes on, s the steps, c the context, w the payload
 * and n what numbers below a thousand are.
 */
#include <stdio.h>
#include <stdlib.h>

#include "xenalyze/lines/rules-code.h"

/* What is made of a field that is surely there. */
static const char *const ways[] = {
    [STEP_SURE] = "line_put(n, p, %s)",
    [STEP_SURE_SIGNED] = "line_put_signed(n, p, %s)",
    [STEP_SURE_HEX] = "num_hex(p, %s)",
    [STEP_SURE_LONG] = "num_u64(p, %s)",
    [STEP_SURE_LONG_HEX] = "num_hex(p, %s)",
};

/* Pieces of a fixed size take fewer moves than what the text has. */
static void print_text(const struct line_step *s)
{
    unsigned int touched = (s->length + LINE_PIECE - 1) / LINE_PIECE *
                           LINE_PIECE;

    if ( !s->length )
        return;
    printf("    memcpy(p, \"");
    for ( unsigned int i = 0; i < touched; i++ )
    {
        char letter = i < s->length ? s->text[i] : '\0';

        printf(letter < ' ' || letter == '"' || letter == '\\' ? "\\%03o"
                                                               : "%c",
               (unsigned char)letter);
    }
    printf("\", %u);\n    p += %u;\n", touched, s->length);
}

/* The field, as an expression. */
static const char *field_of(const struct line_step *s)
{
    static char text[80];

    if ( s->place.bits > 32 )
        snprintf(text, sizeof(text), "xt_load64(w + %u)", s->place.at);
    else
        snprintf(text, sizeof(text), "xt_load32(w + %u) >> %u & %#xu",
                 s->place.at, s->place.shift, s->mask);
    return text;
}

static bool is_condition(const struct line_step *s)
{
    return s->kind == STEP_SURE_IF || s->kind == STEP_SURE_IF_NOT ||
           s->kind == STEP_IF || s->kind == STEP_IF_NOT;
}

static void print_condition(const struct line_step *s, unsigned int number)
{
    if ( s->kind == STEP_IF || s->kind == STEP_IF_NOT )
        printf("    if ( line_skip(s + %u, c->record) )\n", number);
    else
        printf("    if ( (%s) %s %#xu )\n", field_of(s),
               s->kind == STEP_SURE_IF ? "!=" : "==",
               (unsigned int)s->number);
    printf("        goto step_%u;\n", number + s->skip + 1);
}

static void print_step(const struct line_step *s, unsigned int number)
{
    print_text(s);
    if ( is_condition(s) )
        print_condition(s, number);
    else if ( s->kind == STEP_FUNCTION )
        printf("    p = s[%u].function(p, c, 0);\n", number);
    else if ( s->kind >= sizeof(ways) / sizeof(ways[0]) )
        printf("    p = line_put_called(p, s + %u, c);\n", number);
    else if ( ways[s->kind] )
    {
        printf("    p = ");
        printf(ways[s->kind], field_of(s));
        printf(";\n");
    }
}

/* Does a condition lead to what is before this step? */
static void print_label(const struct line_step *steps, unsigned int number)
{
    for ( unsigned int i = 0; i < number; i++ )
        if ( is_condition(&steps[i]) && i + steps[i].skip + 1 == number )
        {
            printf(" step_%u:\n", number);
            return;
        }
}

static void print_program(const struct line_program *program, size_t number)
{
    const struct line_step *s = program->steps;
    unsigned int i = 0;

    printf("/* %s */\n"
           "static char *line_%zu(char *p, const struct line_step *s,\n"
           "                      const struct line_context *c)\n{\n"
           "    const struct num_short *n = c->programs->shorts;\n"
           "    const unsigned char *w = c->record->payload;\n\n"
           "    (void)s;\n    (void)n;\n    (void)w;\n",
           program->event->name, number);
    do
    {
        print_label(s, i);
        print_step(&s[i], i);
    } while ( !s[i++].last );
    print_label(s, i);
    printf("    return p;\n}\n\n");
}

static void print_all(const struct line_programs *programs)
{
    printf("/* Made by rules-generate, of the rules of rules-table.c. */\n"
           "#include \"xenalyze/lines/rules-code.h\"\n\n");
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        print_program(&programs->of[i], i);
    printf("void line_programs_code(struct line_programs *s)\n{\n");
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
        printf("    s->of[%zu].code = line_%zu;\n", i, i);
    printf("}\n");
}

int main(void)
{
    static const struct xt_dialect unknown;
    struct line_programs programs;
    struct xt_catalogue *catalogue;

    if ( xt_catalogue_new(&catalogue, &unknown) ||
         line_programs_init(&programs, catalogue) )
        return EXIT_FAILURE;
    print_all(&programs);
    line_programs_fini(&programs);
    xt_catalogue_free(catalogue);
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
