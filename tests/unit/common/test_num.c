/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Number writers against snprintf: at every power of two and ten and its
 * neighbours, and at random.  Each call also checks the contract for space:
 * nothing before p, nothing beyond the stated maximum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/num.h"
#include "unit.h"

#define ROUNDS 20000
#define GUARD '#'
#define BEFORE 8
#define ROOM 96

struct sheet
{
    char bytes[BEFORE + ROOM];
};

static char *start(struct sheet *s)
{
    memset(s->bytes, GUARD, sizeof(s->bytes));
    return s->bytes + BEFORE;
}

/*
 * Check that the text is `expected`, and that only `max` bytes were written.
 * (Each ck_assert writes to the parent process, so there is not one per byte.)
 */
static void check_text(const struct sheet *s, const char *end, size_t max,
                       const char *expected)
{
    const char *p = s->bytes + BEFORE;
    size_t len = strlen(expected), i;

    if ( (size_t)(end - p) != len || memcmp(p, expected, len) != 0 )
        ck_abort_msg("\"%.*s\" is not \"%s\"", (int)(end - p), p, expected);
    if ( len > max )
        ck_abort_msg("\"%s\" is longer than %zu", expected, max);
    for ( i = 0; i < BEFORE; i++ )
        if ( s->bytes[i] != GUARD )
            ck_abort_msg("wrote before \"%s\"", expected);
    for ( i = max; i < ROOM; i++ )
        if ( p[i] != GUARD )
            ck_abort_msg("\"%s\" touched byte %zu of %zu", expected, i, max);
}

#define CHECK(max, call, ...)                                           \
    do {                                                                \
        struct sheet sheet;                                             \
        char expected[ROOM], *p = start(&sheet);                        \
                                                                        \
        p = call;                                                       \
        snprintf(expected, sizeof(expected), __VA_ARGS__);              \
        check_text(&sheet, p, max, expected);                           \
    } while ( 0 )

static void check_decimal(uint64_t v)
{
    CHECK(NUM_U64_MAX, num_u64(p, v), "%" PRIu64, v);
    CHECK(NUM_I64_MAX, num_i64(p, v), "%" PRId64, (int64_t)v);
    CHECK(NUM_U64_MAX, num_u64_eight(p, v), "%8" PRIu64, v);
    CHECK(9, num_nine(p, v % NUM_NINE), "%09u",
          (unsigned int)(v % NUM_NINE));
    CHECK(6, num_six(p, v % NUM_SIX), "%06u", (unsigned int)(v % NUM_SIX));
    CHECK(3, num_three(p, v % NUM_SHORTS), "%03u",
          (unsigned int)(v % NUM_SHORTS));
    CHECK(4, num_short(p, &num_shorts()[v % NUM_SHORTS]), "%u",
          (unsigned int)(v % NUM_SHORTS));
    CHECK(NUM_SEC_MAX, num_sec(p, v), "%" PRIu64 ".%09u", v / 1000000000,
          (unsigned int)(v % 1000000000));
}

static void check_hex(uint64_t v)
{
    CHECK(NUM_HEX_MAX, num_hex(p, v), "%" PRIx64, v);
    CHECK(NUM_HEX_MAX, num_hex_eight(p, v), "%08x", (unsigned int)v);
}

static void check_padded(uint64_t v, int w)
{
    char seconds[ROOM];

    CHECK(NUM_U64_MAX + w, num_u64_right(p, v, w), "%*" PRIu64, w, v);
    CHECK(NUM_U64_MAX + w, num_u64_left(p, v, w), "%-*" PRIu64, w, v);
    CHECK(NUM_U64_MAX + w, num_u64_zero(p, v, w), "%0*" PRIu64, w, v);
    CHECK(NUM_I64_MAX + w, num_i64_right(p, v, w), "%*" PRId64, w,
          (int64_t)v);
    CHECK(NUM_HEX_MAX + w, num_hex_right(p, v, w), "%*" PRIx64, w, v);
    CHECK(NUM_HEX_MAX + w, num_hex_zero(p, v, w), "%0*" PRIx64, w, v);
    snprintf(seconds, sizeof(seconds), "%" PRIu64 ".%09u", v / 1000000000,
             (unsigned int)(v % 1000000000));
    CHECK(NUM_SEC_MAX + w, num_sec_right(p, v, w), "%*s", w, seconds);
}

static void check_all(uint64_t v)
{
    check_decimal(v);
    check_hex(v);
    check_padded(v, v % 31);
}

START_TEST(edges)
{
    uint64_t power;
    unsigned int i;
    int width;

    for ( i = 0; i < 64; i++ )
    {
        power = (uint64_t)1 << i;
        check_all(power - 1);
        check_all(power);
        check_all(power + 1);
        check_all(-power);
    }
    for ( i = 0, power = 1; i < 20; i++, power *= 10 )
    {
        check_all(power - 1);
        check_all(power);
        check_all(power + 1);
    }
    for ( width = 0; width < 40; width++ )
    {
        check_padded(0, width);
        check_padded(UINT64_MAX, width);
        check_padded(INT64_MIN, width);
        check_padded(123456789, width);
    }
}
END_TEST

/* All numbers of up to four digits, then random ones of all lengths. */
START_TEST(same_as_snprintf)
{
    uint64_t state = unit_seed(), v;

    for ( v = 0; v < 11000; v++ )
        check_all(v);
    for ( v = 0; v < ROUNDS; v++ )
        check_all(unit_random_length(&state));
}
END_TEST

static void check_cents(double value, unsigned int width)
{
    char want[64], text[64];

    snprintf(want, sizeof(want), "%*.2f", (int)width, value);
    *num_cents(text, value, width) = '\0';
    ck_assert_str_eq(text, want);
}

/* Values of all sizes, and those in the middle of two texts. */
START_TEST(cents)
{
    static const double values[] = {
        0, 0.004999, 0.005, 0.0050001, 0.015, 0.125, 0.375, 2.675, 9.995,
        99.995, 100, 4503599627370495.5, 4503599627370497,
        9007199254740991.0, 4.9e-324, 2.2e-308, 1e-30,
    };
    uint64_t state = unit_seed();

    for ( size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++ )
        check_cents(values[i], i % 9);
    for ( unsigned int i = 0; i < 4096; i++ )
        check_cents(i / 8.0 + 0.0625, 5);
    for ( unsigned int i = 0; i < ROUNDS; i++ )
    {
        double a = 1 + (double)unit_random_length(&state);
        double b = 1 + (double)unit_random_length(&state);

        check_cents(a < NUM_CENTS_LIMIT ? a : 1 / a, 7);
        check_cents(a / b < NUM_CENTS_LIMIT ? a / b : b / a, 5);
    }
}
END_TEST

/* Every digit in every place, of each three. */
START_TEST(all_groups_of_three_digits)
{
    uint64_t v;

    for ( v = 0; v < 1000; v++ )
    {
        check_decimal(1000000000000ull + v * 1001001001);
        check_decimal(v * 1000 + 999);
        check_decimal(v * 1000000 + 999000);
        check_decimal(v * 1000000000 + 999);
    }
}
END_TEST

START_TEST(chains)
{
    char line[128], *p = line;

    p = num_text(p, "d");
    p = num_u64(p, 1);
    p = num_text(p, "");
    p = num_fill(p, '.', 3);
    p = num_hex_zero(p, 0xbeef, 8);
    *p = '\0';
    ck_assert_str_eq(line, "d1...0000beef");
}
END_TEST

static const struct
{
    uint64_t value;
    const char *decimal, *binary;
} human[] = {
    { 0, "0 B/s", "0 B/s" },
    { 1, "1 B/s", "1 B/s" },
    { 999, "999 B/s", "999 B/s" },
    { 1000, "1.0 kB/s", "1000 B/s" },
    { 1023, "1.0 kB/s", "1023 B/s" },
    { 1024, "1.0 kB/s", "1.0 KiB/s" },
    { 1049, "1.0 kB/s", "1.0 KiB/s" },
    { 1050, "1.1 kB/s", "1.0 KiB/s" },
    { 3400000, "3.4 MB/s", "3.2 MiB/s" },
    { 999949, "999.9 kB/s", "976.5 KiB/s" },
    { 999950, "1.0 MB/s", "976.5 KiB/s" },
    { 1048524, "1.0 MB/s", "1023.9 KiB/s" },
    { 1048525, "1.0 MB/s", "1.0 MiB/s" },
    { 33554432, "33.6 MB/s", "32.0 MiB/s" },
    { 999999999999, "1.0 TB/s", "931.3 GiB/s" },
    { UINT64_MAX, "18.4 EB/s", "16.0 EiB/s" },
};

START_TEST(human_sizes)
{
    unsigned int i;

    for ( i = 0; i < sizeof(human) / sizeof(human[0]); i++ )
    {
        CHECK(NUM_HUMAN_MAX + 3, num_human(p, human[i].value, "B/s"), "%s",
              human[i].decimal);
        CHECK(NUM_HUMAN_MAX + 3, num_human_1024(p, human[i].value, "B/s"),
              "%s", human[i].binary);
    }
    CHECK(NUM_HUMAN_MAX, num_human(p, 999, ""), "999");
    CHECK(NUM_HUMAN_MAX, num_human(p, 3400000, ""), "3.4 M");
}
END_TEST

START_TEST(durations)
{
    CHECK(NUM_CLOCK_MAX, num_duration(p, 0), "0 ns");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 740), "740 ns");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 1500), "1.5 us");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 999949), "999.9 us");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 999950), "1.0 ms");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 59949999999), "59.9 s");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 59950000000), "1:00");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 61499999999), "1:01");
    CHECK(NUM_CLOCK_MAX, num_duration(p, 61500000000), "1:02");
}
END_TEST

START_TEST(clocks)
{
    CHECK(NUM_CLOCK_MAX, num_clock(p, 0), "0:00");
    CHECK(NUM_CLOCK_MAX, num_clock(p, 59), "0:59");
    CHECK(NUM_CLOCK_MAX, num_clock(p, 60), "1:00");
    CHECK(NUM_CLOCK_MAX, num_clock(p, 3599), "59:59");
    CHECK(NUM_CLOCK_MAX, num_clock(p, 3600), "1:00:00");
    CHECK(NUM_CLOCK_MAX, num_clock(p, 3723), "1:02:03");
    CHECK(NUM_CLOCK_MAX, num_clock(p, UINT64_MAX),
          "5124095576030431:00:15");
}
END_TEST

START_TEST(rates)
{
    const uint64_t second = 1000000000;

    ck_assert_uint_eq(num_per_second(5, 0), 0);
    ck_assert_uint_eq(num_per_second(0, 5), 0);
    ck_assert_uint_eq(num_per_second(100, second), 100);
    ck_assert_uint_eq(num_per_second(100, second / 2), 200);
    ck_assert_uint_eq(num_per_second(1, second * 2), 0);
    ck_assert_uint_eq(num_per_second(UINT64_MAX / second, 1),
                      UINT64_MAX / second * second);
    ck_assert_uint_eq(num_per_second(10 * second * second, 10 * second),
                      second * second);
    ck_assert_uint_eq(num_per_second(UINT64_MAX, 1), UINT64_MAX);
    ck_assert_uint_eq(num_per_second(UINT64_MAX, 1000), UINT64_MAX);
    ck_assert_uint_eq(num_per_second(UINT64_MAX, UINT64_MAX), second);
}
END_TEST

/* Columns of a fixed width, at the bounds of each. */
START_TEST(columns)
{
    CHECK(NUM_U64_MAX + 4, num_u64_fit(p, 0, 4), "   0");
    CHECK(NUM_U64_MAX + 4, num_u64_fit(p, 9999, 4), "9999");
    CHECK(NUM_U64_MAX + 4, num_u64_fit(p, 10000, 4), " 10k");
    CHECK(NUM_U64_MAX + 4, num_u64_fit(p, 999999, 4), "999k");
    CHECK(NUM_U64_MAX + 4, num_u64_fit(p, 1000000, 4), "  1M");
    CHECK(NUM_U64_MAX + 7, num_u64_fit(p, 9999999, 7), "9999999");
    CHECK(NUM_U64_MAX + 7, num_u64_fit(p, 10000000, 7), " 10000k");
    CHECK(NUM_U64_MAX + 5, num_u64_fit(p, UINT64_MAX, 5), "  18E");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 3544747413u, 15), "3.544747413");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 3544747413u, 11), "3.544747413");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 3544747413u, 8), "3.544747");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 123456789012u, 5), "123.4");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 123456789012u, 4), "123");
    CHECK(NUM_SEC_MAX, num_sec_fit(p, 123456789012u, 1), "123");
}
END_TEST

UNIT_MAIN("num", columns, edges, same_as_snprintf, cents,
          all_groups_of_three_digits, chains, human_sizes, durations, clocks,
          rates)
