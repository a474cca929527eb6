/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From bytes to tokens.  The cursor always has one token in hand; what is
 * wrong with the bytes themselves it complains of by itself, and hands out
 * TT_BAD, of which nobody complains again.
 *
 * Tokens point into the file's text, which outlives them.
 */
#ifndef TRACETOOL_LEX_H
#define TRACETOOL_LEX_H

#include <string.h>

#include "tracetool/errors.h"

enum tt_token_kind
{
    TT_END,                     /* of the file */
    TT_NEWLINE,
    TT_WORD,                    /* letters, digits, _: names and numbers */
    TT_LITERAL,                 /* "...": text is what is between the quotes */
    TT_MARK,                    /* any one of ( ) [ ] , * : @ ? = . */
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
    struct tt_token token;      /* in hand */
    const char *at, *end;       /* what comes behind it */
    const char *line_start;
    struct tt_place line;       /* its column is not kept */
    struct tt_errors *errors;   /* NULL: of nothing, for now */
};

/* Takes the first token in hand. */
void tt_lex_init(struct tt_lex *l, const struct tt_source *source,
                 struct tt_errors *errors);

void tt_lex_next(struct tt_lex *l);

/* To the token that ends this line (TT_NEWLINE, TT_END); no complaints. */
void tt_lex_skip_line(struct tt_lex *l);

/*
 * Is the token just this word?  The first letter decides most of the time, and
 * this is asked all the time.
 */
static inline bool tt_token_is(const struct tt_token *t, const char *word)
{
    return t->kind == TT_WORD && *t->text == *word &&
           t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

/* Is that mark, or word, in hand? */
bool tt_lex_is_mark(const struct tt_lex *l, char mark);
bool tt_lex_is_word(const struct tt_lex *l, const char *word);
bool tt_lex_at_line_end(const struct tt_lex *l);

/* Is that mark the next byte behind the token in hand, blanks aside? */
bool tt_lex_before_mark(const struct tt_lex *l, char mark);
bool tt_lex_before_word(const struct tt_lex *l);

/* Is there such a mark from the token in hand to the first string? */
bool tt_lex_line_has(const struct tt_lex *l, char mark);

/* If the mark is in hand, go on behind it. */
bool tt_lex_take_mark(struct tt_lex *l, char mark);

/* What is in hand, for "..., not `%s'": a short printable text. */
#define TT_SHOWN 40
const char *tt_lex_show(const struct tt_lex *l, char text[TT_SHOWN]);

/* The token in hand is not what may stand here; says so unless TT_BAD. */
void tt_lex_expected(struct tt_lex *l, const char *what);

#endif /* TRACETOOL_LEX_H */
