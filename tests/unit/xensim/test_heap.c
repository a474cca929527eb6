/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event heap compared with a linear search; and random numbers: repeatable,
 * with the right distribution.
 */
#include "xensim/workload/event-heap.h"

#include "tests/unit/common/unit.h"
#include "xensim/workload/random.h"

#define EVENTS 200

static bool comes_before(const struct event *a, const struct event *b)
{
    if ( a->at != b->at )
        return a->at < b->at;
    return a->cpu != b->cpu ? a->cpu < b->cpu : a->order < b->order;
}

/* Find the first queued event by a linear search. */
static struct event *search_first(struct event *events)
{
    struct event *first = NULL;

    for ( unsigned int i = 0; i < EVENTS; i++ )
        if ( events[i].slot && (!first || comes_before(&events[i], first)) )
            first = &events[i];
    return first;
}

START_TEST(order)
{
    struct event events[EVENTS] = { { .at = 0 } };
    struct random r = random_stream(unit_seed(), 0);
    struct heap h = { .nr = 0 };

    ck_assert_int_eq(heap_reserve(&h, EVENTS / 2), 0);
    ck_assert_int_eq(heap_reserve(&h, EVENTS - EVENTS / 2), 0);
    for ( unsigned int i = 0; i < 50000; i++ )
    {
        struct event *e = &events[random_below(&r, EVENTS)];

        if ( !e->slot )
            e->cpu = random_below(&r, 4);
        if ( random_once_in(&r, 3) )
            heap_drop(&h, e);
        else
            heap_put(&h, e, random_below(&r, 50));
        UNIT_CHECK(heap_first(&h) == search_first(events));
        UNIT_CHECK(event_is_queued(e) == (e->slot != 0));
    }
    while ( heap_first(&h) )
    {
        ck_assert_ptr_eq(heap_first(&h), search_first(events));
        heap_drop(&h, heap_first(&h));
    }
    ck_assert_ptr_null(search_first(events));
    heap_fini(&h);
}
END_TEST

/* Ties are in order of insertion, and a moved event counts as new. */
START_TEST(ties)
{
    struct event a = { .cpu = 1 }, b = { .cpu = 1 }, c = { .cpu = 0 };
    struct heap h = { .nr = 0 };

    ck_assert_int_eq(heap_reserve(&h, 3), 0);
    heap_put(&h, &a, 7);
    heap_put(&h, &b, 7);
    ck_assert_ptr_eq(heap_first(&h), &a);
    heap_put(&h, &c, 7);
    ck_assert_ptr_eq(heap_first(&h), &c);
    heap_drop(&h, &c);
    heap_drop(&h, &c);
    heap_put(&h, &a, 7);
    ck_assert_ptr_eq(heap_first(&h), &b);
    heap_fini(&h);
}
END_TEST

START_TEST(random_repeats)
{
    struct random a = random_stream(3, 9), b = random_stream(3, 9);
    struct random c = random_stream(3, 10), d = random_stream(4, 9);

    for ( unsigned int i = 0; i < 100; i++ )
    {
        uint64_t x = random_next(&a);

        ck_assert_uint_eq(x, random_next(&b));
        ck_assert_uint_ne(x, random_next(&c));
        ck_assert_uint_ne(x, random_next(&d));
    }
}
END_TEST

/* The mean is right, and half of the gaps are below ln 2 of the mean. */
START_TEST(gaps)
{
    struct random r = random_stream(1, 1);
    const uint64_t mean = 1000000, n = 100000;
    uint64_t sum = 0, less = 0, longest = 0;

    for ( uint64_t i = 0; i < n; i++ )
    {
        uint64_t gap = random_gap(&r, mean);

        sum += gap;
        less += gap < 693147;
        longest = gap > longest ? gap : longest;
    }
    ck_assert_uint_ge(sum / n, 970000);
    ck_assert_uint_le(sum / n, 1070000);
    ck_assert_uint_ge(less, n * 47 / 100);
    ck_assert_uint_le(less, n * 53 / 100);
    ck_assert_uint_gt(longest, 8 * mean);
    ck_assert_uint_le(longest, 13 * mean);
    ck_assert_uint_eq(random_gap(&r, 0), 0);
}
END_TEST

UNIT_MAIN("heap", order, ties, random_repeats, gaps)
