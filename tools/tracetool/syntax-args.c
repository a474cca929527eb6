/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The argument list of an event:
 *
 *     "void" | arg { "," arg } [ "," "[" arg { "," arg } "]" ]
 *     arg := [ SEM ] ctype [ NAME ] [ ":" BITS ] [ "@" SHIFT ] [ "?" NAME ]
 *
 * The words of an argument are collected first, since the last word is its
 * name.
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Words that are no valid names in C. */
static const char *const reserved[] = {
    "auto", "bool", "break", "case", "char", "const", "continue", "default",
    "do", "double", "else", "enum", "extern", "float", "for", "goto", "if",
    "inline", "int", "long", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while",
};

static bool is_reserved(const struct tt_token *t)
{
    size_t i;

    for ( i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++ )
        if ( tt_token_is(t, reserved[i]) )
            return true;
    return false;
}

static bool is_name(const struct tt_token *t)
{
    return t->kind == TT_WORD && !isdigit((unsigned char)*t->text) &&
           !is_reserved(t) && !tt_ctype_has_word(t);
}

static bool is_declared_word(const struct tt_lex *l)
{
    return l->token.kind == TT_WORD || tt_lex_is_mark(l, '*');
}

static int collect_args(struct tt_lex *l, struct tt_type_words *words)
{
    for ( words->nr = 0; is_declared_word(l); tt_lex_next(l) )
    {
        if ( words->nr == TT_MAX_TYPE_WORDS )
        {
            tt_errors_add(l->errors, &l->token.at, "no argument has so "
                          "many words: write it as in 'const char *name'");
            return -EINVAL;
        }
        words->word[words->nr++] = l->token;
    }
    if ( words->nr )
        return 0;
    if ( tt_lex_is_mark(l, ',') || tt_lex_is_mark(l, ')') )
        tt_errors_add(l->errors, &l->token.at, "an argument is missing "
                      "here: write 'void' if there are none");
    else
        tt_lex_expected(l, "an argument");
    return -EINVAL;
}

/* An optional semantic word precedes the C type. */
static int take_sem(struct tt_written *w, struct tt_written_arg *arg,
                    struct tt_type_words *words)
{
    struct tt_token *first = &words->word[0];

    if ( words->nr < 2 || first->kind != TT_WORD ||
         tt_ctype_has_word(first) || words->word[1].kind != TT_WORD ||
         !tt_ctype_has_word(&words->word[1]) )
        return 0;
    arg->sem = arena_strndup(w->arena, first->text, first->length);
    words->nr--;
    memmove(first, first + 1, words->nr * sizeof(*first));
    return arg->sem ? 0 : -ENOMEM;
}

static int report_name(struct tt_lex *l, const struct tt_token *t)
{
    char text[TT_SHOWN];

    if ( t->kind == TT_WORD && isdigit((unsigned char)*t->text) )
        tt_errors_add(l->errors, &t->at, "'%.*s' cannot be a name: "
                      "begin it with a letter",
                      (int)(t->length < 40 ? t->length : 40), t->text);
    else if ( t->kind == TT_WORD && is_reserved(t) && !tt_ctype_has_word(t) )
        tt_errors_add(l->errors, &t->at, "'%.*s' is a word of C: take "
                      "another name", (int)t->length, t->text);
    else if ( tt_token_is(t, "void") )
        tt_errors_add(l->errors, &t->at, "'void' stands alone, for no "
                      "arguments: take it out");
    else if ( l->token.kind != TT_BAD )
        tt_errors_add(l->errors, &l->token.at, "the argument before %s "
                      "has no name: put one behind its type",
                      tt_lex_show(l, text));
    return -EINVAL;
}

/* The last word is the name; padding (type and ':') has no name. */
static int take_name(struct tt_written *w, struct tt_written_arg *arg,
                     struct tt_type_words *words, struct tt_lex *l)
{
    const struct tt_token *last = &words->word[words->nr - 1];

    assert(words->nr && words->nr <= TT_MAX_TYPE_WORDS);
    if ( tt_lex_is_mark(l, ':') && tt_ctype_has_word(last) )
        return 0;
    if ( !is_name(last) )
        return report_name(l, last);
    if ( words->nr == 1 )
    {
        tt_errors_add(l->errors, &last->at, "'%.*s' is a type or a "
                      "name, and both are needed: write it as in 'int x'",
                      (int)(last->length < 40 ? last->length : 40),
                      last->text);
        return -EINVAL;
    }
    arg->name_at = last->at;
    arg->name = arena_strndup(w->arena, last->text, last->length);
    words->nr--;
    return arg->name ? 0 : -ENOMEM;
}

static int parse_present(struct tt_written *w, struct tt_written_arg *arg,
                         struct tt_lex *l)
{
    arg->present_at = l->token.at;
    return tt_syntax_word(w, l, &arg->present, "the argument that says if "
                          "this one is there");
}

static int parse_suffixes(struct tt_written *w, struct tt_written_arg *arg,
                          struct tt_lex *l)
{
    int rc = 0;

    arg->bits_at = l->token.at;
    if ( tt_lex_take_mark(l, ':') )
    {
        arg->has_bits = true;
        arg->bits_at = l->token.at;
        rc = tt_syntax_number(l, &arg->bits, "a number of bits");
    }
    if ( !rc && tt_lex_take_mark(l, '@') )
    {
        arg->in_id = true;
        rc = tt_syntax_number(l, &arg->shift, "the first bit in the id");
    }
    if ( !rc && tt_lex_take_mark(l, '?') )
        rc = parse_present(w, arg, l);
    return rc;
}

static int parse_arg(struct tt_written *w, struct tt_written_arg *arg,
                     struct tt_lex *l)
{
    struct tt_type_words words;
    int rc;

    *arg = (struct tt_written_arg){ .at = l->token.at };
    arg->name_at = l->token.at;
    rc = collect_args(l, &words);
    if ( !rc )
        rc = take_sem(w, arg, &words);
    if ( !rc )
        rc = take_name(w, arg, &words, l);
    if ( !rc )
        rc = tt_ctype_make(&arg->type, &words, w->arena, w->errors);
    return rc ? rc : parse_suffixes(w, arg, l);
}

static int report_tail(struct tt_lex *l, bool tail)
{
    if ( tt_lex_is_mark(l, '[') && !tail )
        tt_errors_add(l->errors, &l->token.at,
                      "a '[' here: an array cannot be traced (pass a "
                      "pointer), and what may be absent begins behind a "
                      "comma, as in (int a, [int b])");
    else if ( tt_lex_is_mark(l, ',') )
        tt_errors_add(l->errors, &l->token.at, "what may be absent is "
                      "the tail: move what is behind the ']' before the "
                      "'['");
    else
        tt_lex_expected(l, tail ? "']' behind the arguments of the tail" :
                        "',' or ')' behind the argument");
    return -EINVAL;
}

/* Parse up to the ')'.  A tail is last, so its ']' ends the list. */
static int parse_list(struct tt_written *w, struct tt_lex *l, size_t *nr)
{
    bool tail = false;
    int rc;

    assert(!*nr);
    do
    {
        if ( *nr == TT_MAX_WRITTEN )
        {
            tt_errors_add(l->errors, &l->token.at, "more than %u "
                          "arguments: split the event", TT_MAX_WRITTEN);
            return -EINVAL;
        }
        if ( !tail && tt_lex_take_mark(l, '[') )
            tail = true;
        rc = parse_arg(w, &w->args[*nr], l);
        if ( rc )
            return rc;
        w->args[(*nr)++].optional = tail;
    } while ( tt_lex_take_mark(l, ',') );

    if ( tail != tt_lex_take_mark(l, ']') || tt_lex_is_mark(l, '[') ||
         (tail && tt_lex_is_mark(l, ',')) )
        return report_tail(l, tail);
    return 0;
}

int tt_syntax_args(struct tt_written *w, struct tt_written_event *e,
                   struct tt_lex *l)
{
    assert(!e->args && !e->nr_args);
    if ( tt_lex_is_word(l, "void") && tt_lex_before_mark(l, ')') )
    {
        tt_lex_next(l);
        return 0;
    }
    e->args = w->args;
    return parse_list(w, l, &e->nr_args);
}
