/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The positions of bits in payload and id, and the expansion of families.
 */
#include <inttypes.h>

#include "tests/unit/tracetool/read.h"

/* One line per event: NAME ID WORDS-MAX, then ARG:BITS@BIT; "!": in the id. */
static void check(const char *text, const char *expected)
{
    char got[1024] = "";
    size_t used = 0, i, j;
    struct read r;

    read_well(&r, text);
    for ( i = 0; i < r.model.nr_events; i++ )
    {
        const struct tt_event *e = &r.model.events[i];

        used += snprintf(got + used, sizeof(got) - used, "%s %x %u-%u", e->name,
                         e->id, e->words, e->max_words);
        for ( j = 0; j < e->nr_args; j++ )
        {
            const struct tt_arg *a = &e->args[j];

            used += snprintf(got + used, sizeof(got) - used, " %s:%u@%u%s%s",
                             a->name, a->bits, a->bit, a->in_id ? "!" : "",
                             a->optional ? "?" : "");
            if ( a->present >= 0 )
                used += snprintf(got + used, sizeof(got) - used, "<%s",
                                 e->args[a->present].name);
        }
        used += snprintf(got + used, sizeof(got) - used, "\n");
    }
    ck_assert_str_eq(got, expected);
    read_done(&r);
}

START_TEST(packed)
{
    check("id=0x21001 e(void)\n", "e 21001 0-0\n");
    check("id=0x21001 e(uint16_t a, uint16_t b, uint8_t c)\n",
          "e 21001 2-2 a:16@0 b:16@16 c:8@32\n");
    check("id=0x21001 e(uint32_t a, uint64_t b)\n",
          "e 21001 3-3 a:32@0 b:64@32\n");
    check("id=0x21001 e(uint64_t a, uint64_t b, uint64_t c, int32_t d)\n",
          "e 21001 7-7 a:64@0 b:64@64 c:64@128 d:32@192\n");
}
END_TEST

START_TEST(bit_fields)
{
    check("id=0x21001 e(uint16_t a:15, uint16_t b:1, uint16_t c)\n",
          "e 21001 1-1 a:15@0 b:1@15 c:16@16\n");
    check("id=0x21001 e(uint32_t a:20, uint32_t :12, uint8_t b)\n",
          "e 21001 2-2 a:20@0 b:8@32\n");
    check("id=0x21001 e(uint8_t a:8, uint32_t b:32)\n",
          "e 21001 2-2 a:8@0 b:32@8\n");
}
END_TEST

START_TEST(id_fields)
{
    struct read r;

    check("id=0x21001 e(uint8_t a:2 @ 8, uint16_t v, uint8_t b:2 @ 4, "
          "uint16_t d)\n", "e 21001 1-1 a:2@8! v:16@0 b:2@4! d:16@16\n");
    read_well(&r, "id=0x21001 e(uint8_t a:2@8, uint8_t b:2@4)\n");
    ck_assert_uint_eq(r.model.events[0].id_fields, 0x330);
    read_done(&r);
}
END_TEST

START_TEST(absent_arguments)
{
    check("id=0x21001 e(uint32_t a, [uint32_t b, uint16_t c])\n",
          "e 21001 1-3 a:32@0 b:32@32? c:16@64?\n");
    check("id=0x21001 e([uint32_t a])\n", "e 21001 0-1 a:32@0?\n");
    check("id=0x21001 e(uint32_t p:2, uint32_t q:2, uint32_t :28, "
          "uint32_t a ? p, uint32_t b ? q)\n",
          "e 21001 1-5 p:2@0 q:2@2 a:32@32<p b:32@32<q\n");
    /* Six optional words: a record still has at most seven. */
    check("id=0x21001 e(uint32_t p, uint32_t a?p, uint32_t b?p, uint32_t c?p, "
          "uint32_t d?p, uint32_t f?p, uint32_t g?p)\n",
          "e 21001 1-7 p:32@0 a:32@32<p b:32@32<p c:32@32<p d:32@32<p "
          "f:32@32<p g:32@32<p\n");
}
END_TEST

START_TEST(families)
{
    check("family=64 id=0x82001 pf(uint32_t ec, reg_t va)\n",
          "pf 82001 2-2 ec:32@0 va:32@32\n"
          "pf64 82101 3-3 ec:32@0 va:64@32\n");
    check("family=levels id=0x40f001 sh(gl1e_t e, gva_t va, gfn_t g)\n",
          "sh_2 40f001 3-3 e:32@0 va:32@32 g:32@64\n"
          "sh_3 40f101 5-5 e:64@0 va:32@64 g:64@96\n"
          "sh_4 40f201 6-6 e:64@0 va:64@64 g:64@128\n");
    check("family=64,nested id=0x81002 x(reg_t ip)\n",
          "x 81002 1-1 ip:32@0\nx64 81102 2-2 ip:64@0\n"
          "x_nested 81402 1-1 ip:32@0\nx64_nested 81502 2-2 ip:64@0\n");
}
END_TEST

START_TEST(families_have_constants)
{
    static const char *const expected[] = {
        "TRC_A", "TRC_A64", "", "", "TRC_B", "", "",
    };
    struct read r;

    read_well(&r, "family=64,nested id=0x81002 a(void)\n"
              "family=levels id=0x81003 b(gva_t x) \"%x\"\n");
    ck_assert_uint_eq(r.model.nr_events, 7);
    for ( size_t i = 0; i < 7; i++ )
        ck_assert_str_eq(r.model.events[i].constant ?
                         r.model.events[i].constant : "", expected[i]);
    ck_assert_str_eq(r.model.events[4].args[0].type, "uint32_t");
    ck_assert_str_eq(r.model.events[6].args[0].type, "uint64_t");
    read_done(&r);
}
END_TEST

START_TEST(formats_of_records)
{
    const struct tt_event *e;
    struct read r;

    read_well(&r, "enum st \"x\"\n0 on\nend\n"
              "id=0x21001 e(uint16_t v, uint16_t d, st uint32_t s, "
              "[uint64_t t]) \"d%2$uv%1$d %3$s\" [ \" %4$#\" PRIx64 ]\n");
    e = r.model.events;
    ck_assert_uint_eq(e->nr_pieces, 8);
    ck_assert_int_eq(e->pieces[1].arg, 1);
    ck_assert_str_eq(e->pieces[1].text, "%u");
    ck_assert_int_eq(e->pieces[3].arg, 0);
    ck_assert_str_eq(e->pieces[5].text, "%s");
    ck_assert_str_eq(e->pieces[7].text, "%#" PRIx64);
    ck_assert_uint_eq(e->pieces[7].group, 1);
    ck_assert(e->pieces[6].optional && !e->pieces[5].optional);
    read_done(&r);
}
END_TEST

UNIT_MAIN("layout", packed, bit_fields, id_fields, absent_arguments, families,
          families_have_constants, formats_of_records)
