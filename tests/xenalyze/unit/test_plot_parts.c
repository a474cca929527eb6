/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a picture: positions and ticks of the axes, pieces of an axis of
 * addresses, keys of series, and names.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/plot/plot-draw.h"

static struct plot_view make_view(const struct plot_about *about, int64_t least,
                                  int64_t most)
{
    return (struct plot_view){
        .about = about, .name = "trace", .first = 0, .last = 1000000000,
        .least = least, .most = most, .bottom = PLOT_TOP + PLOT_LINES,
    };
}

/* The texts of the ticks, with a blank between them. */
static const char *tick_texts(const struct plot_tick *ticks, unsigned int nr)
{
    static char text[PLOT_TICKS * PLOT_NAME];

    *text = '\0';
    for ( unsigned int i = 0; i < nr; i++ )
    {
        strcat(text, i ? "|" : "");
        strcat(text, ticks[i].text);
    }
    return text;
}

/* --- time ----------------------------------------------------------------- */

static const struct
{
    int64_t first, last;        /* nanoseconds */
    const char *ticks;
} time_axes[] = {
    { 0, 1000000000, "0.0|0.2|0.4|0.6|0.8|1.0" },
    { 0, 8000000000, "0|1|2|3|4|5|6|7|8" },
    { 0, 100, "0|20|40|60|80|100" },
    { 0, 250000, "0|50|100|150|200|250" },
    { 0, 8000000, "0|1|2|3|4|5|6|7|8" },
    { 1230000000, 1270000000, "1.23|1.24|1.25|1.26|1.27" },
    { -1000000000, 1000000000, "-1.0|-0.5|0.0|0.5|1.0" },
    { 0, 86400000000000, "0|20000|40000|60000|80000" },
};

START_TEST(times_have_ticks)
{
    static const struct plot_about about = { "t", "l", PLOT_NUMBER };

    for ( size_t i = 0; i < sizeof(time_axes) / sizeof(time_axes[0]); i++ )
    {
        struct plot_tick ticks[PLOT_TICKS];
        struct plot_view v = make_view(&about, 0, 1);
        unsigned int nr;

        v.first = time_axes[i].first;
        v.last = time_axes[i].last;
        nr = plot_time_ticks(&v, ticks);
        ck_assert_str_eq(tick_texts(ticks, nr), time_axes[i].ticks);
        for ( unsigned int k = 0; k < nr; k++ )
            ck_assert(ticks[k].at >= PLOT_LEFT && ticks[k].at <= PLOT_RIGHT);
        ck_assert(plot_x(&v, v.first) == PLOT_LEFT);
        ck_assert(plot_x(&v, v.last) == PLOT_RIGHT);
    }
}
END_TEST

/* --- values --------------------------------------------------------------- */

static const struct
{
    enum plot_unit unit;
    int64_t least, most;
    bool log;
    const char *ticks;
} value_axes[] = {
    { PLOT_NUMBER, 0, 10, false, "0|2|4|6|8|10" },
    { PLOT_NUMBER, -2, 3, false, "-2|-1|0|1|2|3" },
    { PLOT_NUMBER, 0, 80000, false, "0|10k|20k|30k|40k|50k|60k|70k|80k" },
    { PLOT_NUMBER, 0, 4000000000, false,
      "0|500M|1.0G|1.5G|2.0G|2.5G|3.0G|3.5G|4.0G" },
    { PLOT_PLACES, 0, 3, false, "0|1|2|3" },
    { PLOT_NUMBER, 500, 5000, false, "1k|2k|3k|4k|5k" },
    { PLOT_TIME, 500, 5000, false, "1 us|2 us|3 us|4 us|5 us" },
    { PLOT_TIME, 100, 100000, true,
      "100 ns|200 ns|500 ns|1 us|2 us|5 us|10 us|20 us|50 us|100 us" },
    { PLOT_TIME, 0, 100000, false,
      "0 ns|20 us|40 us|60 us|80 us|100 us" },
    { PLOT_TIME, 10, 10000000000, true,
      "10 ns|100 ns|1 us|10 us|100 us|1 ms|10 ms|100 ms|1 s|10 s" },
    { PLOT_TIME, 1000, 2000, false,
      "1.0 us|1.2 us|1.4 us|1.6 us|1.8 us|2.0 us" },
};

START_TEST(values_have_ticks)
{
    for ( size_t i = 0; i < sizeof(value_axes) / sizeof(value_axes[0]); i++ )
    {
        struct plot_about about = { "t", "l", value_axes[i].unit };
        struct plot_tick ticks[PLOT_TICKS];
        struct plot_view v = make_view(&about, value_axes[i].least,
                                       value_axes[i].most);
        unsigned int nr;

        ck_assert_int_eq(plot_wants_log(&v), value_axes[i].log);
        v.log = value_axes[i].log;
        nr = plot_value_ticks(&v, ticks);
        ck_assert_str_eq(tick_texts(ticks, nr), value_axes[i].ticks);
        for ( unsigned int k = 1; k < nr; k++ )
            ck_assert(ticks[k].at < ticks[k - 1].at);
        ck_assert(plot_y(&v, v.least) <= v.bottom);
        ck_assert(plot_y(&v, v.most) >= PLOT_TOP);
        ck_assert(plot_y(&v, v.least) > plot_y(&v, v.most));
    }
}
END_TEST

/* --- addresses ------------------------------------------------------------ */

static const struct
{
    uint64_t values[8];
    size_t nr;
    unsigned int pieces;
    uint64_t low, high;         /* ends of the first piece */
} address_axes[] = {
    { { 0 }, 0, 1, 0, 0 },
    { { 0x1000 }, 1, 1, 0x1000, 0x1000 },
    { { 0x1000, 0x2000, 0x3000 }, 3, 1, 0x1000, 0x3000 },
    { { 0x3000, 0xffffffff81000000, 0x1000 }, 3, 2, 0x1000, 0x3000 },
    { { 0x10000, 0x20000 }, 2, 2, 0x10000, 0x10000 },
    { { 0x10000, 0x1ffff }, 2, 1, 0x10000, 0x1ffff },
    { { 1ull << 20, 1ull << 24, 1ull << 28, 1ull << 32, 1ull << 36,
        1ull << 40, 1ull << 44, 1ull << 48 }, 8, 7, 1ull << 20, 1ull << 24 },
};

START_TEST(addresses_are_split)
{
    static const struct plot_about about = { "t", "l", PLOT_ADDRESS };

    for ( size_t i = 0; i < sizeof(address_axes) / sizeof(*address_axes); i++ )
    {
        struct plot_mark marks[8];
        struct plot_view v = make_view(&about, 0, 1);
        double bottom = v.bottom;

        for ( size_t k = 0; k < address_axes[i].nr; k++ )
            marks[k].value = (int64_t)address_axes[i].values[k];
        v.marks = marks;
        v.nr_marks = address_axes[i].nr;
        ck_assert_int_eq(plot_split_addresses(&v), 0);
        ck_assert_uint_eq(v.nr_pieces, address_axes[i].pieces);
        ck_assert_uint_eq(v.pieces[0].low, address_axes[i].low);
        ck_assert_uint_eq(v.pieces[0].high, address_axes[i].high);
        for ( unsigned int k = 0; k < v.nr_pieces; k++ )
        {
            ck_assert(v.pieces[k].bottom < bottom);
            ck_assert(v.pieces[k].top < v.pieces[k].bottom);
            ck_assert_uint_le(v.pieces[k].low, v.pieces[k].high);
            bottom = v.pieces[k].top;
        }
        ck_assert(bottom > PLOT_TOP);
    }
}
END_TEST

/* An address between two pieces is drawn at the edge of a piece. */
START_TEST(addresses_have_positions)
{
    static const struct plot_about about = { "t", "l", PLOT_ADDRESS };
    struct plot_mark marks[] = {
        { .value = 0x400000 }, { .value = 0x400100 },
        { .value = (int64_t)0xffffffff81000000 },
        { .value = (int64_t)0xffffffff81000100 },
    };
    struct plot_tick ticks[PLOT_TICKS];
    struct plot_view v = make_view(&about, 0, 1);
    unsigned int nr;

    v.marks = marks;
    v.nr_marks = 4;
    ck_assert_int_eq(plot_split_addresses(&v), 0);
    ck_assert(plot_address_y(&v, 0x400000) == v.pieces[0].bottom);
    ck_assert(plot_address_y(&v, 0x400100) == v.pieces[0].top);
    ck_assert(plot_address_y(&v, 0) == v.pieces[0].bottom);
    ck_assert(plot_address_y(&v, 0x500000) == v.pieces[1].bottom);
    ck_assert(plot_address_y(&v, UINT64_MAX) == v.pieces[1].top);
    nr = plot_address_ticks(&v, ticks);
    ck_assert_str_eq(tick_texts(ticks, nr),
                     "400000|400040|400080|4000c0|400100|ffffffff81000000|"
                     "ffffffff81000040|ffffffff81000080|ffffffff810000c0|"
                     "ffffffff81000100");
}
END_TEST

/* --- rows ----------------------------------------------------------------- */

START_TEST(rows_have_heights)
{
    static const struct plot_about about = { "t", "l", PLOT_PCPUS };
    static const struct
    {
        unsigned int rows;
        double height;          /* height of a row */
    } heights[] = {
        { 1, 64 }, { 4, 64 }, { 10, 64 }, { 20, 35 }, { 100, 7 },
        { 512, 4 },
    };

    for ( size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++ )
    {
        struct plot_view v = make_view(&about, 0, 1);

        v.bars = true;
        v.nr_rows = heights[i].rows;
        ck_assert(plot_row_top(&v, 0) == PLOT_TOP);
        ck_assert(fabs(plot_row_top(&v, 1) - PLOT_TOP - heights[i].height) <
                  1e-9);
        ck_assert_int_eq(plot_height(&v),
                         PLOT_TOP + PLOT_BELOW +
                         (int)(heights[i].rows * heights[i].height + 1e-9));
    }
}
END_TEST

/* --- keys ----------------------------------------------------------------- */

START_TEST(keys_have_numbers)
{
    struct plot_keys k = { 0 };
    uint64_t seed = unit_seed();

    for ( uint32_t i = 0; i < 20000; i++ )
        UNIT_CHECK(plot_keys_add(&k, (uint64_t)i << 40 | i, 1) == i);
    for ( uint32_t n = 0; n < 100000; n++ )
    {
        uint32_t i = unit_random(&seed) % 20000;

        UNIT_CHECK(plot_keys_add(&k, (uint64_t)i << 40 | i, i) == i);
    }
    ck_assert_uint_eq(k.nr, 20000);
    ck_assert_uint_eq(k.weights[0], 1);
    ck_assert(!k.failed);
    plot_keys_fini(&k);
}
END_TEST

/* Beyond 65,536 keys, all others share the last number. */
START_TEST(keys_have_a_limit)
{
    struct plot_keys k = { 0 };

    for ( uint32_t i = 0; i < 70000; i++ )
        UNIT_CHECK(plot_keys_add(&k, i, 1) == (i < 65536 ? i : 65535));
    ck_assert_uint_eq(k.nr, 65536);
    ck_assert_uint_eq(k.weights[65535], 1 + 70000 - 65536);
    ck_assert_uint_eq(plot_keys_add(&k, 7, 1), 7);
    plot_keys_fini(&k);

    for ( uint64_t n = 1; n <= 6; n++ )
    {
        k = (struct plot_keys){ 0 };
        fault_arm(FAULT_ALLOC, n);
        for ( uint32_t i = 0; i < 100; i++ )
            plot_keys_add(&k, i, 1);
        fault_disarm();
        ck_assert(k.failed);
        plot_keys_fini(&k);
    }
}
END_TEST

/* --- names ---------------------------------------------------------------- */

static const struct
{
    uint64_t key;
    const char *name;
} series_names[] = {
    { PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(1, 2)), "d1v2" },
    { PLOT_KEY(PLOT_OF_VCPU, PLOT_VCPU_ID(65535, 65535)), "d65535v65535" },
    { PLOT_KEY(PLOT_OF_DOMAIN, 7), "d7" },
    { PLOT_KEY(PLOT_OF_IRQ, 0x1f), "irq 31" },
    { PLOT_KEY(PLOT_OF_STATE, STATE_RUNNABLE), "waiting" },
    { PLOT_KEY(PLOT_OF_IDLE, 0), "idle" },
    { PLOT_KEY(PLOT_OF_LOST, 0), "lost" },
    { PLOT_KEY(PLOT_OF_OTHERS, 0), "others" },
    { PLOT_KEY(PLOT_OF_OTHERS, 7), "7 others" },
};

static const struct
{
    enum plot_unit unit;
    uint64_t first, last;
    const char *name;
} row_names[] = {
    { PLOT_PCPUS, 3, 3, "pcpu 3" },
    { PLOT_PCPUS, 4, 7, "4-7" },
    { PLOT_VCPUS, PLOT_VCPU_ID(1, 2), PLOT_VCPU_ID(1, 2), "d1v2" },
};

START_TEST(series_and_rows_have_names)
{
    char name[PLOT_NAME];
    struct plot_row row;

    for ( size_t i = 0; i < sizeof(series_names) / sizeof(*series_names); i++ )
    {
        plot_name_series(name, series_names[i].key, NULL);
        ck_assert_str_eq(name, series_names[i].name);
    }
    for ( size_t i = 0; i < sizeof(row_names) / sizeof(row_names[0]); i++ )
    {
        plot_name_row(&row, row_names[i].unit, row_names[i].first,
                      row_names[i].last, NULL);
        ck_assert_str_eq(row.name, row_names[i].name);
    }
}
END_TEST

/* A name that is cut still ends with the number of the vcpu. */
START_TEST(series_and_rows_have_names_of_domains)
{
    static struct xt_domain_name all[] = {
        { .id = 1, .name = "web1", .label = "web1", .length = 4 },
        { .id = 32000, .name = "a", .label = "abcdefghijklmnopqrstuvwxyz",
          .length = 26 },
    };
    const struct xt_domain_names names = { .all = all, .nr = 2 };
    const uint64_t key = PLOT_VCPU_ID(1, 2), last = PLOT_VCPU_ID(32000, 12345);
    char name[PLOT_NAME];
    struct plot_row row;

    plot_name_series(name, PLOT_KEY(PLOT_OF_DOMAIN, 1), &names);
    ck_assert_str_eq(name, "web1");
    plot_name_series(name, PLOT_KEY(PLOT_OF_VCPU, key), &names);
    ck_assert_str_eq(name, "web1/2");
    plot_name_row(&row, PLOT_VCPUS, key, key, &names);
    ck_assert_str_eq(row.name, "web1/2");
    plot_name_row(&row, PLOT_VCPUS, last, last, &names);
    ck_assert_str_eq(row.name, "abcd~32000/12345");
}
END_TEST

UNIT_MAIN("plot parts", times_have_ticks, values_have_ticks,
          addresses_are_split, addresses_have_positions, rows_have_heights,
          keys_have_numbers, keys_have_a_limit, series_and_rows_have_names,
          series_and_rows_have_names_of_domains)
