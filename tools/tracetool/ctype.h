/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C types of arguments: standard types, types of fixed width, pointers; and
 * types whose width depends on the family (trace-events(5)).
 */
#ifndef TRACETOOL_CTYPE_H
#define TRACETOOL_CTYPE_H

#include "tracetool/lex.h"

/* The type of a printf argument after promotion. */
enum tt_rank { TT_RANK_INT, TT_RANK_LONG, TT_RANK_LLONG, TT_RANK_POINTER,
               TT_RANK_CHARS, TT_RANK_NONE };

#define TT_RANK_OF(type)                                                \
    _Generic((type)0, long: TT_RANK_LONG, unsigned long: TT_RANK_LONG,  \
             long long: TT_RANK_LLONG,                                  \
             unsigned long long: TT_RANK_LLONG, default: TT_RANK_INT)

struct tt_ctype
{
    const char *text;           /* normalized: single blanks, no comments */
    enum tt_kind kind;
    enum tt_rank rank;
    bool is_signed;
    bool fixed;                 /* int8_t ... uint64_t: the same everywhere */
    uint8_t width;              /* as in struct tt_arg; 0 for pointers */
    const char *advice;         /* conversion: "%d", "%\" PRI*64"; * is d,x.. */
    const struct tt_sized *sized;   /* a family's type, or NULL */
};

/* A type whose width depends on the family. */
struct tt_sized
{
    const char *name;
    bool by_levels;             /* family=levels, else family=64 */
    uint8_t width[3];           /* per member, in order */
};

#define TT_MAX_TYPE_WORDS 12u

struct tt_type_words
{
    struct tt_token word[TT_MAX_TYPE_WORDS];    /* TT_WORD and '*' */
    size_t nr;
};

/* True if the word may be part of a type. */
bool tt_ctype_has_word(const struct tt_token *word);

/*
 * The type that consists of these words.  0; -EINVAL: no type, the error is
 * reported; -ENOMEM.
 */
int tt_ctype_make(struct tt_ctype *type, const struct tt_type_words *words,
                  struct arena *a, struct tt_errors *c);

/* uint32_t or uint64_t, for a type of a family with this width. */
const char *tt_ctype_unsigned(unsigned int width);

#endif /* TRACETOOL_CTYPE_H */
