/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suggestions for mistyped words: the closest known word, or none if a word
 * only has a few letters in common; and words of any length.
 */
#include <string.h>

#include "common/closest-word.h"
#include "common/edit-distance.h"
#include "unit.h"

static const char *const words[] = {
    "run", "wait", "exits", "irq", "interrupts", "interrupt-eip", "io", "cr3",
    NULL,
};

static const char *suggest(const char *word)
{
    struct closest_word c;

    closest_word_init(&c, word, strlen(word));
    for ( size_t i = 0; words[i]; i++ )
        closest_word_compare(&c, words[i]);
    return c.best;
}

START_TEST(similar_words_are_suggested)
{
    ck_assert_pstr_eq(suggest("waits"), "wait");
    ck_assert_pstr_eq(suggest("wiat"), "wait");
    ck_assert_pstr_eq(suggest("rnu"), "run");
    ck_assert_pstr_eq(suggest("extis"), "exits");
    ck_assert_pstr_eq(suggest("ioq"), "io");
    ck_assert_pstr_eq(suggest("irw"), "irq");
    ck_assert_pstr_eq(suggest("interupt"), "interrupts");
    ck_assert_pstr_eq(suggest("int"), "interrupts");
    ck_assert_pstr_eq(suggest("interrupt-"), "interrupt-eip");
    ck_assert_pstr_eq(suggest("interrupt-e"), "interrupt-eip");
}
END_TEST

START_TEST(other_words_are_not)
{
    ck_assert_ptr_null(suggest(""));
    ck_assert_ptr_null(suggest("F"));
    ck_assert_ptr_null(suggest("w"));
    ck_assert_ptr_null(suggest("in"));
    ck_assert_ptr_null(suggest("rn"));
    ck_assert_ptr_null(suggest("wash"));
    ck_assert_ptr_null(suggest("xml"));
    ck_assert_ptr_null(suggest("nosuch"));
}
END_TEST

START_TEST(words_of_any_length)
{
    char known[200], word[5000];
    struct closest_word c;

    memset(known, 'x', sizeof(known) - 1);
    known[sizeof(known) - 1] = '\0';
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    closest_word_init(&c, word, strlen(word));
    closest_word_compare(&c, known);
    ck_assert_ptr_null(c.best);
    known[EDIT_DISTANCE_MAX] = '\0';
    closest_word_compare(&c, known);
    ck_assert_ptr_null(c.best);
    closest_word_init(&c, word, EDIT_DISTANCE_MAX + EDIT_DISTANCE_CLOSE);
    closest_word_compare(&c, known);
    ck_assert_ptr_eq(c.best, known);
}
END_TEST

START_TEST(distances)
{
    static const struct { const char *a, *b; unsigned int d; } known[] = {
        { "", "", 0 }, { "", "ab", 2 }, { "ab", "", 2 }, { "ab", "ba", 1 },
        { "recrod", "record", 1 }, { "kitten", "sitting", 3 },
        { "abcd", "badc", 2 }, { "ca", "abc", 3 }, { "same", "same", 0 },
    };

    for ( size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
        ck_assert_uint_eq(edit_distance(known[i].a, strlen(known[i].a),
                                        known[i].b), known[i].d);
}
END_TEST

START_TEST(found_by_length)
{
    ck_assert_int_eq(closest_word_find(words, "cr3=5", 3), 7);
    ck_assert_int_eq(closest_word_find(words, "cr3=5", 5), -1);
    ck_assert_int_eq(closest_word_find(words, "", 0), -1);
}
END_TEST

START_TEST(refusals_name_the_words)
{
    struct err e = ERR_INIT;

    ck_assert_int_lt(closest_word_refuse(words, "over", "waits", &e), 0);
    ck_assert_str_eq(e.text, "over waits: is wait meant? It is one of run, "
                     "wait, exits, irq, interrupts, interrupt-eip, io, cr3");
    ck_assert_int_eq(err_exit_code(&e), 2);
    e = (struct err)ERR_INIT;
    closest_word_refuse(words, "over", "F", &e);
    ck_assert_str_eq(e.text, "over F: it is one of run, wait, exits, irq, "
                     "interrupts, interrupt-eip, io, cr3");
    e = (struct err)ERR_INIT;
    closest_word_refuse(words, "over", NULL, &e);
    ck_assert_str_eq(e.text, "over: give one of run, wait, exits, irq, "
                     "interrupts, interrupt-eip, io, cr3");
}
END_TEST

UNIT_MAIN("closest-word", similar_words_are_suggested, other_words_are_not,
          words_of_any_length, distances, found_by_length,
          refusals_name_the_words)
