/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-8 from files and guests.  Decoding is strict: no overlong forms, no
 * surrogates, nothing above U+10FFFF.
 */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that begins at `text`, a string; 0: invalid. */
unsigned int utf8_decode(const char *text, uint32_t *code);

/*
 * May a terminal or a viewer get the character?  No control characters, no
 * invisible characters, no marks that change the direction of the text, and no
 * blank but U+0020.
 */
bool utf8_is_visible(uint32_t code);

/* Replace each byte of other characters, and invalid bytes, by '?'. */
void utf8_clean(char *text);

/* The length of a text cut to `size` bytes, without a partial character. */
size_t utf8_cut(const char *text, size_t size);

/*
 * Copy a text of up to `size` bytes, or its begin and "~".  `out` has room for
 * one byte more.  Returns `out`.
 */
char *utf8_shorten(const char *text, size_t size, char *out);

/* Columns of a terminal: 2 for wide characters, 0 for combining ones. */
unsigned int utf8_columns(const char *text);

/*
 * The width for "%-*s" or "%*s", which count bytes, so that the text takes
 * `width` columns.
 */
int utf8_width(const char *text, int width);

#endif /* COMMON_UTF8_H */
