/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs of times against a list of all: exact for the latest ones, a small error
 * for older ones, and no more memory than is allowed.
 */
#include "tests/unit/libxentrace/unit.h"
#include "xenalyze/account/time-log.h"

#define TIMES 50000u
#define PERIOD 100u             /* the longest time, and the longest pause */

struct log_test
{
    struct time_logs all;
    struct time_log log;
    uint64_t from[TIMES], to[TIMES];
    uint32_t nr;
};

static struct log_test test;    /* each test is a process */

static uint64_t random_below(uint64_t limit)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % limit;
}

static void add_random_times(uint32_t nr)
{
    uint64_t now = test.nr ? test.to[test.nr - 1] : 1000000;

    while ( nr-- )
    {
        now += random_below(PERIOD);
        test.from[test.nr] = now;
        now += random_below(PERIOD);
        test.to[test.nr] = now;
        time_log_add(&test.log, &test.all, test.from[test.nr], now,
                     test.nr % 1000 == 0);
        test.nr++;
    }
}

static uint64_t find_slowly(uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    for ( uint32_t i = 0; i < test.nr; i++ )
    {
        uint64_t begin = test.from[i] > from ? test.from[i] : from;
        uint64_t end = test.to[i] < to ? test.to[i] : to;

        sum += begin < end ? end - begin : 0;
    }
    return sum;
}

/* Any two moments since the begin of a time, up to `error` in 1,000. */
static void check_since(uint32_t first, uint64_t error)
{
    uint64_t now = test.to[test.nr - 1];

    for ( unsigned int i = 0; i < 1000; i++ )
    {
        uint64_t from = test.from[first] +
                        random_below(now + PERIOD - test.from[first]);
        uint64_t to = from + random_below(now + PERIOD - from);
        uint64_t sum = time_log_between(&test.log, from, to);
        uint64_t right = find_slowly(from, to);
        uint64_t limit = error * (now + PERIOD - from) / 1000;

        ck_assert(sum <= to - from);
        ck_assert(sum <= right + limit && right <= sum + limit);
    }
}

START_TEST(empty)
{
    time_logs_init(&test.all);
    ck_assert_uint_eq(time_log_between(&test.log, 0, UINT64_MAX), 0);
    ck_assert_uint_eq(time_log_count(&test.log, UINT64_MAX), 0);
    time_log_add(&test.log, &test.all, 10, 30, false);
    ck_assert_uint_eq(time_log_between(&test.log, 0, 10), 0);
    ck_assert_uint_eq(time_log_between(&test.log, 0, 15), 5);
    ck_assert_uint_eq(time_log_between(&test.log, 15, 28), 13);
    ck_assert_uint_eq(time_log_between(&test.log, 15, 100), 15);
    ck_assert_uint_eq(time_log_between(&test.log, 30, 100), 0);
    time_logs_fini(&test.all);
}
END_TEST

/* All times are there. */
START_TEST(few_times)
{
    time_logs_init(&test.all);
    for ( unsigned int i = 0; i < TIME_LOG_MAX - 1; i++ )
        add_random_times(1);
    ck_assert_uint_eq(test.log.dropped_until, 0);
    check_since(0, 0);
    time_logs_fini(&test.all);
}
END_TEST

START_TEST(many_times)
{
    time_logs_init(&test.all);
    for ( unsigned int i = 0; i < 10; i++ )
    {
        add_random_times(TIMES / 10);
        check_since(test.nr - TIME_LOG_EXACT, 0);
        check_since(0, 20);
    }
    ck_assert_uint_eq(time_log_between(&test.log, 0, UINT64_MAX),
                      find_slowly(0, UINT64_MAX));
    ck_assert_uint_eq(test.log.room, TIME_LOG_MAX);
    time_logs_fini(&test.all);
}
END_TEST

/* No log grows any more: the sum of all times is right. */
START_TEST(no_room)
{
    time_logs_init(&test.all);
    test.all.max = 0;
    add_random_times(TIMES);
    ck_assert_uint_eq(test.log.room, TIME_LOG_FIRST);
    ck_assert_uint_eq(time_log_between(&test.log, 0, UINT64_MAX),
                      find_slowly(0, UINT64_MAX));
    check_since(test.nr - 1, 0);
    time_logs_fini(&test.all);
}
END_TEST

/* The mark of a dropped point is that of the next. */
START_TEST(marks)
{
    uint32_t nr = 0;

    time_logs_init(&test.all);
    test.all.max = 0;
    for ( unsigned int i = 1; i <= 1000; i++ )
        time_log_add(&test.log, &test.all, 10 * i, 10 * i, i == 700);
    for ( uint32_t i = 0; i < test.log.nr; i++ )
        if ( test.log.points[i].is_marked )
        {
            ck_assert(test.log.points[i].at >= 7000);
            ck_assert(test.log.points[i - 1].at < 7000);
            nr++;
        }
    ck_assert_uint_eq(nr, 1);
    time_logs_fini(&test.all);
}
END_TEST

/* Times that overlap count once, as in damaged traces. */
START_TEST(overlapping_times)
{
    time_logs_init(&test.all);
    time_log_add(&test.log, &test.all, 100, 200, false);
    time_log_add(&test.log, &test.all, 150, 250, false);
    time_log_add(&test.log, &test.all, 50, 240, false);
    time_log_add(&test.log, &test.all, 240, 240, false);
    time_log_add(&test.log, &test.all, 260, UINT64_MAX, false);
    ck_assert_uint_eq(time_log_between(&test.log, 0, 1000), 150);
    ck_assert_uint_eq(time_log_between(&test.log, 180, 230), 50);
    time_logs_fini(&test.all);
}
END_TEST

/* The next segment begins again, at earlier times, in the same memory. */
START_TEST(next_segment)
{
    const struct time_log_point *points;

    time_logs_init(&test.all);
    add_random_times(3000);
    points = test.log.points;
    time_log_clear(&test.log);
    ck_assert_uint_eq(time_log_between(&test.log, 0, UINT64_MAX), 0);
    time_log_add(&test.log, &test.all, 5, 7, false);
    ck_assert_uint_eq(time_log_between(&test.log, 0, UINT64_MAX), 2);
    ck_assert_uint_eq(time_log_between(&test.log, 6, 7), 1);
    ck_assert_ptr_eq(test.log.points, points);
    time_logs_fini(&test.all);
}
END_TEST

UNIT_MAIN("time log", empty, few_times, many_times, no_room, marks,
          overlapping_times, next_segment)
