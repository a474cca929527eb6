/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One record: every shape, in every buffer that is too short for it.
 */
#include "libxentrace/record.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

static void check_shape(uint64_t tsc, unsigned int words)
{
    static struct make m;
    struct xt_record r = { .event = 0 };
    unsigned char *at;

    m.size = 0;
    make_record(&m, 0x0abcdef, tsc, words);
    at = make_exact(&m, m.size);
    ck_assert_uint_eq(xt_record_decode(&r, at, at + m.size), m.size);
    ck_assert_uint_eq(m.size, 4 + (tsc ? 8 : 0) + 4 * words);
    ck_assert_uint_eq(r.event, 0x0abcdef);
    ck_assert_uint_eq(r.words, words);
    ck_assert_uint_eq(r.has_tsc, tsc != 0);
    ck_assert_uint_eq(r.tsc, tsc);
    for ( unsigned int i = 0; i < words; i++ )
        ck_assert_uint_eq(xt_record_word(&r, i), i + 1);
    free(at);

    for ( size_t cut = 0; cut < m.size; cut++ )
    {
        at = make_exact(&m, cut);
        ck_assert_uint_eq(xt_record_decode(&r, at, at + cut), 0);
        free(at);
    }
}

START_TEST(every_shape)
{
    for ( unsigned int words = 0; words <= XT_RECORD_MAX_WORDS; words++ )
    {
        check_shape(0, words);
        check_shape(0xfedcba9876543210u, words);
    }
}
END_TEST

START_TEST(at_any_address)
{
    static struct make m;
    unsigned char *at = malloc(3 + 40);
    struct xt_record r = { .event = 0 };

    make_record(&m, 0x1234567, 0x1122334455667788u, 7);
    for ( size_t shift = 0; shift < 4; shift++ )
    {
        memcpy(at + shift, m.bytes, 40);
        ck_assert_uint_eq(xt_record_decode(&r, at + shift, at + shift + 40),
                          40);
        ck_assert_uint_eq(r.tsc, 0x1122334455667788u);
        ck_assert_uint_eq(xt_record_word(&r, 6), 7);
    }
    free(at);
}
END_TEST

START_TEST(what_no_xen_writes)
{
    static const struct
    {
        struct xt_record r;
        bool possible;
    } rows[] = {
        { { .event = 0x00000000 }, false },
        { { .event = 0x0000f123 }, false },
        { { .event = 0x0001f003, .words = 2 }, false },
        { { .event = 0x0001f001, .words = 4, .has_tsc = true }, true },
        { { .event = 0x0001f001, .words = 3, .has_tsc = true }, false },
        { { .event = 0x0001f001, .words = 4 }, false },
        { { .event = 0x0001f002 }, true },
        { { .event = 0x00081002, .words = 7 }, true },
        { { .event = 0x08001002 }, true },
        { { .event = 0x0fff1002 }, true },
        { { .event = 0x0fffffff, .words = 7, .has_tsc = true }, false },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        ck_assert_int_eq(xt_record_is_possible(&rows[i].r), rows[i].possible);
}
END_TEST

UNIT_MAIN("record", every_shape, at_any_address, what_no_xen_writes)
