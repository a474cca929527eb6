/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storms of VM exits: facts in, storms out.  d1v0 runs from the first time
 * stamp on; 1 GHz, so a window is 10 ms.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

#define MS 1000000ull

struct storm_test
{
    struct guests guests;
    struct exit_storms storms;
    struct sink sink;
    struct xt_clock clock;
    uint64_t first;
};

static void begin_test(struct storm_test *t, uint64_t first)
{
    memset(t, 0, sizeof(*t));
    ck_assert_int_eq(guests_init(&t->guests, 8, 8), 0);
    ck_assert_ptr_nonnull(guests_get_vcpu(&t->guests, 1, 0));
    t->first = first;
    xt_clock_init(&t->clock, SECOND, SECOND, first);
    exit_storms_init(&t->storms);
    t->sink = exit_storms_sink(&t->storms);
    t->sink.ops->begin(t->sink.state, &(struct fact_begin){
        .first = first, .clock = &t->clock, .guests = &t->guests });
}

static int end_test(struct storm_test *t, uint64_t last)
{
    struct err e = ERR_INIT;

    return t->sink.ops->end(t->sink.state, &(struct fact_end){
        .first = t->first, .last = last }, &e);
}

static void free_test(struct storm_test *t)
{
    exit_storms_fini(&t->storms);
    guests_fini(&t->guests);
}

static void add_running(struct storm_test *t, uint64_t from, uint64_t to)
{
    t->sink.ops->runstate(t->sink.state, &(struct fact_runstate){
        .vcpu = guests_get_vcpu(&t->guests, 1, 0), .from = from, .to = to,
        .since = from, .state = STATE_RUNNING, .next = STATES });
}

/* An exit of 1 us every `gap`, in a span. */
static void add_exits(struct storm_test *t, uint64_t from, uint64_t to,
                      uint64_t gap)
{
    for ( uint64_t at = from; at < to && to - at > gap; at += gap )
        t->sink.ops->exit(t->sink.state, &(struct fact_exit){
            .vcpu = guests_get_vcpu(&t->guests, 1, 0), .reason = 10,
            .cause = 10, .start = at, .cycles = 1000, .end = EXIT_ENTERED });
}

START_TEST(one_storm)
{
    struct storm_test t;

    begin_test(&t, 5);
    add_exits(&t, 5, 500 * MS + 5, MS);
    add_exits(&t, 500 * MS + 5, 540 * MS + 5, MS / 50);
    add_exits(&t, 540 * MS + 5, 1000 * MS + 5, MS);
    add_running(&t, 5, 1000 * MS + 5);
    ck_assert_int_eq(end_test(&t, 1000 * MS + 5), 0);
    ck_assert_uint_eq(t.storms.nr_windows, 100);
    ck_assert_uint_eq(t.storms.nr_storms, 1);
    ck_assert_uint_eq(t.storms.storms[0].from, 500 * MS + 5);
    ck_assert_uint_eq(t.storms.storms[0].to, 540 * MS + 5);
    free_test(&t);
}
END_TEST

/* The last window would end beyond the last time stamp there is. */
START_TEST(last_time_stamps)
{
    for ( uint64_t first = 1; first < UINT64_MAX / 3; first *= 1000 )
    {
        const uint64_t last = UINT64_MAX - 1;
        struct storm_test t;

        begin_test(&t, first);
        add_running(&t, first, last);
        add_exits(&t, last - 4 * MS, last, MS / 50);
        ck_assert_int_eq(end_test(&t, last), 0);
        ck_assert_uint_le(t.storms.nr_windows, STORM_WINDOWS);
        ck_assert_uint_gt(t.storms.nr_windows, STORM_WINDOWS / 4);
        free_test(&t);
    }
}
END_TEST

/* A storm in a trace whose last window wraps ends with the trace. */
START_TEST(storm_at_the_end)
{
    const uint64_t last = UINT64_MAX - 2 * MS, first = last - 995 * MS;
    struct storm_test t;

    begin_test(&t, first);
    add_exits(&t, first, first + 960 * MS, MS);
    add_exits(&t, first + 960 * MS, last, MS / 50);
    add_running(&t, first, last);
    ck_assert_int_eq(end_test(&t, last), 0);
    ck_assert_uint_eq(t.storms.nr_storms, 1);
    ck_assert_uint_eq(t.storms.storms[0].from, first + 960 * MS);
    ck_assert_uint_eq(t.storms.storms[0].to, last);
    free_test(&t);
}
END_TEST

START_TEST(failed_allocations)
{
    for ( unsigned long nth = 1;; nth++ )
    {
        struct storm_test t;
        bool fired;
        int rc;

        begin_test(&t, 5);
        fault_arm(FAULT_ALLOC, nth);
        add_exits(&t, 5, 200 * MS, MS);
        add_running(&t, 5, 200 * MS);
        rc = end_test(&t, 200 * MS);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        free_test(&t);
        if ( !fired )
            break;
    }
}
END_TEST

UNIT_MAIN("exit storms", one_storm, last_time_stamps, storm_at_the_end,
          failed_allocations)
