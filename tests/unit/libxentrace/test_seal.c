/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seals.  Every flipped bit in a sealed window is detected, in the header and
 * the seal as well, and costs no other window; so each bit is flipped.
 */
#include "libxentrace/seal.h"

#include "libxentrace/catalogue.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/libxentrace/seen-windows.h"

/* Append a sealed window of n records, in one span or in two. */
static void add_sealed(struct make *m, unsigned int cpu, unsigned int n,
                       uint32_t number)
{
    static struct make body;
    struct iovec spans[2];
    struct xt_frame f;
    size_t cut;

    body.size = 0;
    for ( unsigned int i = 0; i < n; i++ )
        make_record(&body, 0x81000 + i % 5, i % 3 ? 1000 + i : 0,
                    (i + cpu) % 8);
    cut = body.size / 8 * 4;
    spans[0] = (struct iovec){ body.bytes, cut };
    spans[1] = (struct iovec){ body.bytes + cut, body.size - cut };
    xt_frame_init(&f, cpu, spans, 2);
    xt_frame_seal(&f, number);
    make_spans(m, f.iov, f.nr_iov);
}

/*
 * Windows of many sizes; for some of them one flipped bit in the size leads to
 * a later header: 32, 64 and 128 bytes with their header.
 */
static void make_trace(struct make *m)
{
    static const unsigned int records[] = { 5, 0, 9, 2, 2, 2, 2, 1, 30, 2, 4 };

    m->size = 0;
    for ( uint32_t i = 0; i < sizeof(records) / sizeof(records[0]); i++ )
        add_sealed(m, i % 3, records[i], i);
}

START_TEST(intact)
{
    static struct make m;
    static struct walk w;

    make_trace(&m);
    walk_whole(&w, m.bytes, m.size);
    ck_assert_uint_eq(w.nr, 11);
    ck_assert_int_eq(xt_damage_grade(&w.damage), XT_GRADE_NONE);
    ck_assert_uint_eq(w.window[2].records, 1 + 9);
}
END_TEST

/* The seal is a record, declared in events/. */
START_TEST(is_a_record)
{
    const struct xt_event *e = xt_catalogue_by_name("meta_window");

    ck_assert_ptr_nonnull(e);
    ck_assert_uint_eq(e->id | (uint32_t)e->words << 28, XT_SEAL_MAGIC);
    ck_assert_uint_eq(e->nr_fields, 2);
    ck_assert_str_eq(e->fields[0].name, "crc");
    ck_assert_uint_eq(e->fields[1].bit, 32);
    ck_assert(!e->timed);
}
END_TEST

/* The window that contains byte `at`. */
static size_t window_at(const struct walk *all, size_t at)
{
    size_t i = 0;

    while ( i + 1 < all->nr && at >= all->window[i + 1].at )
        i++;
    return i;
}

START_TEST(every_bit)
{
    static struct make m;
    static struct walk all, w;

    make_trace(&m);
    walk_whole(&all, m.bytes, m.size);
    for ( size_t bit = 0; bit < 8 * m.size; bit++ )
    {
        size_t hit = window_at(&all, bit / 8), end;

        m.bytes[bit / 8] ^= 1u << bit % 8;
        walk_whole(&w, m.bytes, m.size);
        m.bytes[bit / 8] ^= 1u << bit % 8;

        for ( size_t i = 0; i < all.nr; i++ )
            ck_assert_msg(i == hit || walk_has(&w, &all.window[i]),
                          "bit %zu of window %zu costs window %zu", bit, hit,
                          i);
        /* All records of the damaged window are read, or none. */
        ck_assert_msg(w.nr == all.nr - 1 || walk_has(&w, &all.window[hit]) ||
                      !w.window[hit].size || hit == all.nr - 1,
                      "bit %zu of window %zu", bit, hit);
        ck_assert_uint_ge(xt_damage_times(&w.damage), 1);
        end = all.window[hit].at + XT_WINDOW_HEADER + all.window[hit].size;
        ck_assert_uint_ge(w.damage.first[0].offset, all.window[hit].at);
        ck_assert_uint_le(w.damage.first[0].offset, end);
    }
}
END_TEST

/*
 * Two bits close together: if the seal's header is lost, only the neighbouring
 * windows show that there was a seal.  So the last window stays intact.
 */
START_TEST(two_bits)
{
    static struct make m;
    static struct walk all, w;
    uint64_t seed = 11;

    make_trace(&m);
    walk_whole(&all, m.bytes, m.size);
    for ( size_t round = 0; round < 20000; round++ )
    {
        size_t at = make_random(&seed) % (all.window[all.nr - 1].at - 8);
        size_t near = at + make_random(&seed) % 8;
        uint8_t one = 1u << make_random(&seed) % 8;
        uint8_t other = 1u << make_random(&seed) % 8;

        m.bytes[at] ^= one;
        m.bytes[near] ^= other;
        if ( at != near || one != other )
        {
            walk_whole(&w, m.bytes, m.size);
            ck_assert_msg(xt_damage_times(&w.damage), "bytes %zu, %zu", at,
                          near);
        }
        m.bytes[near] ^= other;
        m.bytes[at] ^= one;
    }
}
END_TEST

/* Missing windows are detected; the start of another trace is no damage. */
START_TEST(numbers)
{
    static struct make m;
    static struct walk w;
    size_t gap;

    m.size = 0;
    add_sealed(&m, 0, 3, 0);
    add_sealed(&m, 1, 3, 1);
    gap = m.size;
    add_sealed(&m, 0, 3, 4);
    add_sealed(&m, 1, 3, 0);
    add_sealed(&m, 0, 3, 1);
    walk_whole(&w, m.bytes, m.size);
    ck_assert_uint_eq(w.nr, 5);
    ck_assert_uint_eq(xt_damage_times(&w.damage), 1);
    ck_assert_int_eq(w.damage.first[0].kind, XT_DAMAGE_GONE);
    ck_assert_uint_eq(w.damage.first[0].offset, gap);
}
END_TEST

/* Stock's windows and sealed windows in one file, in any order. */
START_TEST(mixed)
{
    static struct make m;
    static struct walk w;

    m.size = 0;
    for ( unsigned int i = 0; i < 4; i++ )
    {
        make_window(&m, 0, 3);
        make_window(&m, 1, 3);
        for ( unsigned int number = 0; number < i; number++ )
            add_sealed(&m, 2, 3, number);
    }
    walk_whole(&w, m.bytes, m.size);
    ck_assert_uint_eq(w.nr, 4 * 2 + 1 + 2 + 3);
    ck_assert_int_eq(xt_damage_grade(&w.damage), XT_GRADE_NONE);
}
END_TEST

/* A seal is valid for the window as the other kind of machine wrote it. */
START_TEST(swapped)
{
    static struct make m;
    static struct walk w;

    make_trace(&m);
    for ( size_t at = 0; at < m.size; )
    {
        size_t size = 12 + xt_load32(m.bytes + at + 8);
        uint32_t crc = 0, word;

        /* As the other machine writes it: each word swapped. */
        memcpy(m.bytes + at + 16, &crc, 4);
        for ( size_t i = 0; i < size; i += 4 )
        {
            word = __builtin_bswap32(xt_load32(m.bytes + at + i));
            memcpy(m.bytes + at + i, &word, 4);
        }
        crc = xt_crc32c(0, m.bytes + at, size);
        for ( size_t i = 0; i < size; i += 4 )
        {
            word = __builtin_bswap32(xt_load32(m.bytes + at + i));
            memcpy(m.bytes + at + i, &word, 4);
        }
        memcpy(m.bytes + at + 16, &crc, 4);
        at += size;
    }
    walk_whole(&w, m.bytes, m.size);
    ck_assert_uint_eq(w.nr, 11);
    ck_assert_int_eq(xt_damage_grade(&w.damage), XT_GRADE_NONE);
    m.bytes[m.size - 1] ^= 1;
    walk_whole(&w, m.bytes, m.size);
    ck_assert_uint_eq(w.nr, 10);
}
END_TEST

UNIT_MAIN("seal", intact, is_a_record, every_bit, two_bits, numbers, mixed,
          swapped)
