/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a file as they are written, before anybody asks whether they
 * make sense together: words that are declared elsewhere are still text, and
 * families are not expanded.  Syntax is judged here, meaning in event.c.
 */
#ifndef TRACETOOL_SYNTAX_H
#define TRACETOOL_SYNTAX_H

#include "tracetool/ctype.h"
#include "tracetool/vec.h"

/* Arguments of one event as written; more than 7 words can need. */
#define TT_MAX_WRITTEN 64u
#define TT_MAX_GROUPS 32u       /* [ ] in one format */
#define TT_MAX_VALUES 1024u     /* of an enum */

struct tt_written_arg
{
    struct tt_place at;         /* of its first word */
    struct tt_place name_at;
    const char *name;           /* NULL: padding */
    const char *sem;            /* NULL: none */
    struct tt_ctype type;
    struct tt_place bits_at;    /* of the number behind ':' */
    bool has_bits, in_id, optional;
    uint64_t bits, shift;
    const char *present;        /* name behind '?', or NULL */
    struct tt_place present_at;
};

/* A piece of a format; text and end lie in the file, but of a macro's. */
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
    struct tt_place at;         /* of its name */
    struct tt_place props_at;   /* of its first word */
    const char *name;
    unsigned int props;         /* enum tt_prop */
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
    struct arena *arena;        /* of what the model keeps, too */
    struct tt_errors *errors;
    struct tt_vec classes;      /* struct tt_class */
    struct tt_vec sems;         /* struct tt_sem */
    size_t class;               /* that rules here: index + 1, or 0 */
    /* Of the event at hand, and only as long as it is. */
    struct tt_written_arg args[TT_MAX_WRITTEN];
    struct tt_vec chunks;
    /* What becomes of an event.  0 or -ENOMEM. */
    int (*event)(void *ctx, const struct tt_written_event *e);
    void *ctx;
};

/*
 * A file is read twice: first what it declares, then its events, each of
 * which goes to w->event at once.  So words may be used above the line that
 * declares them, and no event has to be kept as it is written.
 *
 * 0 or -ENOMEM; what is wrong is complained of.
 */
int tt_syntax_declarations(struct tt_written *w,
                           const struct tt_source *source);
int tt_syntax_events(struct tt_written *w, const struct tt_source *source);

/* Between the files of this half. */

/* One line or block; the token in hand is its first.  0, -EINVAL, -ENOMEM. */
int tt_syntax_event(struct tt_written *w, struct tt_lex *l);

/* To the end of a block that was declared in the first reading. */
void tt_syntax_skip_block(struct tt_lex *l);

/* The class that was declared or resumed here rules again. */
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
 * Pieces of lines; what stands there instead is complained of: -EINVAL.
 * `what` says what is wanted: "a number", "')' behind the arguments".
 */
int tt_syntax_word(struct tt_written *w, struct tt_lex *l, const char **word,
                   const char *what);
int tt_syntax_string(struct tt_written *w, struct tt_lex *l,
                     const char **text, const char *what);
int tt_syntax_number(struct tt_lex *l, uint64_t *value, const char *what);
int tt_syntax_mark(struct tt_lex *l, char mark, const char *what);
int tt_syntax_line_end(struct tt_lex *l);

#endif /* TRACETOOL_SYNTAX_H */
