/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines in stock's format, character by character.  Lines with realistic
 * numbers were printed by stock.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/stats/stats.h"

static const struct stats_scale scale = {
    .hz = 2400000000u, .total = 24000, .samples = true,
};

struct sheet
{
    struct stats_pool pool;
    char *text;
    size_t size;
    FILE *out;
};

static void start(struct sheet *sheet)
{
    stats_pool_init(&sheet->pool);
    sheet->out = open_memstream(&sheet->text, &sheet->size);
    ck_assert_ptr_nonnull(sheet->out);
}

static void expect(struct sheet *sheet, const char *text)
{
    fclose(sheet->out);
    ck_assert_str_eq(sheet->text, text);
    free(sheet->text);
    stats_pool_fini(&sheet->pool);
}

START_TEST(time_line)
{
    struct stats s = { .weighted = true };
    struct sheet sheet;

    start(&sheet);
    stats_add(&s, &sheet.pool, 1272784, 0);
    stats_line_time(sheet.out, &scale, "        wake", &s);
    expect(&sheet, "        wake:       1  0.00s 1272784 "
                   "{1272784|1272784|1272784}\n");
}
END_TEST

START_TEST(cost_line)
{
    struct stats s = { 0 };
    struct sheet sheet;

    start(&sheet);
    stats_add(&s, &sheet.pool, 0, 0);
    stats_add(&s, &sheet.pool, 1200, 0);
    stats_add(&s, &sheet.pool, 2400, 0);
    stats_line_cost(sheet.out, &scale, " HLT                 ", &s);
    expect(&sheet, " HLT                        3  0.00s 15.00%  1800 cyc "
                   "{ 1200| 2400| 2400}\n");
}
END_TEST

START_TEST(cost_line_of_nothing_but_zeroes)
{
    struct stats s = { 0 };
    struct sheet sheet;

    start(&sheet);
    stats_add(&s, &sheet.pool, 0, 0);
    stats_line_cost(sheet.out, &scale, "x", &s);
    expect(&sheet, "x       1  0.00s  0.00%     0 cyc {    0|    0|    0}\n");
}
END_TEST

START_TEST(share_and_spread_lines)
{
    struct stats s = { .weighted = true };
    struct sheet sheet;

    start(&sheet);
    stats_add(&s, &sheet.pool, 100, 0);
    stats_add(&s, &sheet.pool, 300, 0);
    stats_line_share(sheet.out, &scale, "guest", &s, 800);
    stats_line_spread(sheet.out, &scale, "   [0]", &s);
    expect(&sheet,
           "guest:       2  0.00s 50.00%    200 {   100|   300|   300}\n"
           "   [0]:       2    200 {   100|   300|   300}\n");
}
END_TEST

START_TEST(without_samples)
{
    struct stats_scale bare = scale;
    struct stats s = { .weighted = true };
    struct sheet sheet;

    bare.samples = false;
    start(&sheet);
    stats_add(&s, &sheet.pool, 100, 0);
    stats_line_time(sheet.out, &bare, "x", &s);
    expect(&sheet, "x:       1  0.00s    100\n");
}
END_TEST

START_TEST(nothing_has_no_line)
{
    struct stats s = { 0 };
    struct sheet sheet;

    start(&sheet);
    stats_line_cost(sheet.out, &scale, "x", &s);
    stats_add(&s, &sheet.pool, 0, 0);
    stats_line_time(sheet.out, &scale, "x", &s);
    stats_line_share(sheet.out, &scale, "x", &s, 1);
    stats_line_spread(sheet.out, &scale, "x", &s);
    expect(&sheet, "");
}
END_TEST

UNIT_MAIN("lines", time_line, cost_line, cost_line_of_nothing_but_zeroes,
          share_and_spread_lines, without_samples, nothing_has_no_line)
