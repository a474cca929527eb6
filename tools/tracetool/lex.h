/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From bytes to tokens.  The lexer always has a current token.  Invalid bytes
 * are reported by the lexer, and the token is TT_BAD; callers report no further
 * error about such a token.
 *
 * Tokens point into the file's text, which outlives them.
 */
#ifndef TRACETOOL_LEX_H
#define TRACETOOL_LEX_H

#include <string.h>

#include "tracetool/errors.h"

enum tt_token_kind
{
    TT_END,                     /* end of the file */
    TT_NEWLINE,
    TT_WORD,                    /* letters, digits, "_": names and numbers */
    TT_LITERAL,                 /* "...": text is between the quotes */
    TT_MARK,                    /* a byte out of ( ) [ ] , * : @ ? = . */
    TT_BAD,
};

struct tt_token
{
    enum tt_token_kind kind;
    const char *text;
    size_t length;
    struct tt_place at;
};

struct tt_lex
{
    struct tt_token token;      /* current token */
    const char *at, *end;       /* text behind the token */
    const char *line_start;
    struct tt_place line;       /* without a column */
    struct tt_errors *errors;   /* NULL: errors are ignored */
};

/* Begin at the first token. */
void tt_lex_init(struct tt_lex *l, const struct tt_source *source,
                 struct tt_errors *errors);

void tt_lex_next(struct tt_lex *l);

/* Move to the end of the line (TT_NEWLINE, TT_END), without errors. */
void tt_lex_skip_line(struct tt_lex *l);

/*
 * True if the token is this word.  A hot function: most comparisons end at the
 * first letter.
 */
static inline bool tt_token_is(const struct tt_token *t, const char *word)
{
    return t->kind == TT_WORD && *t->text == *word &&
           t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

/* True if the current token is this mark, or word. */
bool tt_lex_is_mark(const struct tt_lex *l, char mark);
bool tt_lex_is_word(const struct tt_lex *l, const char *word);
bool tt_lex_at_line_end(const struct tt_lex *l);

/* True if this mark follows the current token, after blanks. */
bool tt_lex_before_mark(const struct tt_lex *l, char mark);
bool tt_lex_before_word(const struct tt_lex *l);

/* True if this mark occurs before the first string of the line. */
bool tt_lex_line_has(const struct tt_lex *l, char mark);

/* Skip the mark if it is the current token; true if so. */
bool tt_lex_take_mark(struct tt_lex *l, char mark);

/* The current token for "..., not `%s'": a short printable text. */
#define TT_SHOWN 40
const char *tt_lex_show(const struct tt_lex *l, char text[TT_SHOWN]);

/* Report that the current token is not `what`, unless TT_BAD. */
void tt_lex_expected(struct tt_lex *l, const char *what);

#endif /* TRACETOOL_LEX_H */
