/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of escape sequences and macros.
 */
#include "tracetool/literal.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char escapes[][2] = {
    { 'n', '\n' }, { 't', '\t' }, { '\\', '\\' }, { '"', '"' },
    { '\'', '\'' }, { '?', '?' }, { 'r', '\r' }, { 'a', '\a' },
    { 'b', '\b' }, { 'f', '\f' }, { 'v', '\v' }, { 'e', '\033' },
};

static unsigned int get_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' :
           isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : 16;
}

/* Read up to `most` digits; the value has to fit a byte. */
static size_t read_number(const char *at, const char *end, unsigned int base,
                          size_t most, char *byte)
{
    unsigned int value = 0;
    size_t n;

    assert(at <= end);
    assert(base == 8 || base == 16);
    for ( n = 0; n < most && at + n < end && get_digit(at[n]) < base; n++ )
    {
        value = value * base + get_digit(at[n]);
        if ( value > 0xff )
            return 0;
    }
    *byte = value;
    return n;
}

static size_t find_escape(char c, char *byte)
{
    size_t i;

    for ( i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++ )
        if ( escapes[i][0] == c )
        {
            *byte = escapes[i][1];
            return 2;
        }
    return 0;
}

size_t tt_literal_byte(const char *at, const char *end, char *byte)
{
    size_t n;

    assert(at < end);
    *byte = *at;
    if ( *at != '\\' )
        return 1;
    if ( end - at < 2 )
        return 0;
    if ( get_digit(at[1]) < 8 )
    {
        n = read_number(at + 1, end, 8, 3, byte);
        return n ? n + 1 : 0;
    }
    if ( at[1] == 'x' )
    {
        n = read_number(at + 2, end, 16, end - at, byte);
        return n ? n + 2 : 0;
    }
    return find_escape(at[1], byte);
}

/* letters d, i, o, u, x, X of a width */
#define MACROS(width)                                                   \
    { "d" #width, PRId##width }, { "i" #width, PRIi##width },           \
    { "o" #width, PRIo##width }, { "u" #width, PRIu##width },           \
    { "x" #width, PRIx##width }, { "X" #width, PRIX##width }

static const struct { const char *name, *text; } macros[] = {
    MACROS(64), MACROS(32), MACROS(16), MACROS(8), MACROS(PTR), MACROS(MAX),
};

const char *tt_literal_macro(const char *name, size_t length)
{
    size_t i;

    if ( length < 5 || memcmp(name, "PRI", 3) )
        return NULL;
    for ( i = 0; i < sizeof(macros) / sizeof(macros[0]); i++ )
        if ( !strncmp(macros[i].name, name + 3, length - 3) &&
             !macros[i].name[length - 3] )
            return macros[i].text;
    return NULL;
}
