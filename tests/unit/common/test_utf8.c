/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UTF-8: each code point in its only valid form, invalid bytes, the characters
 * that a terminal must not get, cuts, columns.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/utf8.h"
#include "unit.h"

/* The code point with `size` bytes. */
static void encode_char(uint32_t code, unsigned int size, char text[5])
{
    static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    memset(text, 0, 5);
    for ( unsigned int i = size; i-- > 1; code >>= 6 )
        text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(size == 1 ? code : first[size] | code);
}

START_TEST(code_points_have_one_form)
{
    for ( uint32_t code = 1; code < 0x200000; code += code < 0x3000 ? 1 : 7 )
        for ( unsigned int size = 1; size <= 4; size++ )
        {
            unsigned int right = code < 0x80 ? 1 : code < 0x800 ? 2
                                 : code < 0x10000 ? 3 : 4;
            bool valid = code <= 0x10ffff && !(code >> 11 == 0x1b);
            char text[5];
            uint32_t got;

            if ( size < right )
                continue;
            encode_char(code, size, text);
            ck_assert_uint_eq(utf8_decode(text, &got),
                              valid && size == right ? size : 0);
            ck_assert(!valid || size != right || got == code);
            text[size - 1] = '\0';
            if ( size > 1 )
                ck_assert_uint_eq(utf8_decode(text, &got), 0);
        }
}
END_TEST

START_TEST(bytes_are_replaced)
{
    static const struct { const char *text, *clean; } rows[] = {
        { "", "" }, { "web1", "web1" }, { "gr\xc3\xb6\xc3\x9f" "e", NULL },
        { "\xe6\x9d\xb1\xe4\xba\xac", NULL }, { "\xf0\x9f\x98\x80", NULL },
        { "a\x1b[31m", "a?[31m" }, { "\x7f\t", "??" },
        { "\xc2\x9b" "1m", "??1m" },            /* CSI of C1 */
        { "\xe2\x80\xae" "x", "???x" },         /* right to left */
        { "\xe2\x81\xa6\xd8\x9c", "?????" }, { "\xef\xbb\xbf", "???" },
        { "\xe2\x80\x8b", "???" }, { "\xc2\xa0", "??" },
        { "\xff\xfe", "??" }, { "\xc3", "?" }, { "\xc3(", "?(" },
        { "\x80\xbf", "??" }, { "\xc0\xaf", "??" }, { "\xed\xa0\x80", "???" },
        { "\xe6\x9d", "??" }, { "\xf4\x90\x80\x80", "????" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        char text[16];

        strcpy(text, rows[i].text);
        utf8_clean(text);
        ck_assert_str_eq(text, rows[i].clean ? rows[i].clean : rows[i].text);
    }
}
END_TEST

START_TEST(texts_are_cut_between_characters)
{
    const char *text = "a\xc3\xb6\xe6\x9d\xb1\xf0\x9f\x98\x80";
    static const size_t lengths[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };
    char shorter[5];

    for ( size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++ )
        ck_assert_uint_eq(utf8_cut(text, i), lengths[i]);
    ck_assert_uint_le(utf8_cut("\x80\x80\x80\x80\x80\x80", 5), 5);
    ck_assert_str_eq(utf8_shorten("abcd", 4, shorter), "abcd");
    ck_assert_str_eq(utf8_shorten("abcde", 4, shorter), "abc~");
    ck_assert_str_eq(utf8_shorten("ab\xc3\xb6!", 4, shorter), "ab~");
    ck_assert_str_eq(utf8_shorten("", 4, shorter), "");
}
END_TEST

START_TEST(columns_are_those_of_a_terminal)
{
    char text[32];

    ck_assert_uint_eq(utf8_columns("web1"), 4);
    ck_assert_uint_eq(utf8_columns("gr\xc3\xb6\xc3\x9f" "e"), 5);
    ck_assert_uint_eq(utf8_columns("\xe6\x9d\xb1\xe4\xba\xac"), 4);
    ck_assert_uint_eq(utf8_columns("e\xcc\x81"), 1);
    snprintf(text, sizeof(text), "%-*s|", utf8_width("\xe6\x9d\xb1", 6),
             "\xe6\x9d\xb1");
    ck_assert_str_eq(text, "\xe6\x9d\xb1    |");
}
END_TEST

UNIT_MAIN("UTF-8", code_points_have_one_form, bytes_are_replaced,
          texts_are_cut_between_characters, columns_are_those_of_a_terminal)
