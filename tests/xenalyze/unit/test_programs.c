/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of programs: the conversion of clocks, the order of events, and the
 * numbers of names.
 */
#include "tests/unit/libxentrace/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/programs/clock-offset.h"
#include "xenalyze/programs/clock-pairs.h"
#include "xenalyze/programs/event-order.h"
#include "xenalyze/programs/name-table.h"

#define BILLION UINT64_C(1000000000)

static struct clock_pairs pairs;

static void add_pair(uint64_t tsc, uint64_t mono, uint32_t uncertainty)
{
    struct xt_meta m = {
        .event = TRC_META_CLOCK,
        .clock = { .tsc = tsc, .mono = mono, .uncertainty = uncertainty },
    };

    clock_pairs_add(&pairs, &m);
}

static void finish_pairs(void)
{
    struct xt_clock clock;

    xt_clock_init(&clock, 2 * BILLION, BILLION, 0);
    clock_pairs_finish(&pairs, &clock);
}

START_TEST(one_pair_has_the_frequency)
{
    add_pair(1000, 500, 0);
    finish_pairs();
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 500), 1000);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 510), 1020);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 490), 980);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 0), 0);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, UINT64_MAX), UINT64_MAX);
    ck_assert_uint_eq(clock_pairs_error(&pairs), 0);
    clock_pairs_fini(&pairs);
}
END_TEST

/* dom0's clock runs at two rates; the line is that of the neighbours. */
START_TEST(pairs_are_joined_by_lines)
{
    add_pair(0, BILLION, 20);
    add_pair(2 * BILLION, 2 * BILLION, 20);
    add_pair(6 * BILLION, 3 * BILLION, 20);
    finish_pairs();
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, BILLION + BILLION / 2), BILLION);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 2 * BILLION + BILLION / 2),
                      4 * BILLION);
    /* Outside, the mean rate: 6 cycles in 2 ns. */
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, 4 * BILLION), 9 * BILLION);
    /* The middle is 10^9 cycles from the line; a cycle takes 1/3 ns. */
    ck_assert_uint_eq(clock_pairs_error(&pairs) / 1000, BILLION / 3 / 1000);
    clock_pairs_fini(&pairs);
}
END_TEST

START_TEST(imprecise_pairs_are_dropped)
{
    add_pair(0, 0, 100);
    add_pair(5 * BILLION, BILLION, 100000);     /* interrupted */
    add_pair(4 * BILLION, 2 * BILLION, 100);
    finish_pairs();
    ck_assert_uint_eq(pairs.nr, 2);
    ck_assert_uint_eq(clock_pairs_tsc(&pairs, BILLION), 2 * BILLION);
    ck_assert_uint_eq(clock_pairs_error(&pairs), 25);   /* 50 cycles */
    clock_pairs_fini(&pairs);
}
END_TEST

/* Clocks that step back are another boot; equal ones have no line. */
START_TEST(pairs_rise)
{
    add_pair(100, 100, 0);
    add_pair(300, 200, 0);
    add_pair(50, 10, 0);
    add_pair(1000, 1000, 0);
    finish_pairs();
    ck_assert_uint_eq(pairs.nr, 2);
    clock_pairs_fini(&pairs);
    add_pair(100, 100, 0);
    add_pair(100, 100, 0);
    finish_pairs();
    ck_assert_uint_eq(pairs.nr, 1);
    clock_pairs_fini(&pairs);
}
END_TEST

/* dom0 sets its wall clock back between two pairs. */
START_TEST(wall_clock_has_its_pair)
{
    add_pair(0, BILLION, 0);
    pairs.all[0].wall = 50 * BILLION;
    add_pair(BILLION, 2 * BILLION, 0);
    pairs.all[1].wall = 51 * BILLION + 7;
    finish_pairs();
    ck_assert_uint_eq(clock_pairs_mono(&pairs, 50 * BILLION + 3), BILLION + 3);
    ck_assert_uint_eq(clock_pairs_mono(&pairs, 51 * BILLION + 8),
                      2 * BILLION + 1);
    ck_assert_uint_eq(clock_pairs_mono(&pairs, 49 * BILLION), 0);
    ck_assert_uint_eq(clock_pairs_mono(&pairs, 0), 0);
    ck_assert_uint_eq(clock_pairs_mono(&pairs, UINT64_MAX),
                      UINT64_MAX - 49 * BILLION - 7);
    clock_pairs_fini(&pairs);
}
END_TEST

/* Absurd clocks of a damaged file: no division by 0, no wrap. */
START_TEST(absurd_pairs_are_limited)
{
    add_pair(1, 1, UINT32_MAX);
    add_pair(UINT64_MAX, 2, 0);
    add_pair(UINT64_MAX, UINT64_MAX, 0);
    finish_pairs();
    clock_pairs_tsc(&pairs, 0);
    clock_pairs_tsc(&pairs, UINT64_MAX);
    clock_pairs_error(&pairs);
    clock_pairs_fini(&pairs);
    add_pair(0, 0, 0);
    add_pair(1, UINT64_MAX, 0);
    finish_pairs();
    ck_assert_uint_le(clock_pairs_tsc(&pairs, UINT64_MAX / 2), 1);
    clock_pairs_fini(&pairs);
}
END_TEST

/* --- offset --------------------------------------------------------------- */

/* Spans of 100 cycles at irregular times, and an event in most of them. */
START_TEST(offset_is_between_its_bounds)
{
    static struct clock_span spans[500];
    static uint64_t events[500];
    struct clock_offset offset;
    uint64_t at = 1000000, shift = -(uint64_t)123456;

    for ( unsigned int i = 0; i < 500; i++ )
    {
        at += 5000 + i * i % 977;
        spans[499 - i] = (struct clock_span){ at, at + 100 };
        events[i] = (i % 10 ? at + 20 + i % 40 : at + 2000) - shift;
    }
    ck_assert_int_eq(clock_offset_find(events, 500, spans, 500, &offset), 0);
    ck_assert_uint_eq(offset.fitting, 450);
    /* Events begin 20 to 59 cycles behind their spans: -20 .. +41. */
    ck_assert_int_le((int64_t)(offset.cycles - offset.error - shift), 0);
    ck_assert_int_ge((int64_t)(offset.cycles + offset.error - shift), 0);
    ck_assert_uint_le(offset.error, 32);
}
END_TEST

START_TEST(offset_needs_spans)
{
    struct clock_span span = { 0, UINT64_MAX };
    const uint64_t events[] = { 0, UINT64_MAX, 1 };
    struct clock_offset offset;

    ck_assert_int_eq(clock_offset_find(events, 3, &span, 0, &offset), 0);
    ck_assert_uint_eq(offset.fitting, 0);
    ck_assert_int_eq(clock_offset_find(events, 0, &span, 1, &offset), 0);
    ck_assert_uint_eq(offset.fitting, 0);
    ck_assert_int_eq(clock_offset_find(events, 3, &span, 1, &offset), 0);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(clock_offset_find(events, 3, &span, 1, &offset), -ENOMEM);
    fault_disarm();
}
END_TEST

/* --- order ---------------------------------------------------------------- */

static void add_time(struct event_order *o, uint64_t time, const char *text)
{
    struct program_event event = { .time = time, .text = text };

    ck_assert_int_eq(event_order_add(o, &event), 0);
}

START_TEST(events_leave_in_order)
{
    struct event_order o = { .nr = 0 };
    const struct program_event *event;
    uint64_t last = 0, random = 1;

    for ( unsigned int i = 0; i < 1000; i++ )
    {
        random = random * 6364136223846793005u + 1442695040888963407u;
        add_time(&o, random >> 56, "text");
    }
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        event = event_order_next(&o);
        ck_assert_ptr_nonnull(event);
        ck_assert_uint_ge(event->time, last);
        ck_assert_str_eq(event->text, "text");
        last = event->time;
    }
    ck_assert_ptr_null(event_order_next(&o));
    ck_assert_uint_eq(o.bytes, 0);
    event_order_fini(&o);
}
END_TEST

START_TEST(equal_times_keep_their_order)
{
    struct event_order o = { .nr = 0 };
    char text[8];

    for ( unsigned int i = 0; i < 100; i++ )
    {
        snprintf(text, sizeof(text), "%u", i);
        add_time(&o, 7, text);
    }
    for ( unsigned int i = 0; i < 100; i++ )
    {
        snprintf(text, sizeof(text), "%u", i);
        ck_assert_str_eq(event_order_next(&o)->text, text);
    }
    event_order_fini(&o);
}
END_TEST

/* A late event has the time of the event before, and is counted. */
START_TEST(times_never_fall)
{
    struct event_order o = { .nr = 0 };

    add_time(&o, 10, "");
    ck_assert_uint_eq(event_order_next(&o)->time, 10);
    add_time(&o, 3, "");
    ck_assert_uint_eq(event_order_next(&o)->time, 10);
    ck_assert_uint_eq(o.late, 1);
    event_order_fini(&o);
}
END_TEST

/* Events, and bytes of their texts, have a bound each. */
START_TEST(order_is_bounded)
{
    static char text[2048];
    struct event_order o = { .nr = 0 };

    while ( !event_order_is_full(&o) )
        add_time(&o, 1, "");
    ck_assert_uint_eq(o.nr, EVENT_ORDER_MAX);
    event_order_reset(&o);
    memset(text, 'x', sizeof(text) - 1);
    while ( !event_order_is_full(&o) )
        add_time(&o, 1, text);
    ck_assert_uint_lt(o.nr, EVENT_ORDER_MAX);
    ck_assert_uint_lt(o.bytes, EVENT_ORDER_BYTES + sizeof(text));
    event_order_fini(&o);
}
END_TEST

/* --- names ---------------------------------------------------------------- */

START_TEST(names_have_numbers)
{
    struct name_table t;
    uint32_t a, b, c;

    name_table_init(&t);
    ck_assert_int_eq(name_table_add(&t, "first", &a), 0);
    ck_assert_int_eq(name_table_add(&t, "second\033[m", &b), 0);
    ck_assert_int_eq(name_table_add(&t, "first", &c), 0);
    ck_assert_uint_eq(a, c);
    ck_assert_uint_ne(a, b);
    ck_assert_str_eq(t.names[b], "second?[m");
    name_table_fini(&t);
}
END_TEST

START_TEST(names_are_bounded)
{
    struct name_table t;
    uint32_t number;
    char name[32];

    name_table_init(&t);
    for ( unsigned int i = 0; i < NAME_TABLE_MAX + 100; i++ )
    {
        snprintf(name, sizeof(name), "name %u", i);
        ck_assert_int_eq(name_table_add(&t, name, &number), 0);
        ck_assert_uint_lt(number, NAME_TABLE_MAX);
    }
    ck_assert_uint_eq(t.nr, NAME_TABLE_MAX);
    ck_assert_str_eq(t.names[number], "others");
    ck_assert_int_eq(name_table_add(&t, "name 5", &number), 0);
    ck_assert_str_eq(t.names[number], "name 5");
    name_table_fini(&t);
}
END_TEST

START_TEST(memory_may_be_missing)
{
    struct program_event event = { .time = 1, .text = "text" };
    struct event_order o = { .nr = 0 };
    struct name_table t;
    uint32_t number;

    for ( uint64_t n = 1; n <= 2; n++ )
    {
        fault_arm(FAULT_ALLOC, n);
        ck_assert_int_eq(event_order_add(&o, &event), -ENOMEM);
        event_order_fini(&o);
    }
    for ( uint64_t n = 1; n <= 3; n++ )
    {
        name_table_init(&t);
        fault_arm(FAULT_ALLOC, n);
        ck_assert_int_eq(name_table_add(&t, "name", &number), -ENOMEM);
        name_table_fini(&t);
    }
    fault_arm(FAULT_ALLOC, 1);
    add_pair(1, 1, 0);
    ck_assert(pairs.failed);
    fault_disarm();
    clock_pairs_fini(&pairs);
}
END_TEST

UNIT_MAIN("programs", one_pair_has_the_frequency, pairs_are_joined_by_lines,
          imprecise_pairs_are_dropped, pairs_rise, wall_clock_has_its_pair,
          absurd_pairs_are_limited,
          offset_is_between_its_bounds, offset_needs_spans,
          events_leave_in_order, equal_times_keep_their_order,
          times_never_fall, order_is_bounded, names_have_numbers,
          names_are_bounded, memory_may_be_missing)
