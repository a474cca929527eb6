/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The syntax of lines, before semantic checks: declared words are still text,
 * and families are not expanded.  event.c checks the meaning.
 */
#ifndef TRACETOOL_SYNTAX_H
#define TRACETOOL_SYNTAX_H

#include "tracetool/ctype.h"
#include "tracetool/vec.h"

/* Maximum of written arguments; more than 7 payload words can use. */
#define TT_MAX_WRITTEN 64u
#define TT_MAX_GROUPS 32u       /* number of [ ] in a format */
#define TT_MAX_VALUES 1024u     /* values of an enum */

struct tt_written_arg
{
    struct tt_place at;         /* place of the first word */
    struct tt_place name_at;
    const char *name;           /* NULL: padding */
    const char *sem;            /* NULL: none */
    struct tt_ctype type;
    struct tt_place bits_at;    /* place of the number behind ':' */
    bool has_bits, in_id, optional;
    uint64_t bits, shift;
    const char *present;        /* name behind '?', or NULL */
    struct tt_place present_at;
};

/* A chunk of a format; text is in the file, unless it is a macro. */
struct tt_chunk
{
    enum { TT_CHUNK_LITERAL, TT_CHUNK_MACRO, TT_CHUNK_OPEN,
           TT_CHUNK_CLOSE } kind;
    const char *text, *end;     /* between the quotes; or the expansion */
    struct tt_token token;
};

enum tt_prop
{
    TT_PROP_DISABLE = 1, TT_PROP_VCPU = 2, TT_PROP_ID = 4,
    TT_PROP_NOTIME = 8, TT_PROP_UNUSED = 16, TT_PROP_PRIVATE = 32,
    TT_PROP_FAMILY = 64, TT_PROP_SINCE = 128, TT_PROP_UNTIL = 256,
};

enum tt_family { TT_FAMILY_64 = 1, TT_FAMILY_LEVELS = 2,
                 TT_FAMILY_NESTED = 4 };

struct tt_written_event
{
    struct tt_place at;         /* place of its name */
    struct tt_place props_at;   /* place of the first word */
    const char *name;
    unsigned int props;         /* bits of enum tt_prop */
    unsigned int family;        /* enum tt_family */
    uint64_t id;
    struct tt_place id_at;
    uint16_t since, until;
    size_t class;               /* index + 1; 0: none */
    const struct tt_written_arg *args;
    size_t nr_args;
    const struct tt_chunk *chunks;
    size_t nr_chunks;
};

struct tt_written
{
    struct arena *arena;        /* also for objects of the model */
    struct tt_errors *errors;
    struct tt_vec classes;      /* struct tt_class */
    struct tt_vec sems;         /* struct tt_sem */
    size_t class;               /* current class: index + 1, or 0 */
    /* Scratch for the current event. */
    struct tt_written_arg args[TT_MAX_WRITTEN];
    struct tt_vec chunks;
    /* Handler of events.  0 or -ENOMEM. */
    int (*event)(void *ctx, const struct tt_written_event *e);
    void *ctx;
};

/*
 * A file is parsed twice: first its declarations, then its events, each of
 * which is passed to w->event.  So words may be used before their declaration,
 * and the syntax of events need not be stored.
 *
 * 0 or -ENOMEM; errors are reported.
 */
int tt_syntax_declarations(struct tt_written *w,
                           const struct tt_source *source);
int tt_syntax_events(struct tt_written *w, const struct tt_source *source);

/* Functions that the files syntax-*.c share. */

/* Parse a line or block from the current token on.  0, -EINVAL, -ENOMEM. */
int tt_syntax_event(struct tt_written *w, struct tt_lex *l);

/* Skip a block that the first pass has parsed. */
void tt_syntax_skip_block(struct tt_lex *l);

/* Select the class of this line again, in the second pass. */
void tt_syntax_enter_class(struct tt_written *w, struct tt_lex *l);
int tt_syntax_class(struct tt_written *w, struct tt_lex *l);
int tt_syntax_type(struct tt_written *w, struct tt_lex *l);
int tt_syntax_enum(struct tt_written *w, struct tt_lex *l);
int tt_syntax_flags(struct tt_written *w, struct tt_lex *l);

int tt_syntax_props(struct tt_written_event *e, struct tt_lex *l);
int tt_syntax_args(struct tt_written *w, struct tt_written_event *e,
                   struct tt_lex *l);
int tt_syntax_format(struct tt_written *w, struct tt_written_event *e,
                     struct tt_lex *l);

/*
 * Parse a part of a line; a different token is reported: -EINVAL.  `what` is
 * the expected text: "a number", "')' behind the arguments".
 */
int tt_syntax_word(struct tt_written *w, struct tt_lex *l, const char **word,
                   const char *what);
int tt_syntax_string(struct tt_written *w, struct tt_lex *l,
                     const char **text, const char *what);
int tt_syntax_number(struct tt_lex *l, uint64_t *value, const char *what);
int tt_syntax_mark(struct tt_lex *l, char mark, const char *what);
int tt_syntax_line_end(struct tt_lex *l);

#endif /* TRACETOOL_SYNTAX_H */
