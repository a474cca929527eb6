/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UTF-8 is decoded strictly: no overlong forms, no surrogates, nothing above
 * U+10FFFF.
 */
#include "xenalyze/viewers/viewer-text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";       /* U+FFFD */

#define REPLACEMENT_SIZE (sizeof(replacement) - 1)

/* Bytes of the character that begins at `p`; 0: invalid. */
static unsigned int decode_char(const unsigned char *p, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned int size = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3
                        : *p >> 3 == 30 ? 4 : 0;

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

static bool is_visible(uint32_t code)
{
    static const struct { uint32_t first, last; } hidden[] = {
        { 0, 0x1f }, { 0x7f, 0x9f },
        { 0x61c, 0x61c }, { 0x200b, 0x200f },   /* marks of direction */
        { 0x2028, 0x202e }, { 0x2060, 0x2069 }, { 0xfeff, 0xfeff },
    };

    for ( size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++ )
        if ( code >= hidden[i].first && code <= hidden[i].last )
            return false;
    return true;
}

const char *viewer_clean_text(const char *text, char out[VIEWER_TEXT_MAX])
{
    const unsigned char *p = (const unsigned char *)text;
    size_t used = 0;

    assert(text);
    while ( *p && used < VIEWER_TEXT_MAX - 8 )
    {
        uint32_t code;
        unsigned int size = decode_char(p, &code);
        bool keep = size && is_visible(code);

        memcpy(out + used, keep ? (const char *)p : replacement,
               keep ? size : REPLACEMENT_SIZE);
        used += keep ? size : REPLACEMENT_SIZE;
        p += size ? size : 1;
    }
    strcpy(out + used, *p ? "..." : "");
    assert(strlen(out) < VIEWER_TEXT_MAX);
    return out;
}

void viewer_write_json(FILE *out, const char *text)
{
    char clean[VIEWER_TEXT_MAX];

    putc_unlocked('"', out);
    for ( const char *p = viewer_clean_text(text, clean); *p; p++ )
        if ( *p == '"' || *p == '\\' )
            fprintf(out, "\\%c", *p);
        else if ( *p == '<' )
            fputs("\\u003c", out);
        else
            putc_unlocked(*p, out);
    putc_unlocked('"', out);
}

void viewer_write_frame(FILE *out, const char *text)
{
    char clean[VIEWER_TEXT_MAX];

    viewer_clean_text(text, clean);
    /* Readers skip empty frames, and lines that begin like a comment. */
    if ( !*clean || *clean == '#' )
        putc_unlocked('_', out);
    for ( const char *p = clean; *p; p++ )
        putc_unlocked(*p == ';' ? ':' : *p, out);
}
