/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first byte of a token determines its kind: a table has the class of each
 * byte, and each class has a function.  Bytes at or behind `end` are never
 * read.  A token never spans lines; a backslash at the end of a line counts as
 * a blank.
 */
#include "tracetool/lex.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum byte_class { BAD, BLANK, NEWLINE, LETTER, QUOTE, MARK, BACKSLASH };

static const unsigned char class_of[256] = {
    ['\t'] = BLANK, [' '] = BLANK, ['\n'] = NEWLINE, ['\r'] = NEWLINE,
    ['0' ... '9'] = LETTER, ['A' ... 'Z'] = LETTER, ['a' ... 'z'] = LETTER,
    ['_'] = LETTER, ['"'] = QUOTE, ['\\'] = BACKSLASH,
    ['('] = MARK, [')'] = MARK, ['['] = MARK, [']'] = MARK, [','] = MARK,
    ['*'] = MARK, [':'] = MARK, ['@'] = MARK, ['?'] = MARK, ['='] = MARK,
    ['.'] = MARK,
};

static enum byte_class get_class(const char *at)
{
    return class_of[(unsigned char)*at];
}

/* Length of a line end, "\n" or "\r\n"; 0: no line end. */
static size_t is_newline(const char *at, const char *end)
{
    if ( at < end && *at == '\n' )
        return 1;
    return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* Length of a backslash and the line end behind it; 0: none. */
static size_t is_continuation(const char *at, const char *end)
{
    size_t n = at < end && *at == '\\' ? is_newline(at + 1, end) : 0;

    return n ? n + 1 : 0;
}

static const char *skip_to_text(const char *at, const char *end)
{
    size_t n;

    assert(at <= end);
    for ( ; at < end; at += n )
    {
        n = get_class(at) == BLANK ? 1 : is_continuation(at, end);
        if ( !n )
            break;
    }
    return at;
}

static void begin_line(struct tt_lex *l, const char *start)
{
    assert(l->line_start <= start);
    assert(start <= l->end);
    l->line_start = start;
    l->line.line++;
}

/* Like skip_to_text(), and counts lines. */
static void skip_blanks(struct tt_lex *l)
{
    const char *to = skip_to_text(l->at, l->end);

    for ( ; l->at < to; l->at++ )
        if ( *l->at == '\n' )
            begin_line(l, l->at + 1);
}

static void skip_comment(struct tt_lex *l)
{
    const char *newline;

    assert(l->line_start <= l->at);
    if ( l->at == l->end || *l->at != '#' ||
         skip_to_text(l->line_start, l->end) != l->at )
        return;
    newline = memchr(l->at, '\n', l->end - l->at);
    l->at = newline ? newline : l->end;
}

/* End the token at l->at. */
static void finish_token(struct tt_lex *l, enum tt_token_kind kind)
{
    assert(l->token.text <= l->at && l->at <= l->end);
    l->token.kind = kind;
    l->token.length = l->at - l->token.text;
}

static void report_bad(struct tt_lex *l, const struct tt_place *at,
                       const char *text)
{
    finish_token(l, TT_BAD);
    tt_errors_add(l->errors, at, "%s", text);
}

static void take_end(struct tt_lex *l)
{
    assert(l->at == l->end);
    if ( l->at != l->line_start )
        tt_errors_add(l->errors, &l->token.at,
                      "the last line does not end: add a newline, or the "
                      "file behind it becomes part of it where such files "
                      "are joined");
    l->line_start = l->at;      /* count this line once */
    finish_token(l, TT_END);
}

static void take_bad(struct tt_lex *l)
{
    unsigned char byte;

    assert(l->at < l->end);
    byte = *l->at++;
    finish_token(l, TT_BAD);
    if ( byte == '\0' )
        tt_errors_add(l->errors, &l->token.at,
                      "a NUL byte: this is no text file, or a damaged one");
    else if ( byte == '#' )
        tt_errors_add(l->errors, &l->token.at,
                      "a comment has a line of its own: move it above");
    else if ( byte > ' ' && byte < 0x7f )
        tt_errors_add(l->errors, &l->token.at,
                      "'%c' means nothing outside of a \"string\": take "
                      "it out", byte);
    else
        tt_errors_add(l->errors, &l->token.at,
                      "byte 0x%02x means nothing outside of a \"string\": "
                      "take it out", byte);
}

static void take_newline(struct tt_lex *l)
{
    size_t n = is_newline(l->at, l->end);

    if ( !n )
    {
        l->at++;
        report_bad(l, &l->token.at, "a carriage return inside of a line: end "
                   "lines with a newline");
        return;
    }
    l->at += n;
    finish_token(l, TT_NEWLINE);
    begin_line(l, l->at);
}

static void take_word(struct tt_lex *l)
{
    assert(l->at < l->end);
    do
        l->at++;
    while ( l->at < l->end && get_class(l->at) == LETTER );
    finish_token(l, TT_WORD);
}

static void take_literal(struct tt_lex *l)
{
    bool escaped = false;

    assert(*l->at == '"');
    l->token.text = ++l->at;
    for ( ; l->at < l->end; l->at++ )
    {
        if ( *l->at == '\n' || *l->at == '\r' || *l->at == '\0' )
            break;
        if ( *l->at == '"' && !escaped )
        {
            finish_token(l, TT_LITERAL);
            l->at++;
            return;
        }
        escaped = *l->at == '\\' && !escaped;
    }
    report_bad(l, &l->token.at, l->at == l->end || is_newline(l->at, l->end) ?
               "this string does not end on its line: close it with \", and "
               "open it again on the next" :
               "a NUL byte or a carriage return in this string: take it out");
}

static void take_mark(struct tt_lex *l)
{
    assert(l->at < l->end);
    l->at++;
    finish_token(l, TT_MARK);
}

static void take_backslash(struct tt_lex *l)
{
    assert(*l->at == '\\');
    l->at++;
    report_bad(l, &l->token.at, "a \\ outside of a string must be the last "
               "byte of its line: take out what is behind it");
}

void tt_lex_next(struct tt_lex *l)
{
    static void (*const take[])(struct tt_lex *l) = {
        [BAD] = take_bad, [NEWLINE] = take_newline, [LETTER] = take_word,
        [QUOTE] = take_literal, [MARK] = take_mark,
        [BACKSLASH] = take_backslash,
    };

    assert(l->at <= l->end);
    skip_blanks(l);
    skip_comment(l);
    assert(l->line_start <= l->at && l->at <= l->end);
    l->token.text = l->at;
    l->token.at = l->line;
    l->token.at.column = l->at - l->line_start + 1;
    if ( l->at == l->end )
        take_end(l);
    else
        take[get_class(l->at)](l);
}

void tt_lex_init(struct tt_lex *l, const struct tt_source *source,
                 struct tt_errors *errors)
{
    assert(source->name && (source->text || !source->length));
    *l = (struct tt_lex){
        .at = source->text, .end = source->text + source->length,
        .line_start = source->text, .errors = errors,
        .line = { .file = source->name, .line = 1 },
    };
    tt_lex_next(l);
}

/* The line end of the current line, or of a line joined to it. */
static const char *find_line_end(struct tt_lex *l)
{
    const char *newline, *end;

    for ( ;; )
    {
        newline = memchr(l->at, '\n', l->end - l->at);
        if ( !newline )
            return l->end;
        end = newline - (newline > l->at && newline[-1] == '\r');
        if ( end == l->at || end[-1] != '\\' )
            return end;
        l->at = newline + 1;
        begin_line(l, l->at);
    }
}

void tt_lex_skip_line(struct tt_lex *l)
{
    if ( tt_lex_at_line_end(l) )
        return;
    l->at = find_line_end(l);
    tt_lex_next(l);
}

bool tt_lex_at_line_end(const struct tt_lex *l)
{
    return l->token.kind == TT_NEWLINE || l->token.kind == TT_END;
}

bool tt_lex_is_mark(const struct tt_lex *l, char mark)
{
    return l->token.kind == TT_MARK && *l->token.text == mark;
}

bool tt_lex_is_word(const struct tt_lex *l, const char *word)
{
    return tt_token_is(&l->token, word);
}

bool tt_lex_before_mark(const struct tt_lex *l, char mark)
{
    const char *at = skip_to_text(l->at, l->end);

    return at < l->end && *at == mark;
}

bool tt_lex_line_has(const struct tt_lex *l, char mark)
{
    const char *at = l->token.text;
    size_t n;

    while ( at < l->end && *at != mark && *at != '"' &&
            !is_newline(at, l->end) )
    {
        n = is_continuation(at, l->end);
        at += n ? n : 1;
    }
    return at < l->end && *at == mark;
}

bool tt_lex_before_word(const struct tt_lex *l)
{
    const char *at = skip_to_text(l->at, l->end);

    return at < l->end && get_class(at) == LETTER;
}

bool tt_lex_take_mark(struct tt_lex *l, char mark)
{
    if ( !tt_lex_is_mark(l, mark) )
        return false;
    tt_lex_next(l);
    return true;
}

const char *tt_lex_show(const struct tt_lex *l, char text[TT_SHOWN])
{
    const struct tt_token *t = &l->token;

    assert(t->text <= l->end && t->length <= (size_t)(l->end - t->text));
    if ( tt_lex_at_line_end(l) )
        snprintf(text, TT_SHOWN, "the end of the line");
    else if ( t->kind == TT_LITERAL )
        snprintf(text, TT_SHOWN, "a string");
    else
        snprintf(text, TT_SHOWN, "'%.*s'", (int)(t->length < 30 ? t->length :
                                                 30), t->text);
    return text;
}

void tt_lex_expected(struct tt_lex *l, const char *what)
{
    char text[TT_SHOWN];

    assert(what);
    if ( l->token.kind != TT_BAD )
        tt_errors_add(l->errors, &l->token.at, "%s expected, not %s",
                      what, tt_lex_show(l, text));
}
