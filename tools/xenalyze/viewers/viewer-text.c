/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names as UTF-8, escaped for JSON and for collapsed stacks.
 */
#include "xenalyze/viewers/viewer-text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/utf8.h"

static const char replacement[] = "\xef\xbf\xbd";       /* U+FFFD */

#define REPLACEMENT_SIZE (sizeof(replacement) - 1)

const char *viewer_clean_text(const char *text, char out[VIEWER_TEXT_MAX])
{
    const char *p = text;
    size_t used = 0;

    assert(text);
    while ( *p && used < VIEWER_TEXT_MAX - 8 )
    {
        uint32_t code;
        unsigned int size = utf8_decode(p, &code);
        bool keep = size && utf8_is_visible(code);

        memcpy(out + used, keep ? p : replacement,
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
