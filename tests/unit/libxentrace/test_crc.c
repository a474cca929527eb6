/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C: published checksums, and a bit-by-bit division as the reference for
 * both implementations, at every length and alignment.
 */
#include "libxentrace/crc.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define SIZE (3 * 2048 * 2 + 3 * 256 * 2 + 64) /* two rounds of every loop */

static unsigned char bytes[SIZE + 8];

static void fill_bytes(void)
{
    uint64_t seed = 3;

    for ( size_t i = 0; i < sizeof(bytes); i++ )
        bytes[i] = make_random(&seed);
}

/* A byte, bit by bit. */
static uint32_t slow_byte(uint32_t rest, unsigned char byte)
{
    for ( rest ^= byte, byte = 8; byte; byte-- )
        rest = rest >> 1 ^ (rest & 1 ? 0x82f63b78 : 0);
    return rest;
}

/* Values of RFC 3720, B.4, and the usual example. */
START_TEST(published)
{
    unsigned char text[32];

    ck_assert_uint_eq(xt_crc32c(0, "", 0), 0);
    ck_assert_uint_eq(xt_crc32c(0, "123456789", 9), 0xe3069283);
    memset(text, 0, 32);
    ck_assert_uint_eq(xt_crc32c(0, text, 32), 0x8a9136aa);
    memset(text, 0xff, 32);
    ck_assert_uint_eq(xt_crc32c(0, text, 32), 0x62a8ab43);
    for ( int i = 0; i < 32; i++ )
        text[i] = i;
    ck_assert_uint_eq(xt_crc32c(0, text, 32), 0x46dd794e);
    for ( int i = 0; i < 32; i++ )
        text[i] = 31 - i;
    ck_assert_uint_eq(xt_crc32c_table(0, text, 32), 0x113fdb5c);
}
END_TEST

START_TEST(every_length)
{
    uint32_t rest = ~0u;

    fill_bytes();
    for ( size_t size = 0; size <= SIZE; size++ )
    {
        ck_assert_uint_eq(xt_crc32c(0, bytes, size), ~rest);
        if ( size % 61 == 0 )
            ck_assert_uint_eq(xt_crc32c_table(0, bytes, size), ~rest);
        rest = slow_byte(rest, bytes[size]);
    }
}
END_TEST

START_TEST(every_alignment)
{
    fill_bytes();
    for ( size_t at = 0; at < 8; at++ )
    {
        uint32_t rest = ~0u;

        for ( size_t i = 0; i < SIZE; i++ )
            rest = slow_byte(rest, bytes[at + i]);
        ck_assert_uint_eq(xt_crc32c(0, bytes + at, SIZE), ~rest);
        ck_assert_uint_eq(xt_crc32c_table(0, bytes + at, SIZE), ~rest);
    }
}
END_TEST

/* In two calls, split at any byte. */
START_TEST(goes_on)
{
    uint32_t whole;

    fill_bytes();
    whole = xt_crc32c(0, bytes, SIZE);
    for ( size_t cut = 0; cut <= SIZE; cut += 7 )
    {
        uint32_t first = xt_crc32c(0, bytes, cut);

        ck_assert_uint_eq(xt_crc32c(first, bytes + cut, SIZE - cut), whole);
    }
}
END_TEST

UNIT_MAIN("crc", published, every_length, every_alignment, goes_on)
