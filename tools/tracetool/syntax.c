/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a file, and parsers that several kinds of lines share.  An error
 * in a line is reported once, at the first invalid token; parsing continues
 * with the next line.
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "tracetool/literal.h"

int tt_syntax_word(struct tt_written *w, struct tt_lex *l, const char **word,
                   const char *what)
{
    if ( l->token.kind != TT_WORD )
    {
        tt_lex_expected(l, what);
        return -EINVAL;
    }
    *word = arena_strndup(w->arena, l->token.text, l->token.length);
    tt_lex_next(l);
    return *word ? 0 : -ENOMEM;
}

int tt_syntax_mark(struct tt_lex *l, char mark, const char *what)
{
    if ( tt_lex_take_mark(l, mark) )
        return 0;
    tt_lex_expected(l, what);
    return -EINVAL;
}

int tt_syntax_line_end(struct tt_lex *l)
{
    if ( tt_lex_at_line_end(l) )
        return 0;
    tt_lex_expected(l, "the end of the line");
    return -EINVAL;
}

/* The value of a decimal or hexadecimal number; false: invalid or too large. */
static bool get_number(const struct tt_token *t, uint64_t *value)
{
    bool hex = t->length > 2 && t->text[0] == '0' && (t->text[1] | 32) == 'x';
    const char *at = t->text + (hex ? 2 : 0), *end = t->text + t->length;
    unsigned int base = hex ? 16 : 10, digit;

    assert(t->kind == TT_WORD && t->length);
    for ( *value = 0; at < end; at++ )
    {
        digit = isdigit((unsigned char)*at) ? *at - '0' :
                isxdigit((unsigned char)*at) ? (*at | 32) - 'a' + 10 : 16;
        if ( digit >= base || *value > (UINT64_MAX - digit) / base )
            return false;
        *value = *value * base + digit;
    }
    /* A leading 0 is rejected: C would read an octal number. */
    return hex || t->length == 1 || t->text[0] != '0';
}

int tt_syntax_number(struct tt_lex *l, uint64_t *value, const char *what)
{
    char shown[TT_SHOWN];

    if ( l->token.kind != TT_WORD )
    {
        tt_lex_expected(l, what);
        return -EINVAL;
    }
    if ( !get_number(&l->token, value) )
    {
        tt_errors_add(l->errors, &l->token.at, "%s is no number (of at "
                      "most 64 bits): write it as in 12 or 0xc, without "
                      "zeroes before",
                      tt_lex_show(l, shown));
        return -EINVAL;
    }
    tt_lex_next(l);
    return 0;
}

static int unescape_string(struct tt_lex *l, char *to)
{
    const char *at = l->token.text, *end = at + l->token.length;
    struct tt_place place = l->token.at;
    size_t n;

    assert(l->token.kind == TT_LITERAL);
    for ( ; at < end; at += n )
    {
        n = tt_literal_byte(at, end, to);
        assert(n <= (size_t)(end - at));
        if ( n && *to++ )
            continue;
        place.column = at - l->line_start + 1;
        tt_errors_add(l->errors, &place, n ?
                      "this text is for people: leave out the NUL" :
                      "C has no such escape: write \\\\ for a backslash");
        return -EINVAL;
    }
    *to = '\0';
    return 0;
}

int tt_syntax_string(struct tt_written *w, struct tt_lex *l,
                     const char **text, const char *what)
{
    char *copy;
    int rc;

    if ( l->token.kind != TT_LITERAL )
    {
        tt_lex_expected(l, what);
        return -EINVAL;
    }
    *text = copy = arena_alloc(w->arena, l->token.length + 1, 1);
    rc = copy ? unescape_string(l, copy) : -ENOMEM;
    tt_lex_next(l);
    return rc;
}

static void skip_line(struct tt_written *w, struct tt_lex *l)
{
    (void)w;
    tt_lex_skip_line(l);
}

static void skip_block(struct tt_written *w, struct tt_lex *l)
{
    (void)w;
    tt_syntax_skip_block(l);
}

/* First words of declarations.  All other lines are events. */
static const struct declaration
{
    const char *word;
    int (*declare)(struct tt_written *w, struct tt_lex *l);
    void (*pass)(struct tt_written *w, struct tt_lex *l);
} declarations[] = {
    { "class", tt_syntax_class, tt_syntax_enter_class },
    { "type", tt_syntax_type, skip_line },
    { "enum", tt_syntax_enum, skip_block },
    { "flags", tt_syntax_flags, skip_block },
};

/* QEMU may have an event named "type": a '(' follows its name. */
static const struct declaration *find_declaration(const struct tt_lex *l)
{
    size_t i;

    if ( !tt_lex_before_mark(l, '(') )
        for ( i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++ )
            if ( tt_lex_is_word(l, declarations[i].word) )
                return &declarations[i];
    return NULL;
}

/* Each pass reports the errors of its lines only. */
static int declare_words(struct tt_written *w, struct tt_lex *l)
{
    const struct declaration *line = find_declaration(l);
    int rc = 0;

    assert(!tt_lex_at_line_end(l));
    if ( line )
    {
        l->errors = w->errors;
        rc = line->declare(w, l);
    }
    if ( rc != -ENOMEM )
        tt_lex_skip_line(l);
    l->errors = NULL;
    return rc;
}

static int take_event(struct tt_written *w, struct tt_lex *l)
{
    const struct declaration *line = find_declaration(l);
    int rc = 0;

    assert(!tt_lex_at_line_end(l));
    l->errors = line ? NULL : w->errors;
    if ( line )
        line->pass(w, l);
    else
        rc = tt_syntax_event(w, l);
    if ( rc != -ENOMEM )
        tt_lex_skip_line(l);
    l->errors = w->errors;
    return rc;
}

static int read_lines(struct tt_written *w, struct tt_lex *l,
                      int (*take)(struct tt_written *w, struct tt_lex *l))
{
    int rc = 0;

    w->class = 0;
    while ( l->token.kind != TT_END && rc != -ENOMEM )
    {
        if ( l->token.kind != TT_NEWLINE )
            rc = take(w, l);
        if ( l->token.kind == TT_NEWLINE )
            tt_lex_next(l);
    }
    return rc == -ENOMEM ? rc : 0;
}

int tt_syntax_declarations(struct tt_written *w,
                           const struct tt_source *source)
{
    struct tt_lex l;

    tt_lex_init(&l, source, NULL);
    return read_lines(w, &l, declare_words);
}

int tt_syntax_events(struct tt_written *w, const struct tt_source *source)
{
    struct tt_lex l;

    assert(w->event);
    tt_lex_init(&l, source, w->errors);
    return read_lines(w, &l, take_event);
}
