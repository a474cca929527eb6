/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long lines in rows: items of all lengths around the width of a row, with and
 * without marks.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text-wrap.h"
#include "unit.h"

/* Two items of these lengths and a last one; returns the text. */
static char *wrap_items(int first, int second, const char *mark)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct text_wrap w = text_wrap_begin(out);

    ck_assert_ptr_nonnull(out);
    text_wrap_add(&w, "", "%.*s", first, "1111111111111111111111111111111111"
                  "111111111111111111111111111111111111111111111111111111111");
    text_wrap_add(&w, mark, "%.*s", second, "222222222222222222222222222222222"
                  "2222222222222222222222222222222222222222222222222222222222");
    text_wrap_add(&w, mark, "3");
    text_wrap_end(&w);
    fclose(out);
    return text;
}

START_TEST(rows_fit)
{
    static const char *const marks[] = { "", "," };

    for ( int first = 1; first < 79; first++ )
        for ( int second = 1; second < 76; second++ )
            for ( int m = 0; m < 2; m++ )
            {
                char *text = wrap_items(first, second, marks[m]);
                bool first_row = true;

                for ( char *row = strtok(text, "\n"); row;
                      row = strtok(NULL, "\n"), first_row = false )
                {
                    ck_assert_uint_le(strlen(row), TEXT_COLUMNS);
                    ck_assert_int_eq(strspn(row, " "),
                                     first_row ? 1 : TEXT_INDENT);
                }
                free(text);
            }
}
END_TEST

START_TEST(rows_are_full)
{
    char *text = wrap_items(3, 4, ",");

    ck_assert_str_eq(text, " 111, 2222, 3\n");
    free(text);
    /* 1 + 40 + 1 + 1 + 36 and the mark: 80 */
    text = wrap_items(40, 36, ",");
    ck_assert_ptr_eq(strchr(text, '\n') - 80, text);
    free(text);
    text = wrap_items(40, 37, ",");
    ck_assert_ptr_eq(strchr(text, '\n') - 42, text);
    free(text);
}
END_TEST

/* An item that is wider than a row is on a row of its own. */
START_TEST(long_items_stay_whole)
{
    char *text = wrap_items(85, 90, "");

    ck_assert_uint_eq(strcspn(text, "\n"), 86);
    ck_assert_ptr_nonnull(strstr(text, "\n    2"));
    ck_assert_ptr_nonnull(strstr(text, "2\n    3\n"));
    free(text);
}
END_TEST

UNIT_MAIN("text wrap", rows_fit, rows_are_full, long_items_stay_whole)
