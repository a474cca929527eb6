/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conclusions about the clocks of pcpus from records in the wrong order.
 */
#include "tests/unit/common/unit.h"
#include "xenalyze/machine/disorder.h"

#define LEAST 100u
#define RECORDS 1000u

static struct disorder disorder;
static struct vcpu_order vcpu, other;

static void start(void)
{
    disorder_init(&disorder);
    vcpu = other = (struct vcpu_order){ .nr_jumps = 0 };
}

/* Add swaps with the lags `step`, 2 * `step` ... */
static void add_swaps(uint32_t late, uint32_t early, unsigned int nr,
                      uint64_t step)
{
    for ( unsigned int i = 1; i <= nr; i++ )
        disorder_add_swap(&disorder, &vcpu, late, early, i * step);
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
    start();
    disorder_add_wait(&disorder, 1, 2, 5000);
    expect_clocks(0, 0, 0, 0);
    disorder_add_swap(&disorder, &vcpu, 1, 2, LEAST - 1);
    expect_clocks(0, 0, 1, 2);
}
END_TEST

/* One swap is no proof of a difference, and no limit of errors. */
START_TEST(one_swap)
{
    start();
    disorder_add_swap(&disorder, &vcpu, 3, 1, 800);
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

    start();
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

    start();
    disorder_add_swap(&disorder, &vcpu, 3, 1, 800);
    disorder_add_doubt(&disorder, &vcpu, 3, 1, 900);
    f = disorder_conclude(&disorder, LEAST, 5 * RECORDS);
    ck_assert_uint_eq(f.error, 0);
    f = disorder_conclude(&disorder, LEAST, RECORDS);
    ck_assert_uint_gt(f.error, 900);
    disorder_add_doubt(&disorder, &other, 3, 1, 800);
    f = disorder_conclude(&disorder, LEAST, 5 * RECORDS);
    ck_assert_uint_gt(f.error, 900);
}
END_TEST

/* The longest swaps may be false: as many as in the other direction, twice. */
START_TEST(one_direction)
{
    start();
    add_swaps(2, 5, 20, 100);
    disorder_add_wait(&disorder, 2, 5, 50000);
    expect_clocks(1900, 4000, 2, 5);
    add_swaps(5, 2, 3, 5000);
    expect_clocks(1300, 30000, 2, 5);
    start();
    add_swaps(5, 2, 20, 100);
    add_swaps(2, 5, 3, 100);
    expect_clocks(1300, 2250, 5, 2);
}
END_TEST

/* Swaps in both directions: the clocks may differ by any time. */
START_TEST(both_directions)
{
    start();
    add_swaps(0, 1, 20, 100);
    add_swaps(1, 0, 18, 100);
    disorder_add_wait(&disorder, 0, 1, 50000);
    expect_clocks(0, 50000, 0, 1);
}
END_TEST

/* False swaps of other pcpus are longer, but fewer. */
START_TEST(third_pcpu)
{
    start();
    add_swaps(1, 2, 5, 10000);
    add_swaps(1, 0, 40, 100);
    expect_clocks(3900, 56250, 1, 0);
}
END_TEST

START_TEST(bounded_memory)
{
    start();
    for ( unsigned int i = 0; i < 100; i++ )
        add_swaps(300, 7, DISORDER_SWAPS, 1);
    ck_assert_uint_eq(disorder.nr_swaps, 100 * DISORDER_SWAPS);
    ck_assert_uint_le(disorder.nr, DISORDER_SWAPS);
    ck_assert_uint_ge(disorder.nr, DISORDER_SWAPS / 2);
    ck_assert_uint_ge(disorder_conclude(&disorder, LEAST, RECORDS).cycles,
                      DISORDER_SWAPS * 8 / 10);
}
END_TEST

/* The old state was not the known one, so many times. */
static void add_jumps(struct vcpu_order *v, unsigned int known,
                      unsigned int next, unsigned int nr)
{
    for ( unsigned int i = 0; i < nr; i++ )
        vcpu_order_add_jump(v, known, next);
}

/* Records in the wrong order contradict there and back; missing ones do not. */
START_TEST(missing_records)
{
    start();
    add_swaps(2, 5, 20, 100);
    add_jumps(&vcpu, STATE_RUNNABLE, STATE_BLOCKED, 20);
    add_jumps(&vcpu, STATE_BLOCKED, STATE_RUNNABLE, 18);
    expect_clocks(1900, 2250, 2, 5);
    add_jumps(&vcpu, STATE_BLOCKED, STATE_BLOCKED, 100);
    expect_clocks(1900, 2250, 2, 5);
    add_jumps(&vcpu, STATE_RUNNABLE, STATE_BLOCKED, 8);
    expect_clocks(0, 0, 0, 0);
}
END_TEST

/* The clocks of pcpus are known from vcpus that lack no record. */
START_TEST(missing_records_of_some)
{
    start();
    add_swaps(2, 5, 20, 100);
    add_jumps(&vcpu, STATE_RUNNABLE, STATE_BLOCKED, 1);
    add_jumps(&other, STATE_RUNNABLE, STATE_BLOCKED, 30);
    for ( unsigned int i = 1; i <= 20; i++ )
        disorder_add_swap(&disorder, &other, 5, 2, i * 5000);
    expect_clocks(1900, 2250, 2, 5);
    disorder_add_doubt(&disorder, &other, 5, 2, 5000);
    expect_clocks(0, 0, 0, 0);
}
END_TEST

UNIT_MAIN("disorder", order_says_nothing, one_swap, rare_swaps, wrong_record,
          one_direction, both_directions, third_pcpu, bounded_memory,
          missing_records, missing_records_of_some)
