/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The grammars of numbers: accepted and rejected texts, to the last bit. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/opts-private.h"
#include "unit.h"

struct row
{
    const char *text;
    int rc;
    uint64_t value;
};

static void check_rows(int (*read)(const char *, uint64_t *),
                       const struct row *rows, size_t n)
{
    const uint64_t untouched = 0x5555;
    size_t i;

    for ( i = 0; i < n; i++ )
    {
        uint64_t value = untouched;
        int rc = read(rows[i].text, &value);
        uint64_t expected = rows[i].rc ? untouched : rows[i].value;

        ck_assert_msg(rc == rows[i].rc && value == expected,
                      "\"%s\": %d, %" PRIu64 "; expected %d, %" PRIu64,
                      rows[i].text, rc, value, rows[i].rc, expected);
    }
}

#define CHECK_ROWS(read, rows) \
    check_rows(read, rows, sizeof(rows) / sizeof((rows)[0]))

static const struct row numbers[] = {
    { "0", 0, 0 },
    { "12", 0, 12 },
    { "0x1f", 0, 0x1f },
    { "0XfF", 0, 0xff },
    { "017", 0, 017 },
    { "00", 0, 0 },
    { "18446744073709551615", 0, UINT64_MAX },
    { "0xffffffffffffffff", 0, UINT64_MAX },
    { "01777777777777777777777", 0, UINT64_MAX },
    { "18446744073709551616", -ERANGE, 0 },
    { "0x10000000000000000", -ERANGE, 0 },
    { "02000000000000000000000", -ERANGE, 0 },
    { "99999999999999999999999999", -ERANGE, 0 },
    { "99999999999999999999999999x", -EINVAL, 0 },
    { "", -EINVAL, 0 },
    { " 1", -EINVAL, 0 },
    { "1 ", -EINVAL, 0 },
    { "-1", -EINVAL, 0 },
    { "+1", -EINVAL, 0 },
    { "0x", -EINVAL, 0 },
    { "x1", -EINVAL, 0 },
    { "1f", -EINVAL, 0 },
    { "08", -EINVAL, 0 },
    { "1.5", -EINVAL, 0 },
    { "1k", -EINVAL, 0 },
    { "\xb2", -EINVAL, 0 },
};

static const struct row sizes[] = {
    { "0", 0, 0 },
    { "4096", 0, 4096 },
    { "010", 0, 10 },
    { "64k", 0, 65536 },
    { "64K", 0, 65536 },
    { "1m", 0, 1 << 20 },
    { "1M", 0, 1 << 20 },
    { "3g", 0, 3ull << 30 },
    { "2T", 0, 2ull << 40 },
    { "2t", 0, 2ull << 40 },
    { "0x10k", 0, 16384 },
    { "1.5G", 0, 3ull << 29 },
    { ".5k", 0, 512 },
    { "0.0004k", 0, 0 },
    { "0.0005k", 0, 1 },
    { "0.00048828125k", 0, 1 },
    { "0.00048828124k", 0, 0 },
    { "1.99999999999999999999999999k", 0, 2048 },
    { "16777215.999999999999T", 0, UINT64_MAX },
    { "16777215.9999999999999T", -ERANGE, 0 },
    { "16777216T", -ERANGE, 0 },
    { "18446744073709551615", 0, UINT64_MAX },
    { "18446744073709551615.4", 0, UINT64_MAX },
    { "18446744073709551615.5", -ERANGE, 0 },
    { "18446744073709551616", -ERANGE, 0 },
    { "", -EINVAL, 0 },
    { "k", -EINVAL, 0 },
    { ".", -EINVAL, 0 },
    { ".k", -EINVAL, 0 },
    { "1.", -EINVAL, 0 },
    { "1.k", -EINVAL, 0 },
    { "1kk", -EINVAL, 0 },
    { "1 k", -EINVAL, 0 },
    { "1s", -EINVAL, 0 },
    { "0x1.8k", -EINVAL, 0 },
    { "-1k", -EINVAL, 0 },
    { "1.5.5", -EINVAL, 0 },
};

static const struct row times[] = {
    { "10", 0, 10000000000 },
    { "10s", 0, 10000000000 },
    { "5ms", 0, 5000000 },
    { "3us", 0, 3000 },
    { "7ns", 0, 7 },
    { "2m", 0, 120000000000 },
    { "1h", 0, 3600000000000 },
    { "0.5", 0, 500000000 },
    { ".25s", 0, 250000000 },
    { "1.000000001", 0, 1000000001 },
    { "1.5ns", 0, 2 },
    { "5124095h", 0, 18446742000000000000ull },
    { "5124096h", -ERANGE, 0 },
    { "1S", -EINVAL, 0 },
    { "1M", -EINVAL, 0 },
    { "1k", -EINVAL, 0 },
    { "ms", -EINVAL, 0 },
};

static const struct row frequencies[] = {
    { "2400000000", 0, 2400000000 },
    { "2.4G", 0, 2400000000 },
    { "2.4g", 0, 2400000000 },
    { "2400M", 0, 2400000000 },
    { "2399.987M", 0, 2399987000 },
    { "100k", 0, 100000 },
    { "100K", 0, 100000 },
    { "18446744074G", -ERANGE, 0 },
    { "1T", -EINVAL, 0 },
    { "2.4GHz", -EINVAL, 0 },
};

START_TEST(plain_numbers) { CHECK_ROWS(opts_number, numbers); } END_TEST
START_TEST(size_rows) { CHECK_ROWS(opts_size, sizes); } END_TEST
START_TEST(time_rows) { CHECK_ROWS(opts_time, times); } END_TEST
START_TEST(hz_rows) { CHECK_ROWS(opts_hz, frequencies); } END_TEST

START_TEST(shown_as_typed)
{
    char text[OPT_NUMBER_MAX];

    opts_show_number(65536, text);
    ck_assert_str_eq(text, "65536");
    opts_show_size(65536, text);
    ck_assert_str_eq(text, "64k");
    opts_show_size(65537, text);
    ck_assert_str_eq(text, "65537");
    opts_show_size(0, text);
    ck_assert_str_eq(text, "0");
    opts_show_time(90000000000, text);
    ck_assert_str_eq(text, "90s");
    opts_show_time(1, text);
    ck_assert_str_eq(text, "1ns");
    opts_show_time(0, text);
    ck_assert_str_eq(text, "0");
    opts_show_hz(2400000000, text);
    ck_assert_str_eq(text, "2400M");
}
END_TEST

static const struct
{
    int (*read)(const char *text, uint64_t *value);
    void (*show)(uint64_t value, char *buf);
} ways[] = {
    { opts_number, opts_show_number }, { opts_size, opts_show_size },
    { opts_time, opts_show_time }, { opts_hz, opts_show_hz },
};

START_TEST(what_is_shown_is_read_back)
{
    uint64_t state = unit_seed(), value, back;
    char text[OPT_NUMBER_MAX];
    unsigned int i, w;

    for ( i = 0; i < 100000; i++ )
        for ( w = 0; w < sizeof(ways) / sizeof(ways[0]); w++ )
        {
            value = unit_random_length(&state);
            value <<= i % 8 * 6;
            ways[w].show(value, text);
            ck_assert_msg(ways[w].read(text, &back) == 0 && back == value,
                          "way %u: %" PRIu64 " is \"%s\"", w, value, text);
        }
}
END_TEST

UNIT_MAIN("opts-number", plain_numbers, size_rows, time_rows, hz_rows,
          shown_as_typed, what_is_shown_is_read_back)
