/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Classes of characters are short tables of ranges rather than those of the C
 * library, whose answers depend on the locale.
 */
#include "common/utf8.h"

#include <assert.h>
#include <string.h>

struct range { uint32_t first, last; };

static bool is_in(uint32_t code, const struct range *ranges, size_t nr)
{
    assert(ranges && nr);
    for ( size_t i = 0; i < nr && code >= ranges[i].first; i++ )
        if ( code <= ranges[i].last )
            return true;
    return false;
}

#define IS_IN(code, ranges) \
    is_in(code, ranges, sizeof(ranges) / sizeof((ranges)[0]))

unsigned int utf8_decode(const char *text, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = (const unsigned char *)text;
    unsigned int size = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3
                        : *p >> 3 == 30 ? 4 : 0;

    assert(code);
    *code = size == 1 ? *p : *p & (0x7fu >> size);
    for ( unsigned int i = 1; i < size; i++ )
    {
        if ( p[i] >> 6 != 2 )
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    if ( !size || *code < least[size] || *code > 0x10ffff ||
         (*code >= 0xd800 && *code < 0xe000) )
        return 0;
    return size;
}

bool utf8_is_visible(uint32_t code)
{
    static const struct range hidden[] = {
        { 0, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad },
        { 0x61c, 0x61c }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
        { 0x2000, 0x200f },                     /* blanks, marks of direction */
        { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
        { 0xe000, 0xf8ff },                     /* private use */
        { 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },
        { 0xfffe, 0xffff }, { 0xe0000, 0x10ffff },
    };

    return !IS_IN(code, hidden);
}

void utf8_clean(char *text)
{
    assert(text);
    while ( *text )
    {
        uint32_t code;
        unsigned int size = utf8_decode(text, &code);

        if ( !size || !utf8_is_visible(code) )
        {
            size = size ? size : 1;
            memset(text, '?', size);
        }
        text += size;
    }
}

size_t utf8_cut(const char *text, size_t size)
{
    size_t length = strnlen(text, size);

    if ( length < size || !text[length] )
        return length;
    /* Back to the first byte of the character that does not fit. */
    for ( unsigned int i = 0; i < 3 && length && (text[length] & 0xc0) == 0x80;
          i++ )
        length--;
    return length;
}

char *utf8_shorten(const char *text, size_t size, char *out)
{
    size_t length = strlen(text);
    bool fits = length <= size;

    assert(size);
    if ( !fits )
        length = utf8_cut(text, size - 1);
    memcpy(out, text, length);
    strcpy(out + length, fits ? "" : "~");
    return out;
}

static unsigned int count_columns(uint32_t code)
{
    static const struct range combining[] = {
        { 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd },
        { 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x93c, 0x93c },
        { 0x94d, 0x94d }, { 0xe31, 0xe31 }, { 0xe34, 0xe3a },
        { 0xe47, 0xe4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
        { 0x20d0, 0x20ff }, { 0x302a, 0x302d }, { 0x3099, 0x309a },
        { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
    };
    static const struct range wide[] = {
        { 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff },
        { 0x3400, 0x4dbf }, { 0x4e00, 0xa4cf }, { 0xa960, 0xa97c },
        { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
        { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x16fe0, 0x18cff },
        { 0x1b000, 0x1b2ff }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
        { 0x1f900, 0x1faff }, { 0x20000, 0x3fffd },
    };

    return IS_IN(code, combining) ? 0 : IS_IN(code, wide) ? 2 : 1;
}

unsigned int utf8_columns(const char *text)
{
    unsigned int columns = 0;

    assert(text);
    while ( *text )
    {
        uint32_t code;
        unsigned int size = utf8_decode(text, &code);

        columns += size ? count_columns(code) : 1;
        text += size ? size : 1;
    }
    return columns;
}

int utf8_width(const char *text, int width)
{
    return width + (int)strlen(text) - (int)utf8_columns(text);
}
