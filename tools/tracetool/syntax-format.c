/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format of an event: literals, macros, brackets.
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "tracetool/literal.h"

static int add_chunk(struct tt_written *w, struct tt_lex *l, unsigned int kind,
                     const char *text, size_t length)
{
    struct tt_chunk *new = tt_vec_add(w->arena, &w->chunks, sizeof(*new));

    if ( !new )
        return -ENOMEM;
    *new = (struct tt_chunk){ .kind = kind, .text = text,
                              .end = text + length, .token = l->token };
    tt_lex_next(l);
    return 0;
}

static int add_macro(struct tt_written *w, struct tt_lex *l)
{
    const char *text = tt_literal_macro(l->token.text, l->token.length);
    char shown[TT_SHOWN];

    if ( text )
        return add_chunk(w, l, TT_CHUNK_MACRO, text, strlen(text));
    tt_errors_add(l->errors, &l->token.at, "%s is neither a string "
                  "nor a macro of <inttypes.h>: write the format as in "
                  "\"at 0x%%\" PRIx64", tt_lex_show(l, shown));
    return -EINVAL;
}

struct groups
{
    unsigned int nr;
    bool open;
};

static int add_bracket(struct tt_written *w, struct tt_lex *l,
                       struct groups *g)
{
    bool opens = tt_lex_is_mark(l, '[');

    assert(g->nr <= TT_MAX_GROUPS);
    if ( opens == g->open )
    {
        tt_errors_add(l->errors, &l->token.at, opens ?
                      "a '[' inside of [ ]: close the first before" :
                      "this ']' closes nothing: take it out");
        return -EINVAL;
    }
    if ( opens && ++g->nr > TT_MAX_GROUPS )
    {
        tt_errors_add(l->errors, &l->token.at, "more than %u [ ] in a "
                      "format: join some", TT_MAX_GROUPS);
        return -EINVAL;
    }
    g->open = opens;
    return add_chunk(w, l, opens ? TT_CHUNK_OPEN : TT_CHUNK_CLOSE, "", 0);
}

static int parse_piece(struct tt_written *w, struct tt_lex *l,
                       struct groups *g)
{
    if ( l->token.kind == TT_LITERAL )
        return add_chunk(w, l, TT_CHUNK_LITERAL, l->token.text,
                         l->token.length);
    if ( l->token.kind == TT_WORD )
        return add_macro(w, l);
    if ( tt_lex_is_mark(l, '[') || tt_lex_is_mark(l, ']') )
        return add_bracket(w, l, g);
    if ( tt_lex_is_mark(l, ',') )
    {
        tt_errors_add(l->errors, &l->token.at, "an event has one "
                      "format: leave out the comma, strings side by side "
                      "are joined");
        return -EINVAL;
    }
    tt_lex_expected(l, "a \"format\" or the end of the line");
    return -EINVAL;
}

int tt_syntax_format(struct tt_written *w, struct tt_written_event *e,
                     struct tt_lex *l)
{
    struct groups groups = { .nr = 0 };
    int rc = 0;

    assert(!e->nr_chunks);
    w->chunks.nr = 0;
    while ( !rc && !tt_lex_at_line_end(l) )
        rc = parse_piece(w, l, &groups);
    if ( !rc && groups.open )
    {
        tt_lex_expected(l, "a ']' that closes the '[' of the format");
        rc = -EINVAL;
    }
    if ( rc )
        return rc;
    e->nr_chunks = w->chunks.nr;
    e->chunks = w->chunks.items;
    return 0;
}
