/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metadata records: decoding inverts encoding, and the structs agree with the
 * catalogue's fields.
 */
#include "libxentrace/meta.h"

#include "libxentrace/catalogue.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

/* Each record of random bytes, encoded and decoded. */
START_TEST(round_trip)
{
    uint64_t seed = 9;

    for ( uint32_t id = TRC_META_VERSION; id <= TRC_META_CUT; id++ )
    {
        unsigned char bytes[XT_META_MAX_BYTES], random[28];
        struct xt_meta m = { .event = id }, back;
        struct xt_record r;
        size_t size;

        for ( size_t i = 0; i < sizeof(random); i++ )
            random[i] = make_random(&seed);
        memcpy(&m.text, random, sizeof(random));
        size = xt_meta_encode(&m, bytes);
        ck_assert_uint_eq(xt_record_decode(&r, bytes, bytes + size), size);
        ck_assert_uint_eq(r.event, id);
        ck_assert(!r.has_tsc && xt_record_is_possible(&r));
        ck_assert(xt_meta_decode(&back, &r));
        ck_assert_uint_eq(back.event, id);
        ck_assert_int_eq(memcmp(&back.text, random, 4 * r.words), 0);

        /* A layout grows at its end; a shorter record is invalid. */
        r.words--;
        ck_assert(!xt_meta_decode(&back, &r));
    }
}
END_TEST

START_TEST(as_declared)
{
    const struct xt_event *e = NULL;
    struct xt_meta m = { .event = TRC_META_TSC };
    unsigned char bytes[XT_META_MAX_BYTES];
    unsigned int known = 0;
    struct xt_record r;
    uint64_t value;

    while ( (e = xt_catalogue_next(e, TRC_GEN)) )
    {
        m.event = e->id;
        if ( strncmp(e->name, "meta_", 5) || e->id == TRC_META_WINDOW )
            continue;
        ck_assert_msg(xt_meta_encode(&m, bytes) == 4 + 4u * e->words, "%s",
                      e->name);
        known++;
    }
    ck_assert_uint_eq(known, TRC_META_CUT - TRC_META_WINDOW);

    m = (struct xt_meta){ .event = TRC_META_TSC,
                          .tsc = { .hz = 2394000128, .source = 2,
                                   .flags = 3, .error = 50 } };
    xt_record_decode(&r, bytes, bytes + xt_meta_encode(&m, bytes));
    e = xt_catalogue_by_name("meta_tsc");
    for ( unsigned int i = 0; i < e->nr_fields; i++ )
    {
        static const uint64_t wanted[] = { 2394000128, 2, 3, 50 };

        ck_assert(xt_field_get(e, i, &r, &value));
        ck_assert_uint_eq(value, wanted[i]);
    }
}
END_TEST

START_TEST(not_meta)
{
    unsigned char bytes[40] = { 0 };
    struct xt_record r = { .words = 7, .payload = bytes };
    static const uint32_t events[] = { 0x1f001, 0x1f003, TRC_META_WINDOW,
                                       TRC_META_CUT + 1, 0x81001, 0 };
    struct xt_meta m;

    for ( size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++ )
    {
        r.event = events[i];
        ck_assert(!xt_meta_decode(&m, &r));
    }
}
END_TEST

/* Texts of all lengths, and the first one that is too long. */
START_TEST(texts)
{
    static char text[XT_META_TEXT_MAX + 100], part[XT_META_PART];
    static struct xt_meta_text t;

    for ( size_t i = 0; i < sizeof(text); i++ )
        text[i] = 'a' + i % 26;
    for ( size_t length = 0; length < sizeof(text); length += length / 9 + 1 )
    {
        unsigned int nr = xt_meta_count_parts(length);
        size_t cut = length < XT_META_TEXT_MAX ? length : XT_META_TEXT_MAX;

        ck_assert_uint_le(nr, 255);
        for ( unsigned int i = 0; i < nr; i++ )
        {
            xt_meta_copy_part(part, text, length, i);
            ck_assert(xt_meta_text_add(&t, i, nr, part) == (i + 1 == nr));
        }
        ck_assert_uint_eq(strlen(t.text), cut);
        ck_assert_int_eq(memcmp(t.text, text, cut), 0);
    }
}
END_TEST

START_TEST(texts_with_holes)
{
    static const unsigned char parts[][2] = {
        { 1, 3 }, { 0, 3 }, { 2, 3 }, { 0, 0 }, { 5, 3 }, { 0, 2 }, { 1, 1 },
    };
    static struct xt_meta_text t;
    char part[XT_META_PART] = "x";

    for ( size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++ )
        ck_assert(!xt_meta_text_add(&t, parts[i][0], parts[i][1], part));
    ck_assert(xt_meta_text_add(&t, 0, 1, part));
    ck_assert_str_eq(t.text, "x");
}
END_TEST

UNIT_MAIN("meta", round_trip, as_declared, not_meta, texts, texts_with_holes)
