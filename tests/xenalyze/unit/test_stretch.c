/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for the worst stretch against all pairs of losses, and its
 * promises: no fixed length, no fixed borders, and separate loads are separate
 * stretches.
 */
#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"
#include "xenalyze/account/stretch.h"

#define GHZ UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static struct stretch_scale make_scale(void)
{
    struct xt_clock clock;

    xt_clock_init(&clock, GHZ, GHZ, 0);
    return stretch_scale_make(&clock);
}

/* A loss of all of the time from `from` to `to`, after calm time. */
static void add_loss(struct stretch_search *s, uint64_t from, uint64_t to)
{
    struct stretch_scale scale = make_scale();

    stretch_begin_loss(s, &scale, from, stretch_cost(s, from));
    stretch_end_loss(s, to, to - from,
                     (1 - STRETCH_CALM) * (double)(to - from));
}

/* A load from `from` to `to` takes `lost` of each 10 ms. */
static void add_load(struct stretch_search *s, uint64_t from, uint64_t to,
                     uint64_t lost)
{
    for ( uint64_t at = from; at < to; at += 10 * MS )
        add_loss(s, at, at + lost);
}

static void close_search(struct stretch_search *s)
{
    struct stretch_scale scale = make_scale();

    stretch_close(s, &scale);
}

/* The clock's scale: 25 ms and a second, in cycles. */
START_TEST(scale_of_clock)
{
    struct stretch_scale scale = make_scale();

    ck_assert_uint_eq(scale.hurts, 25 * MS);
    ck_assert_uint_eq(scale.gap, 1000 * MS);
}
END_TEST

/* The worst stretch, of all that begin and end with any two losses. */
static struct stretch find_slowly(const uint64_t (*losses)[2], size_t nr)
{
    struct stretch found = { .score = 0 };

    for ( size_t i = 0; i < nr; i++ )
    {
        double score = 0;

        for ( size_t k = i; k < nr; k++ )
        {
            if ( k > i )
                score -= STRETCH_CALM *
                         (double)(losses[k][0] - losses[k - 1][1]);
            score += (1 - STRETCH_CALM) *
                     (double)(losses[k][1] - losses[k][0]);
            if ( score > found.score + 0.5 )
                found = (struct stretch){ losses[i][0], losses[k][1], 0,
                                          score };
        }
    }
    return found;
}

/* No gap is longer than a second. */
START_TEST(as_all_pairs)
{
    uint64_t seed = 7, losses[60][2];

    for ( unsigned int round = 0; round < 300; round++ )
    {
        struct stretch_search s = { .is_open = false };
        uint64_t at = 1000;
        struct stretch want;

        for ( size_t i = 0; i < 60; i++ )
        {
            at += 1 + make_random(&seed) % (i / 20 == round % 3 ? 9 * MS
                                                                : 90 * MS);
            losses[i][0] = at;
            at += 1 + make_random(&seed) % (2 * MS);
            losses[i][1] = at;
            add_loss(&s, losses[i][0], losses[i][1]);
        }
        close_search(&s);
        want = find_slowly((const uint64_t (*)[2])losses, 60);
        ck_assert_uint_eq(s.worst.from, want.from);
        ck_assert_uint_eq(s.worst.to, want.to);
        ck_assert_double_eq_tol(s.worst.score, want.score, 1);
    }
}
END_TEST

/* A load of any length, at any place, in ten seconds or in ten hours. */
START_TEST(any_length)
{
    for ( uint64_t length = 60 * MS; length < 3000000 * MS; length *= 3 )
        for ( uint64_t from = 1; from < 36000000 * MS; from = from * 7 + MS )
        {
            struct stretch_search s = { .is_open = false };

            add_load(&s, 0, 1, 1);
            add_load(&s, from, from + length, 6 * MS);
            add_load(&s, from + 2 * length + 2000 * MS,
                     from + 2 * length + 2001 * MS, MS);
            close_search(&s);
            ck_assert(stretch_hurts(&s));
            ck_assert_uint_eq(s.nr, 1);
            /* The first loss, of a cycle, may belong to the load. */
            ck_assert(s.worst.from == from || from < 10 * MS);
            ck_assert(s.worst.to > from + length - 10 * MS &&
                      s.worst.to <= from + length + 6 * MS);
            ck_assert_uint_eq(s.length, s.worst.to - s.worst.from);
        }
}
END_TEST

/* Less than 25 ms, or less than 10 % of the time, does not hurt. */
START_TEST(no_problem)
{
    struct stretch_search s = { .is_open = false }, small = s;

    for ( uint64_t at = 0; at < 36000000 * MS; at += 1000 * MS )
        add_loss(&s, at, at + 27 * MS);
    close_search(&s);
    ck_assert(!stretch_hurts(&s));
    ck_assert_uint_eq(s.worst.lost, 27 * MS);
    add_load(&small, 0, 36000000 * MS, MS - 1);
    close_search(&small);
    ck_assert(!stretch_hurts(&small));
}
END_TEST

/* Calm time between two loads, longer than each: the longer one is worst. */
START_TEST(two_loads)
{
    struct stretch_search s = { .is_open = false };

    add_load(&s, 1000 * MS, 2500 * MS, 6 * MS);
    add_load(&s, 5000 * MS, 7000 * MS, 6 * MS);
    add_load(&s, 90000 * MS, 90500 * MS, 6 * MS);
    close_search(&s);
    ck_assert_uint_eq(s.nr, 3);
    ck_assert_uint_eq(s.worst.from, 5000 * MS);
    ck_assert_uint_eq(s.worst.to, 6996 * MS);
    ck_assert_uint_eq(s.length, (1496 + 1996 + 496) * MS);
    ck_assert_uint_eq(s.total_lost, 400 * 6 * MS);
}
END_TEST

/* Times of the next segment begin again. */
START_TEST(segments)
{
    struct stretch_search s = { .is_open = false };

    add_load(&s, 1000 * MS, 2000 * MS, 6 * MS);
    close_search(&s);
    add_load(&s, 10 * MS, 510 * MS, 6 * MS);
    close_search(&s);
    close_search(&s);
    ck_assert_uint_eq(s.nr, 2);
    ck_assert_uint_eq(s.worst.from, 1000 * MS);
}
END_TEST

/* Times of damaged traces: no overflow, and no end before the begin. */
START_TEST(damaged_times)
{
    struct stretch_search s = { .is_open = false };
    struct stretch_scale huge = make_scale();

    stretch_begin_loss(&s, &huge, UINT64_MAX - 5, 0);
    ck_assert(stretch_end_loss(&s, UINT64_MAX, UINT64_MAX / 2, 9e18));
    stretch_begin_loss(&s, &huge, 3, stretch_cost(&s, 3));
    ck_assert(!stretch_end_loss(&s, 10, UINT64_MAX / 2, 9e18));
    close_search(&s);
    ck_assert(s.worst.from <= s.worst.to);
}
END_TEST

UNIT_MAIN("stretch", scale_of_clock, as_all_pairs, any_length, no_problem,
          two_loads, segments, damaged_times)
