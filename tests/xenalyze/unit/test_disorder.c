/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conclusions about the clocks of pcpus from records in the wrong order.
 */
#include "tests/unit/common/unit.h"
#include "xenalyze/machine/disorder.h"

#define LEAST 100u
#define RECORDS 1000u

static struct disorder disorder;

/* Add swaps with the lags `step`, 2 * `step` ... */
static void add_swaps(uint32_t late, uint32_t early, unsigned int nr,
                      uint64_t step)
{
    for ( unsigned int i = 1; i <= nr; i++ )
        disorder_add_swap(&disorder, late, early, i * step);
}

static void expect_clocks(uint64_t cycles, uint64_t error, uint32_t late,
                          uint32_t early)
{
    struct fact_disorder f = disorder_conclude(&disorder, LEAST, RECORDS);

    ck_assert_uint_eq(f.cycles, cycles);
    ck_assert_uint_eq(f.error, error);
    ck_assert_uint_eq(f.pcpus[0], late);
    ck_assert_uint_eq(f.pcpus[1], early);
}

START_TEST(order_says_nothing)
{
    disorder_init(&disorder);
    disorder_add_wait(&disorder, 1, 2, 5000);
    expect_clocks(0, 0, 0, 0);
    disorder_add_swap(&disorder, 1, 2, LEAST - 1);
    expect_clocks(0, 0, 1, 2);
}
END_TEST

/* One swap is no proof of a difference, and no limit of errors. */
START_TEST(one_swap)
{
    disorder_init(&disorder);
    disorder_add_swap(&disorder, 3, 1, 800);
    expect_clocks(0, 900, 3, 1);
    disorder_add_wait(&disorder, 1, 1, 9000);
    disorder_add_wait(&disorder, 1, 2, 7000);
    disorder_add_wait(&disorder, 2, 1, 6000);
    expect_clocks(0, 7000, 3, 1);
}
END_TEST

/* Swaps are rare in a long trace: the wait is a real one. */
START_TEST(rare_swaps)
{
    struct fact_disorder f;

    disorder_init(&disorder);
    add_swaps(3, 1, 3, 300);
    disorder_add_wait(&disorder, 1, 2, 7000);
    f = disorder_conclude(&disorder, LEAST, 1000 * RECORDS);
    ck_assert_uint_eq(f.error, 1800);
}
END_TEST

/* One wrong record makes two contradictions: many records contradict it. */
START_TEST(wrong_record)
{
    struct fact_disorder f;

    disorder_init(&disorder);
    disorder_add_swap(&disorder, 3, 1, 800);
    disorder.nr_doubts = 1;
    disorder.doubtful = 900;
    f = disorder_conclude(&disorder, LEAST, 5 * RECORDS);
    ck_assert_uint_eq(f.error, 0);
    f = disorder_conclude(&disorder, LEAST, RECORDS);
    ck_assert_uint_gt(f.error, 900);
    disorder.nr_doubts = 2;
    f = disorder_conclude(&disorder, LEAST, 5 * RECORDS);
    ck_assert_uint_gt(f.error, 900);
}
END_TEST

/* The longest swaps may be false: as many as in the other direction, twice. */
START_TEST(one_direction)
{
    disorder_init(&disorder);
    add_swaps(2, 5, 20, 100);
    disorder_add_wait(&disorder, 2, 5, 50000);
    expect_clocks(1900, 4000, 2, 5);
    add_swaps(5, 2, 3, 5000);
    expect_clocks(1300, 30000, 2, 5);
    disorder_init(&disorder);
    add_swaps(5, 2, 20, 100);
    add_swaps(2, 5, 3, 100);
    expect_clocks(1300, 2250, 5, 2);
}
END_TEST

/* Swaps in both directions: the clocks may differ by any time. */
START_TEST(both_directions)
{
    disorder_init(&disorder);
    add_swaps(0, 1, 20, 100);
    add_swaps(1, 0, 18, 100);
    disorder_add_wait(&disorder, 0, 1, 50000);
    expect_clocks(0, 50000, 0, 1);
}
END_TEST

/* False swaps of other pcpus are longer, but fewer. */
START_TEST(third_pcpu)
{
    disorder_init(&disorder);
    add_swaps(1, 2, 5, 10000);
    add_swaps(1, 0, 40, 100);
    expect_clocks(3900, 56250, 1, 0);
}
END_TEST

START_TEST(bounded_memory)
{
    disorder_init(&disorder);
    for ( unsigned int i = 0; i < 100; i++ )
        add_swaps(300, 7, DISORDER_SWAPS, 1);
    ck_assert_uint_eq(disorder.nr_swaps, 100 * DISORDER_SWAPS);
    ck_assert_uint_le(disorder.nr, DISORDER_SWAPS);
    ck_assert_uint_ge(disorder.nr, DISORDER_SWAPS / 2);
    ck_assert_uint_ge(disorder_conclude(&disorder, LEAST, RECORDS).cycles,
                      DISORDER_SWAPS * 8 / 10);
}
END_TEST

UNIT_MAIN("disorder", order_says_nothing, one_swap, rare_swaps, wrong_record,
          one_direction, both_directions, third_pcpu, bounded_memory)
