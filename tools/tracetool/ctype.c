/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a C type may have any order ("long unsigned int"), so the parser
 * counts the words, and looks up the counts.  A type is a base (a row of
 * `bases`, with the allowed modifiers) and stars.
 */
#include "tracetool/ctype.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

enum modifier { CONST = 1, UNSIGNED = 2, SIGNED = 4, SHORT = 8, LONG = 16,
                LONGLONG = 32, INT = 64, CHAR = 128 };

#define SIGNS (UNSIGNED | SIGNED)

static const struct { const char *name; unsigned int bit; } modifiers[] = {
    { "const", CONST }, { "unsigned", UNSIGNED }, { "signed", SIGNED },
    { "short", SHORT }, { "long", LONG }, { "int", INT }, { "char", CHAR },
};

/* Types of one word besides const. */
#define FIXED(width)                                                    \
    { "uint" #width "_t", TT_INTEGER, TT_RANK_OF(uint##width##_t),      \
      false, true, width, width == 64 ? "\"%\" PRI*64" : "%*", NULL },  \
    { "int" #width "_t", TT_INTEGER, TT_RANK_OF(int##width##_t),        \
      true, true, width, width == 64 ? "\"%\" PRI*64" : "%*", NULL }
#define ABI(type, sign, advice)                                         \
    { #type, TT_INTEGER, TT_RANK_OF(type), sign, false, 0, advice, NULL }
#define SIZED(row)                                                      \
    { NULL, TT_INTEGER, TT_RANK_LLONG, false, true, 64, "%ll*", &(row) }

static const struct tt_sized sized[] = {
    { "reg_t", false, { 32, 64 } },
    { "gva_t", true, { 32, 32, 64 } },
    { "gl1e_t", true, { 32, 64, 64 } },
    { "gfn_t", true, { 32, 64, 64 } },
};

static const struct base
{
    const char *name;
    enum tt_kind kind;
    enum tt_rank rank;
    bool is_signed, fixed;
    uint8_t width;
    const char *advice;
    const struct tt_sized *sized;
} bases[] = {
    FIXED(64), FIXED(32), FIXED(16), FIXED(8),
    { "bool", TT_BOOL, TT_RANK_INT, false, false, 8, "%d", NULL },
    { "void", TT_POINTER, TT_RANK_NONE, false, false, 0, "%p", NULL },
    ABI(size_t, false, "%z*"), ABI(ssize_t, true, "%z*"),
    ABI(uintptr_t, false, "\"%\" PRI*PTR"),
    ABI(intptr_t, true, "\"%\" PRI*PTR"), ABI(ptrdiff_t, true, "%t*"),
    SIZED(sized[0]), SIZED(sized[1]), SIZED(sized[2]), SIZED(sized[3]),
};

/* Types of modifiers only: `needs`, plus signs and "int". */
static const struct plain
{
    unsigned int needs, may;
    bool is_signed;
    struct base base;
} plains[] = {
    { CHAR, SIGNS, CHAR_MIN < 0,
      { NULL, TT_INTEGER, TT_RANK_INT, true, false, 8, "%*", NULL } },
    { SHORT, SIGNS | INT, true,
      { NULL, TT_INTEGER, TT_RANK_INT, true, false, 16, "%*", NULL } },
    { LONGLONG, SIGNS | INT, true,
      { NULL, TT_INTEGER, TT_RANK_LLONG, true, false, 64, "%ll*", NULL } },
    { LONG, SIGNS | INT, true,
      { NULL, TT_INTEGER, TT_RANK_LONG, true, false, 0, "%l*", NULL } },
    { INT, SIGNS, true,
      { NULL, TT_INTEGER, TT_RANK_INT, true, false, 32, "%*", NULL } },
    { SIGNED, 0, true,
      { NULL, TT_INTEGER, TT_RANK_INT, true, false, 32, "%*", NULL } },
    { UNSIGNED, 0, false,
      { NULL, TT_INTEGER, TT_RANK_INT, true, false, 32, "%*", NULL } },
};

#define NR(table) (sizeof(table) / sizeof((table)[0]))

static unsigned int find_modifier(const struct tt_token *t)
{
    size_t i;

    for ( i = 0; i < NR(modifiers); i++ )
        if ( tt_token_is(t, modifiers[i].name) )
            return modifiers[i].bit;
    return 0;
}

static const struct base *find_base(const struct tt_token *t)
{
    size_t i;

    for ( i = 0; i < NR(bases); i++ )
        if ( tt_token_is(t, bases[i].sized ? bases[i].sized->name :
                     bases[i].name) )
            return &bases[i];
    return NULL;
}

bool tt_ctype_has_word(const struct tt_token *word)
{
    return find_modifier(word) || find_base(word);
}

/* The words of a type, counted. */
struct count
{
    unsigned int has;           /* modifiers */
    const struct base *base;
    size_t stars;
    bool twice;                 /* a word that C allows once */
};

static int count_word(struct count *n, const struct tt_token *t,
                      struct tt_errors *c)
{
    unsigned int bit = find_modifier(t);
    const struct base *base = bit ? NULL : find_base(t);

    assert(t->kind == TT_WORD || t->kind == TT_MARK);
    if ( t->kind == TT_MARK )
        n->stars++;
    else if ( bit == LONG && n->has & (LONG | LONGLONG) )
    {
        n->twice |= (n->has & LONGLONG) != 0;
        n->has = (n->has & ~LONG) | LONGLONG;
    }
    else if ( bit )
    {
        n->twice |= bit != CONST && (n->has & bit);
        n->has |= bit;
    }
    else if ( base )
    {
        n->twice |= n->base != NULL;
        n->base = base;
    }
    else
    {
        tt_errors_add(c, &t->at, "type '%.*s' is not known here: take a "
                      "standard C type, a fixed-width integer, or 'void "
                      "*' for any pointer",
                      (int)(t->length < 40 ? t->length : 40), t->text);
        return -EINVAL;
    }
    return 0;
}

static bool row_fits(const struct plain *p, unsigned int has)
{
    return (has & p->needs) && !(has & ~(p->needs | p->may)) &&
           (has & SIGNS) != SIGNS;
}

/* The base and *is_signed; or NULL. */
static const struct base *resolve_type(const struct count *n, bool *is_signed)
{
    unsigned int has = n->has & ~CONST;
    size_t i;

    if ( n->twice || (n->base && has) )
        return NULL;
    if ( n->base )
    {
        *is_signed = n->base->is_signed;
        return n->base;
    }
    for ( i = 0; i < NR(plains); i++ )
        if ( row_fits(&plains[i], has) )
        {
            *is_signed = has & UNSIGNED ? false :
                         has & SIGNED ? true : plains[i].is_signed;
            return &plains[i].base;
        }
    return NULL;
}

static const char *join_words(const struct tt_type_words *words,
                              struct arena *a)
{
    size_t i, size = 1;
    char *text, *at;

    for ( i = 0; i < words->nr; i++ )
        size += words->word[i].length + 1;
    at = text = arena_alloc(a, size, 1);
    if ( !text )
        return NULL;
    for ( i = 0; i < words->nr; i++ )
    {
        /* "char **", the usual spelling */
        if ( i && (*words->word[i].text != '*' || at[-1] != '*') )
            *at++ = ' ';
        memcpy(at, words->word[i].text, words->word[i].length);
        at += words->word[i].length;
    }
    assert((size_t)(at - text) < size);
    *at = '\0';
    return text;
}

/* A char for printf, even if QEMU's rule treats it as a pointer. */
static bool is_character(const struct tt_ctype *type)
{
    return type->kind == TT_INTEGER && type->width == 8;
}

static void add_stars(struct tt_ctype *type, const struct count *n)
{
    bool is_char = is_character(type) && n->stars == 1;
    bool plain = (n->has & CHAR) && !(n->has & SIGNS);

    type->kind = is_char && plain ? TT_STRING : TT_POINTER;
    type->rank = is_char ? TT_RANK_CHARS : TT_RANK_POINTER;
    type->advice = type->kind == TT_STRING ? "%s" : "%p";
    type->is_signed = type->fixed = false;
    type->width = 0;
    type->sized = NULL;
}

int tt_ctype_make(struct tt_ctype *type, const struct tt_type_words *words,
                  struct arena *a, struct tt_errors *c)
{
    struct count n = { 0 };
    const struct base *base;
    bool is_signed = false;
    size_t i;

    assert(words->nr);
    assert(words->nr <= TT_MAX_TYPE_WORDS);
    for ( i = 0; i < words->nr; i++ )
        if ( count_word(&n, &words->word[i], c) )
            return -EINVAL;
    base = resolve_type(&n, &is_signed);
    *type = (struct tt_ctype){ .text = join_words(words, a) };
    if ( !type->text )
        return -ENOMEM;
    if ( !base || (base->rank == TT_RANK_NONE && !n.stars) )
    {
        tt_errors_add(c, &words->word[0].at, "'%.60s' is no type of C: "
                      "write it as in 'unsigned long', 'const char *'",
                      type->text);
        return -EINVAL;
    }
    type->kind = base->kind;
    type->rank = base->rank;
    type->is_signed = is_signed;
    type->fixed = base->fixed;
    type->width = base->width;
    type->advice = base->advice;
    type->sized = base->sized;
    if ( n.stars )
        add_stars(type, &n);
    assert(type->advice && type->width <= 64);
    assert(!type->sized || type->fixed);
    return 0;
}

const char *tt_ctype_unsigned(unsigned int width)
{
    assert(width == 32 || width == 64);
    return width == 64 ? "uint64_t" : "uint32_t";
}
