/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock against exact division: the error is at most a nanosecond, at any
 * frequency and for traces of any length.
 */
#include "libxentrace/clock.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

static const uint64_t speeds[] = {
    1000000, 62500000, 999999999, 1000000000, 1000000001, 2400000000,
    2893437000, 3400000000, 5000000000,
};

#define NR_SPEEDS (sizeof(speeds) / sizeof(speeds[0]))

static uint64_t make_random64(uint64_t *seed)
{
    return make_random(seed) * (UINT64_C(1) << 33) ^ make_random(seed);
}

/* A hundred years at 5 GHz need 64 bits of cycles. */
START_TEST(as_division)
{
    uint64_t seed = 1;

    for ( size_t i = 0; i < NR_SPEEDS; i++ )
    {
        struct xt_clock c;

        xt_clock_init(&c, speeds[i], 1000000000, 12345);
        ck_assert_uint_eq(xt_clock_hz(&c), speeds[i]);
        for ( unsigned int n = 0; n < 100000; n++ )
        {
            uint64_t cycles = make_random64(&seed) >> make_random(&seed) % 64;
            unsigned __int128 ns = (unsigned __int128)cycles * 1000000000 /
                                   speeds[i];
            int64_t got;

            if ( ns > INT64_MAX || cycles > UINT64_MAX - 12345 )
                continue;
            got = xt_clock_ns(&c, cycles + 12345);
            ck_assert_int_ge(got, (int64_t)ns);
            ck_assert_int_le(got, (int64_t)ns + (cycles >> 40 != 0));
            if ( cycles <= 12345 )
                ck_assert_int_eq(xt_clock_ns(&c, 12345 - cycles), -got);
        }
    }
}
END_TEST

START_TEST(never_backwards)
{
    struct xt_clock c;
    int64_t last = INT64_MIN;

    xt_clock_init(&c, 2893437000, 1000000000, 1000);
    for ( uint64_t tsc = 0; tsc < 1000000; tsc++ )
    {
        ck_assert_int_le(last, xt_clock_ns(&c, tsc));
        last = xt_clock_ns(&c, tsc);
    }
}
END_TEST

/* xt_clock_tsc() is the first time stamp at or after the time. */
START_TEST(back)
{
    uint64_t seed = 5;

    for ( size_t i = 0; i < NR_SPEEDS; i++ )
    {
        struct xt_clock c;

        xt_clock_init(&c, speeds[i], 1000000000, UINT64_C(1) << 50);
        for ( unsigned int n = 0; n < 10000; n++ )
        {
            int64_t ns = (int64_t)(make_random64(&seed) >> 30) - (1 << 20);
            uint64_t tsc = xt_clock_tsc(&c, ns);

            ck_assert_int_ge(xt_clock_ns(&c, tsc), ns);
            ck_assert_int_lt(xt_clock_ns(&c, tsc - 1), ns);
        }
    }
}
END_TEST

START_TEST(beyond_the_end)
{
    struct xt_clock c;

    xt_clock_init(&c, 1000000000, 1000000000, 1000);
    ck_assert_uint_eq(xt_clock_tsc(&c, -5000), 0);
    ck_assert_uint_eq(xt_clock_tsc(&c, -1000), 0);
    ck_assert_uint_eq(xt_clock_tsc(&c, -999), 1);
    xt_clock_init(&c, 4000000000, 1000000000, 1000);
    ck_assert_uint_eq(xt_clock_tsc(&c, INT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(wall)
{
    struct xt_clock c;

    xt_clock_init(&c, 2000000000, 1000000000, 4000);
    ck_assert(!c.has_wall);
    xt_clock_set_wall(&c, 6000, 1700000000000000000);
    ck_assert_int_eq(c.wall, 1700000000000000000 - 1000);
}
END_TEST

UNIT_MAIN("clock", as_division, never_backwards, back, beyond_the_end, wall)
