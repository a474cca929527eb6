/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conversions that fit an argument.  For events of programs the reference
 * is the C compiler: a conversion fits if the compiler does not warn.  For
 * events of the hypervisor the reference is our decoder, which knows the width
 * of each field: an integer conversion of any width fits any field, and %s
 * prints the names of an enum or flags.
 */
#include "tracetool/conversion.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define DIGITS "0123456789"

/* "%2$d" becomes "%2%d" in place; the conversion begins at the second %. */
static void read_number(struct tt_conversion *c, char *text)
{
    size_t digits = strspn(&text[c->at + 1], DIGITS);

    if ( !digits || digits > 3 || text[c->at + 1] == '0' ||
         text[c->at + 1 + digits] != '$' )
        return;
    c->number = strtoul(&text[c->at + 1], NULL, 10);
    c->at += digits + 1;
    text[c->at] = '%';
    assert(c->number);
}

/* Skip a number or a star. */
static const char *skip_size(const char *at, struct tt_conversion *c,
                             bool stars)
{
    if ( *at != '*' || !stars )
        return at + strspn(at, DIGITS);
    c->stars++;
    return at + 1;
}

/* Syntax: %[N$][flags][width][.precision][modifier]letter */
void tt_conversion_read(struct tt_conversion *c, char *text, size_t where,
                        bool stars)
{
    const char *begin, *at;
    size_t n;

    assert(text[where] == '%');
    *c = (struct tt_conversion){ .at = where };
    read_number(c, text);
    begin = &text[c->at];
    c->flags = begin + 1;
    c->nr_flags = strspn(c->flags, "-+ #0'");
    at = skip_size(c->flags + c->nr_flags, c, stars);
    c->has_precision = *at == '.';
    if ( c->has_precision )
        at = skip_size(at + 1, c, stars);
    n = strspn(at, "hlqjztL");
    if ( n > 2 )
        n = 0;
    assert(n < sizeof(c->modifier));
    memcpy(c->modifier, at, n);
    c->modifier[n] = '\0';
    at += n;
    c->letter = *at;
    c->length = at - begin + (*at != '\0');
    assert(where <= c->at && c->length);
    assert(c->stars <= (stars ? 2u : 0u));
}

/* Letters that are not allowed, with the reason. */
static const struct { char letter; const char *why; } refused[] = {
    { '\0', "this conversion is cut off: end it with a letter, or write %% "
            "for a percent sign" },
    { 'm', "%m would print errno of whoever prints: pass the error as an "
           "argument" },
    { '*', "a record has no room for a width or precision of '*': write a "
           "number" },
    { '$', "no argument has that number: write it as in %1$u" },
    { 'n', "%n prints nothing and writes to memory: take it out" },
};

const char *tt_conversion_refused(char letter)
{
    size_t i;

    for ( i = 0; i < sizeof(refused) / sizeof(refused[0]); i++ )
        if ( refused[i].letter == letter )
            return refused[i].why;
    return letter && strchr("diouxXcsp", letter) ? NULL :
           "no argument can be printed so: take one of %d %i %u %x %X %o %c "
           "%s %p, or %% for a percent sign";
}

/* Flags and precision of each letter. */
static const struct
{
    const char *letters, *flags;
    bool precision;
} letter_forms[] = {
    { "di", "-+ 0'", true }, { "u", "-0'", true }, { "oxX", "-#0", true },
    { "s", "-", true }, { "cp", "-", false },
};

static bool has_flag(const struct tt_conversion *c, char flag)
{
    return memchr(c->flags, flag, c->nr_flags);
}

char tt_conversion_odd_flag(const struct tt_conversion *c)
{
    size_t i = 0, n;

    while ( !strchr(letter_forms[i].letters, c->letter) )
        i++;
    assert(i < sizeof(letter_forms) / sizeof(letter_forms[0]));
    for ( n = 0; n < c->nr_flags; n++ )
        if ( !strchr(letter_forms[i].flags, c->flags[n]) ||
             memchr(c->flags, c->flags[n], n) )
            return c->flags[n];
    if ( c->has_precision && !letter_forms[i].precision )
        return '.';
    /* A flag without effect beside another one, or a precision. */
    if ( has_flag(c, '0') && (has_flag(c, '-') || c->has_precision) )
        return '0';
    return has_flag(c, ' ') && has_flag(c, '+') ? ' ' : '\0';
}

/* The promoted type of an integer conversion with this modifier. */
static const struct { const char *modifier; enum tt_rank rank; } ranks[] = {
    { "", TT_RANK_INT }, { "h", TT_RANK_INT }, { "hh", TT_RANK_INT },
    { "l", TT_RANK_LONG }, { "ll", TT_RANK_LLONG }, { "q", TT_RANK_LLONG },
    { "z", TT_RANK_OF(size_t) }, { "t", TT_RANK_OF(ptrdiff_t) },
    { "j", TT_RANK_OF(intmax_t) },
};

static enum tt_rank length_rank(const char *modifier)
{
    size_t i;

    for ( i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++ )
        if ( !strcmp(ranks[i].modifier, modifier) )
            return ranks[i].rank;
    return TT_RANK_NONE;
}

static bool is_integer(char letter)
{
    return letter && strchr("diouxX", letter);
}

static bool fits_xen(const struct tt_arg *arg, const char *modifier,
                     char letter)
{
    if ( letter == 's' )
        return arg->sem && arg->sem->meaning != TT_PLAIN && !*modifier;
    if ( letter == 'c' )
        return !*modifier;
    return is_integer(letter) && length_rank(modifier) != TT_RANK_NONE;
}

static bool fits_program(const struct tt_ctype *type, const char *modifier,
                         char letter)
{
    if ( is_integer(letter) )
        return length_rank(modifier) == type->rank;
    if ( *modifier )
        return false;
    if ( letter == 'c' )
        return type->rank == TT_RANK_INT;
    if ( letter == 's' )
        return type->rank == TT_RANK_CHARS;
    return letter == 'p' && (type->rank == TT_RANK_CHARS ||
                             type->rank == TT_RANK_POINTER);
}

bool tt_conversion_fits(const struct tt_conversion *c,
                        const struct tt_event *event,
                        const struct tt_arg *arg, const struct tt_ctype *type)
{
    assert(!tt_conversion_refused(c->letter));
    return event->in_xen ? fits_xen(arg, c->modifier, c->letter) :
                           fits_program(type, c->modifier, c->letter);
}
