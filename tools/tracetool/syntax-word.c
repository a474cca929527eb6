/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines that declare words: classes of ids, and the meaning of numbers.
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <errno.h>

#define SUBCLASSES 0xf000u
#define LOW_BITS 0xfffu         /* bits of an event's number in the id */
#define CLASSES 0x0fff0000u

static int check_class(struct tt_written *w, const struct tt_class *new,
                       uint64_t id, const struct tt_place *at)
{
    if ( !(id & CLASSES) || !(id & SUBCLASSES) ||
         (id & ~(uint64_t)(CLASSES | SUBCLASSES)) )
    {
        tt_errors_add(w->errors, at, "class '%.40s' needs bits in "
                      "0x0fff0000 for the class and in 0xf000 for its "
                      "subclasses, and no others: write it as in "
                      "0x00021000", new->name);
        return -EINVAL;
    }
    return 0;
}

/* Index + 1 of a class; 0: none. */
static size_t find_class(const struct tt_written *w,
                         const struct tt_token *name)
{
    const struct tt_class *classes = w->classes.items;
    size_t i;

    for ( i = w->classes.nr; i; i-- )
        if ( tt_token_is(name, classes[i - 1].name) )
            break;
    return i;
}

/* class NAME: select a class that was declared before. */
static int resume_class(struct tt_written *w, const struct tt_token *name)
{
    if ( find_class(w, name) )
        return 0;
    tt_errors_add(w->errors, &name->at, "no class '%.*s' is declared "
                  "before this: give its id and a \"text\"",
                  (int)(name->length < 40 ? name->length : 40),
                  name->text);
    return -EINVAL;
}

static int declare_class(struct tt_written *w, struct tt_lex *l,
                         struct tt_class *new)
{
    struct tt_place at = l->token.at;
    struct tt_class *kept;
    uint64_t id = 0;
    int rc = tt_syntax_number(l, &id, "the id of the class, as 0x00021000,");

    assert(new->name && *new->name);
    if ( !rc )
        rc = tt_syntax_string(w, l, &new->text, "a \"text\" about the class");
    if ( !rc )
        rc = tt_syntax_line_end(l);
    if ( !rc )
        rc = check_class(w, new, id, &at);
    if ( rc )
        return rc;
    new->id = id;
    kept = tt_vec_add(w->arena, &w->classes, sizeof(*kept));
    if ( !kept )
        return -ENOMEM;
    *kept = *new;
    return 0;
}

/* Syntax: class NAME [ID STRING] */
int tt_syntax_class(struct tt_written *w, struct tt_lex *l)
{
    struct tt_class class = { .at = l->token.at };
    struct tt_token name;
    int rc;

    tt_lex_next(l);
    name = l->token;
    rc = tt_syntax_word(w, l, &class.name, "the name of the class");
    if ( rc )
        return rc;
    return tt_lex_at_line_end(l) ? resume_class(w, &name) :
                                   declare_class(w, l, &class);
}

/* After a bad class no class is selected: events are not checked for it. */
void tt_syntax_enter_class(struct tt_written *w, struct tt_lex *l)
{
    tt_lex_next(l);
    w->class = find_class(w, &l->token);
    assert(w->class <= w->classes.nr);
    tt_lex_skip_line(l);
}

static int keep_sem(struct tt_written *w, const struct tt_sem *new)
{
    struct tt_sem *kept = tt_vec_add(w->arena, &w->sems, sizeof(*kept));

    assert(new->name && *new->name && new->text);
    assert(new->values || !new->nr_values);
    assert(new->meaning != TT_PLAIN || !new->nr_values);
    assert(new->nr_values <= TT_MAX_VALUES);
    if ( !kept )
        return -ENOMEM;
    *kept = *new;
    return 0;
}

static int parse_head(struct tt_written *w, struct tt_lex *l,
                      struct tt_sem *new)
{
    int rc;

    new->at = l->token.at;
    tt_lex_next(l);
    if ( l->token.kind == TT_WORD && tt_ctype_has_word(&l->token) )
    {
        tt_errors_add(w->errors, &l->token.at, "'%.*s' is a type of "
                      "C: take another word", (int)l->token.length,
                      l->token.text);
        return -EINVAL;
    }
    rc = tt_syntax_word(w, l, &new->name, "a word to declare");
    if ( !rc )
        rc = tt_syntax_string(w, l, &new->text, "a \"text\" about it");
    return rc ? rc : tt_syntax_line_end(l);
}

/* Syntax: type NAME STRING */
int tt_syntax_type(struct tt_written *w, struct tt_lex *l)
{
    struct tt_sem new = { .meaning = TT_PLAIN };
    int rc = parse_head(w, l, &new);

    return rc ? rc : keep_sem(w, &new);
}

static int check_value(struct tt_written *w, const struct tt_sem *sem,
                       const struct tt_vec *values, uint64_t value,
                       const struct tt_place *at)
{
    const struct tt_value *seen = values->items;
    size_t i;

    assert(sem->meaning != TT_PLAIN);
    assert(values->nr <= TT_MAX_VALUES);
    if ( sem->meaning == TT_FLAGS && value > 63 )
    {
        tt_errors_add(w->errors, at, "flags have bits 0 to 63: give "
                      "the number of the bit, not its value");
        return -EINVAL;
    }
    if ( values->nr == TT_MAX_VALUES )
    {
        tt_errors_add(w->errors, at, "'%.40s' has more than %u "
                      "values: make it a plain type", sem->name,
                      TT_MAX_VALUES);
        return -EINVAL;
    }
    for ( i = 0; i < values->nr; i++ )
        if ( seen[i].value == value )
        {
            tt_errors_add(w->errors, at, "this value of '%.40s' is "
                          "'%.40s' already: one of the two must go",
                          sem->name, seen[i].name);
            return -EINVAL;
        }
    return 0;
}

/* Syntax: VALUE WORD [STRING] */
static int parse_value(struct tt_written *w, struct tt_lex *l,
                       const struct tt_sem *sem, struct tt_vec *values)
{
    struct tt_place at = l->token.at;
    struct tt_value new = { .text = NULL }, *kept;
    int rc = tt_syntax_number(l, &new.value, "a value, or 'end',");

    if ( !rc )
        rc = tt_syntax_word(w, l, &new.name, "the name of the value");
    if ( !rc && l->token.kind == TT_LITERAL )
        rc = tt_syntax_string(w, l, &new.text, "a \"text\" about it");
    if ( !rc )
        rc = tt_syntax_line_end(l);
    if ( !rc )
        rc = check_value(w, sem, values, new.value, &at);
    if ( rc )
        return rc;
    kept = tt_vec_add(w->arena, values, sizeof(*kept));
    if ( !kept )
        return -ENOMEM;
    *kept = new;
    return 0;
}

static bool ends_block(const struct tt_lex *l)
{
    return tt_lex_is_word(l, "end") && !tt_lex_before_mark(l, '(');
}

/* Parse the lines up to "end", ignoring bad lines. */
static int parse_values(struct tt_written *w, struct tt_lex *l,
                        struct tt_sem *sem)
{
    struct tt_vec values = { .nr = 0 };
    int rc = 0;

    while ( l->token.kind != TT_END && !ends_block(l) && rc != -ENOMEM )
    {
        rc = l->token.kind == TT_NEWLINE ? 0 : parse_value(w, l, sem, &values);
        if ( rc == -EINVAL )
            tt_lex_skip_line(l);
        if ( l->token.kind == TT_NEWLINE )
            tt_lex_next(l);
    }
    sem->values = values.items;
    sem->nr_values = values.nr;
    return rc == -ENOMEM ? rc : 0;
}

void tt_syntax_skip_block(struct tt_lex *l)
{
    while ( l->token.kind != TT_END && !ends_block(l) )
    {
        tt_lex_skip_line(l);
        if ( l->token.kind == TT_NEWLINE )
            tt_lex_next(l);
    }
}

static int parse_block(struct tt_written *w, struct tt_lex *l,
                       enum tt_meaning meaning)
{
    struct tt_sem new = { .meaning = meaning };
    int rc = parse_head(w, l, &new);

    assert(meaning == TT_ENUM || meaning == TT_FLAGS);
    /* Behind a bad head, errors in the values are reported as well. */
    if ( rc == -EINVAL )
        tt_lex_skip_line(l);
    if ( !new.name )
        new.name = "(no name)";
    if ( rc != -ENOMEM )
        rc = parse_values(w, l, &new) ? -ENOMEM : rc;
    if ( rc == -ENOMEM )
        return rc;
    if ( l->token.kind == TT_END )
    {
        tt_errors_add(w->errors, &new.at, "this block has no end: put "
                      "a line 'end' below its values");
        return -EINVAL;
    }
    tt_lex_next(l);
    if ( tt_syntax_line_end(l) || rc )
        return -EINVAL;
    return keep_sem(w, &new);
}

/* Syntax: enum NAME STRING, values, end */
int tt_syntax_enum(struct tt_written *w, struct tt_lex *l)
{
    return parse_block(w, l, TT_ENUM);
}

/* Syntax: flags NAME STRING, bits, end */
int tt_syntax_flags(struct tt_written *w, struct tt_lex *l)
{
    return parse_block(w, l, TT_FLAGS);
}
