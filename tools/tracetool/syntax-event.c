/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of an event:
 *
 *     { property } NAME "(" arguments ")" [ format ]
 */
#include "tracetool/syntax.h"

#include <assert.h>
#include <errno.h>

static int parse_rest(struct tt_written *w, struct tt_written_event *e,
                      struct tt_lex *l)
{
    int rc;

    assert(w->class <= w->classes.nr);
    e->at = l->token.at;
    e->class = w->class;
    rc = tt_syntax_word(w, l, &e->name, "the name of an event");
    if ( !rc )
        rc = tt_syntax_mark(l, '(', "'(' and the arguments (or 'void') behind "
                            "the name");
    if ( !rc )
        rc = tt_syntax_args(w, e, l);
    if ( !rc )
        rc = tt_syntax_mark(l, ')', "',' or ')' behind the argument");
    return rc ? rc : tt_syntax_format(w, e, l);
}

int tt_syntax_event(struct tt_written *w, struct tt_lex *l)
{
    struct tt_written_event e = { .props_at = l->token.at };
    int before, rc;

    assert(w->event && !tt_lex_at_line_end(l));
    if ( l->token.kind == TT_WORD && !tt_lex_line_has(l, '(') )
    {
        tt_errors_add(w->errors, &l->token.at, "an event has its "
                      "arguments in parentheses, and here is no '(': "
                      "write it as in NAME(int a) or NAME(void)");
        return -EINVAL;
    }
    /* After bad properties, check the rest of the line as well. */
    before = tt_syntax_props(&e, l);
    if ( before && !tt_lex_before_mark(l, '(') )
        return before;
    rc = parse_rest(w, &e, l);
    if ( rc || before )
        return rc ? rc : before;
    return w->event(w->ctx, &e);
}
