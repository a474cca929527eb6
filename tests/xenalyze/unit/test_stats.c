/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series compared with a slow model that keeps and sorts all values: exact
 * where required, within half a percent elsewhere, and independent of the split
 * of the values.
 */
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/stats/stats.h"

#define MANY 5000u

static const unsigned int places[] = { 0, 1, 5, 50, 95, 99, 100 };

#define PLACES (sizeof(places) / sizeof(places[0]))

struct model
{
    uint64_t values[MANY];
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint64_t model_percentile(const struct model *m, unsigned int p)
{
    size_t k = m->n * p / 100;

    return m->values[k < m->n ? k : m->n - 1];
}

/* In thousandths: the allowed error of p is below a hundredth. */
static uint64_t model_place(const struct model *m, unsigned int thousandths)
{
    unsigned __int128 whole = 0, passed = 0;

    for ( size_t i = 0; i < m->n; i++ )
        whole += m->values[i];
    for ( size_t i = 0; i < m->n; i++ )
    {
        passed += m->values[i];
        if ( passed > whole * thousandths / 1000 )
            return m->values[i];
    }
    return m->values[m->n - 1];
}

static uint64_t model_weighted(const struct model *m, unsigned int p)
{
    return model_place(m, 10 * p);
}

/* 2^40 at most, so that no sum of MANY wraps. */
static uint64_t any_value(uint64_t *seed)
{
    return 1 + (unit_random_length(seed) >> 24);
}

static void fill(struct model *m, struct stats *s, struct stats_pool *pool,
                 size_t n, uint64_t *seed)
{
    m->n = n;
    for ( size_t i = 0; i < n; i++ )
    {
        m->values[i] = any_value(seed);
        stats_add(s, pool, m->values[i], i);
    }
    qsort(m->values, n, sizeof(m->values[0]), compare);
}

static void near(uint64_t got, uint64_t expected, size_t n, unsigned int p)
{
    double error = (double)got - (double)expected;

    if ( error < 0 )
        error = -error;
    if ( error > 0.005 * (double)expected )
        ck_abort_msg("p%u of %zu: %llu, not %llu", p, n,
                     (unsigned long long)got, (unsigned long long)expected);
}

/* The value has a rank within the allowed error. */
static void near_weighted(uint64_t got, const struct model *m, unsigned int p)
{
    uint64_t low = model_place(m, p ? 10 * p - 2 : 0);
    uint64_t high = model_place(m, p < 100 ? 10 * p + 2 : 1000);

    if ( (double)got < 0.995 * (double)low ||
         (double)got > 1.005 * (double)high )
        ck_abort_msg("weighted p%u of %zu: %llu, not %llu to %llu", p, m->n,
                     (unsigned long long)got, (unsigned long long)low,
                     (unsigned long long)high);
}

static void check_against(const struct model *m, const struct stats *s)
{
    UNIT_CHECK(s->count == m->n);
    UNIT_CHECK(s->min == m->values[0]);
    UNIT_CHECK(s->max == m->values[m->n - 1]);
    for ( size_t i = 0; i < PLACES; i++ )
    {
        near(stats_percentile(s, places[i]), model_percentile(m, places[i]),
             m->n, places[i]);
        if ( s->weighted )
            near_weighted(stats_weighted(s, places[i]), m, places[i]);
    }
}

START_TEST(many_are_near)
{
    static struct model m;
    uint64_t seed = unit_seed();

    for ( size_t n = 1; n < MANY; n = n * 3 / 2 + 1 )
    {
        struct stats s = { .weighted = n & 1 };
        struct stats_pool pool;

        stats_pool_init(&pool);
        fill(&m, &s, &pool, n, &seed);
        check_against(&m, &s);
        UNIT_CHECK(!pool.failed);
        stats_pool_fini(&pool);
    }
}
END_TEST

START_TEST(few_are_exact)
{
    static struct model m;
    uint64_t seed = unit_seed();

    for ( size_t n = 1; n <= 16; n++ )
    {
        struct stats s = { .weighted = true };
        struct stats_pool pool;

        stats_pool_init(&pool);
        fill(&m, &s, &pool, n, &seed);
        UNIT_CHECK(!s.in_cells);
        for ( size_t i = 0; i < PLACES; i++ )
        {
            UNIT_CHECK(stats_percentile(&s, places[i]) ==
                       model_percentile(&m, places[i]));
            UNIT_CHECK(stats_weighted(&s, places[i]) ==
                       model_weighted(&m, places[i]));
        }
        stats_pool_fini(&pool);
    }
}
END_TEST

/* Every value below 256 has a cell of its own. */
START_TEST(small_ones_are_exact)
{
    static struct model m;
    struct stats s = { .weighted = true };
    struct stats_pool pool;
    uint64_t seed = unit_seed();

    stats_pool_init(&pool);
    m.n = MANY;
    for ( size_t i = 0; i < m.n; i++ )
    {
        m.values[i] = 1 + unit_random(&seed) % 255;
        stats_add(&s, &pool, m.values[i], i);
    }
    qsort(m.values, m.n, sizeof(m.values[0]), compare);
    for ( unsigned int p = 0; p <= 100; p++ )
    {
        ck_assert_uint_eq(stats_percentile(&s, p), model_percentile(&m, p));
        ck_assert_uint_eq(stats_weighted(&s, p), model_weighted(&m, p));
    }
    stats_pool_fini(&pool);
}
END_TEST

/* Stock's xenalyze prints {20000|20000|20000} for these two. */
START_TEST(weight_is_time)
{
    struct stats s = { .weighted = true };
    struct stats_percentiles p;
    struct stats_pool pool;

    stats_pool_init(&pool);
    stats_add(&s, &pool, 20000, 0);
    stats_add(&s, &pool, 10000, 1);
    stats_weighted_percentiles(&s, &p);
    ck_assert_uint_eq(p.p5, 10000);
    ck_assert_uint_eq(p.p50, 20000);
    ck_assert_uint_eq(p.p95, 20000);
    stats_pool_fini(&pool);
}
END_TEST

START_TEST(nothing_is_no_sample)
{
    struct stats s = { 0 };
    struct stats_pool pool;

    stats_pool_init(&pool);
    stats_add(&s, &pool, 0, 5);
    ck_assert_uint_eq(stats_events(&s), 1);
    ck_assert_uint_eq(s.count, 0);
    ck_assert_uint_eq(stats_mean(&s), 0);
    ck_assert_uint_eq(stats_percentile(&s, 50), 0);
    stats_add(&s, &pool, 7, 6);
    ck_assert_uint_eq(s.min, 7);
    ck_assert_uint_eq(stats_events(&s), 2);
    ck_assert_uint_eq(stats_mean(&s), 7);
    stats_pool_fini(&pool);
}
END_TEST

/* One series, and `shards` with the same values, have equal results. */
static void check_shards(size_t n, size_t shards, bool weighted,
                         uint64_t *seed)
{
    struct stats one = { .weighted = weighted }, sum = one, part[8];
    struct stats_pool pool;

    stats_pool_init(&pool);
    for ( size_t i = 0; i < shards; i++ )
        part[i] = one;
    for ( size_t i = 0; i < n; i++ )
    {
        uint64_t v = any_value(seed) - 1;

        stats_add(&one, &pool, v, n - i);
        stats_add(&part[unit_random(seed) % shards], &pool, v, n - i);
    }
    for ( size_t i = 0; i < shards; i++ )
        stats_merge(&sum, &pool, &part[shards - 1 - i]);

    UNIT_CHECK(sum.zeros == one.zeros && sum.count == one.count);
    UNIT_CHECK(sum.sum == one.sum && sum.min == one.min);
    UNIT_CHECK(sum.max == one.max && sum.max_at == one.max_at);
    UNIT_CHECK(sum.in_cells == one.in_cells);
    for ( unsigned int p = 0; p <= 100 && one.count; p++ )
    {
        UNIT_CHECK(stats_percentile(&sum, p) == stats_percentile(&one, p));
        if ( weighted )
            UNIT_CHECK(stats_weighted(&sum, p) == stats_weighted(&one, p));
    }
    stats_pool_fini(&pool);
}

START_TEST(shards_make_a_whole)
{
    uint64_t seed = unit_seed();

    for ( size_t n = 0; n < 200; n += 3 )
        for ( size_t shards = 1; shards <= 8; shards++ )
            check_shards(n, shards, n & 1, &seed);
    check_shards(MANY, 3, true, &seed);
}
END_TEST

START_TEST(worst_has_its_time)
{
    struct stats s = { 0 };
    struct stats_pool pool;

    stats_pool_init(&pool);
    stats_add(&s, &pool, 9, 30);
    stats_add(&s, &pool, 9, 20);
    stats_add(&s, &pool, 9, 40);
    stats_add(&s, &pool, 8, 10);
    ck_assert_uint_eq(s.max_at, 20);
    stats_add(&s, &pool, 10, 50);
    ck_assert_uint_eq(s.max_at, 50);
    stats_pool_fini(&pool);
}
END_TEST

/* The largest values: no overflow by shifts or sums. */
START_TEST(extremes_are_harmless)
{
    struct stats s = { .weighted = true };
    struct stats_bar bars[64];
    struct stats_pool pool;

    stats_pool_init(&pool);
    for ( unsigned int i = 0; i < 600; i++ )
        stats_add(&s, &pool, UINT64_MAX - i, i);
    stats_add(&s, &pool, 1, 0);
    for ( unsigned int p = 0; p <= 100; p++ )
    {
        UNIT_CHECK(stats_percentile(&s, p) >= s.min);
        UNIT_CHECK(stats_weighted(&s, p) <= s.max);
    }
    ck_assert_uint_eq(stats_bars(&s, bars), 2);
    ck_assert_uint_eq(bars[0].count, 1);
    ck_assert_uint_eq(bars[1].count, 600);
    ck_assert(bars[1].high == UINT64_MAX);
    stats_pool_fini(&pool);
}
END_TEST

static void add_often(struct stats *s, struct stats_pool *pool, uint64_t value,
                      unsigned int times)
{
    for ( unsigned int i = 0; i < times; i++ )
        stats_add(s, pool, value, i);
}

/* A cell's count continues beyond 16 bits, and saturates at 32 bits. */
START_TEST(counts_are_long)
{
    struct stats s = { 0 }, t = { 0 };
    struct stats_bar bars[64];
    struct stats_pool pool;

    stats_pool_init(&pool);
    add_often(&s, &pool, 1000, 200003);
    add_often(&s, &pool, 100000, 70001);
    add_often(&t, &pool, 1000, 65535);
    stats_merge(&t, &pool, &s);
    ck_assert_uint_eq(stats_bars(&t, bars), 2);
    ck_assert_uint_eq(bars[0].count, 265538);
    ck_assert_uint_eq(bars[1].count, 70001);
    ck_assert_uint_le(stats_percentile(&t, 79), 1004);
    ck_assert_uint_ge(stats_percentile(&t, 80), 99600);
    for ( unsigned int i = 0; i < 40; i++ )
        stats_merge(i & 1 ? &s : &t, &pool, i & 1 ? &t : &s);
    ck_assert_uint_eq(stats_bars(&t, bars), 2);
    ck_assert_uint_eq(bars[0].count, UINT32_MAX);
    ck_assert_uint_eq(bars[1].count, UINT32_MAX);
    ck_assert(!pool.failed);
    stats_pool_fini(&pool);
}
END_TEST

/* No octave could be allocated, so there are no cells. */
START_TEST(cells_may_be_empty)
{
    struct stats_cells none = { 0 };
    struct stats s = { .count = 300, .sum = 2100, .min = 5, .max = 9,
                       .cells = &none, .in_cells = true };

    ck_assert_uint_eq(stats_percentile(&s, 50), 9);
    ck_assert_uint_eq(stats_weighted(&s, 50), 9);
}
END_TEST

/* Counts, sums and means need no memory. */
START_TEST(mean_needs_no_values)
{
    uint64_t seed = unit_seed(), value;
    struct stats all = { 0 }, mean = { 0 };
    struct stats_pool pool;

    stats_pool_init(&pool);
    for ( size_t i = 0; i < MANY; i++ )
    {
        value = i % 7 ? any_value(&seed) : 0;
        stats_add(&all, &pool, value, i);
        stats_add_to_mean(&mean, value);
        ck_assert_uint_eq(mean.count, all.count);
        ck_assert_uint_eq(mean.zeros, all.zeros);
        ck_assert_uint_eq(mean.sum, all.sum);
        ck_assert_uint_eq(stats_mean(&mean), stats_mean(&all));
    }
    ck_assert_ptr_null(mean.raw);
    ck_assert_uint_eq(mean.max, 0);
    stats_pool_fini(&pool);
}
END_TEST

/* Without memory: counts stay right, and the pool knows. */
START_TEST(no_memory_is_remembered)
{
    for ( uint64_t n = 1; ; n++ )
    {
        struct stats s = { .weighted = true };
        struct stats_pool pool;

        fault_arm(FAULT_ALLOC, n);
        stats_pool_init(&pool);
        for ( uint64_t i = 1; i <= MANY; i++ )
            stats_add(&s, &pool, i * i * i, i);
        add_often(&s, &pool, 7, 1u << 17);
        ck_assert_uint_eq(s.count, MANY + (1u << 17));
        ck_assert_uint_eq(s.max, (uint64_t)MANY * MANY * MANY);
        ck_assert_int_eq(pool.failed, fault_fired(FAULT_ALLOC) != 0);
        stats_percentile(&s, 50);
        stats_pool_fini(&pool);
        ck_assert_int_eq(fault_blocks(), 0);
        if ( !fault_fired(FAULT_ALLOC) )
            break;
    }
    fault_disarm();
}
END_TEST

static bool keeps(const struct stats_top *t, uint64_t key, uint64_t at)
{
    for ( size_t i = 0; i < t->used; i++ )
        if ( t->rows[i].key == key && t->rows[i].at == at )
            return true;
    return false;
}

START_TEST(top_is_the_greatest)
{
    struct stats_top all, few, halves[2];
    uint64_t seed = unit_seed();

    ck_assert_int_eq(stats_top_init(&all, 1000), 0);
    ck_assert_int_eq(stats_top_init(&few, 10), 0);
    for ( unsigned int i = 0; i < 2; i++ )
        ck_assert_int_eq(stats_top_init(&halves[i], 10), 0);
    for ( unsigned int i = 0; i < 1000; i++ )
    {
        struct stats_top_row row = { unit_random(&seed) % 100, 1000 - i, i };

        stats_top_add(&all, &row);
        stats_top_add(&few, &row);
        stats_top_add(&halves[i & 1], &row);
    }
    stats_top_merge(&halves[0], &halves[1]);
    stats_top_sort(&all);
    stats_top_sort(&few);
    for ( unsigned int i = 0; i < 10; i++ )
    {
        UNIT_CHECK(few.rows[i].key == all.rows[i].key);
        UNIT_CHECK(few.rows[i].at == all.rows[i].at);
        UNIT_CHECK(keeps(&halves[0], few.rows[i].key, few.rows[i].at));
    }
    for ( unsigned int i = 1; i < 1000; i++ )
        UNIT_CHECK(all.rows[i - 1].key >= all.rows[i].key);
    stats_top_fini(&all);
    stats_top_fini(&few);
    stats_top_fini(&halves[0]);
    stats_top_fini(&halves[1]);
}
END_TEST

START_TEST(top_of_none)
{
    struct stats_top_row row = { 1, 2, 3 };
    struct stats_top t;

    ck_assert_int_eq(stats_top_init(&t, 0), 0);
    stats_top_add(&t, &row);
    stats_top_sort(&t);
    ck_assert_uint_eq(t.used, 0);
    stats_top_fini(&t);
}
END_TEST

START_TEST(map_keeps_keys_apart)
{
    struct stats_map all = { 0 }, halves[2] = { 0 };
    struct stats_row **rows;
    struct stats_pool pool;

    stats_pool_init(&pool);
    for ( uint64_t i = 1; i <= 3000; i++ )
    {
        uint64_t key = i * i % 1009;

        stats_add(stats_map_get(&all, &pool, key), &pool, i, i);
        stats_add(stats_map_get(&halves[i & 1], &pool, key), &pool, i, i);
    }
    stats_map_merge(&halves[0], &pool, &halves[1]);
    ck_assert_uint_eq(halves[0].used, all.used);
    rows = stats_map_by_key(&all, &pool);
    for ( size_t i = 0; i < all.used; i++ )
    {
        const struct stats *other = stats_map_get(&halves[0], &pool,
                                                  rows[i]->key);

        UNIT_CHECK(!i || rows[i - 1]->key < rows[i]->key);
        UNIT_CHECK(other->sum == rows[i]->stats.sum);
    }
    ck_assert_uint_eq(halves[0].used, all.used);
    rows = stats_map_by_sum(&all, &pool);
    for ( size_t i = 1; i < all.used; i++ )
        UNIT_CHECK(rows[i - 1]->stats.sum >= rows[i]->stats.sum);
    stats_pool_fini(&pool);
}
END_TEST

START_TEST(map_has_an_end)
{
    struct stats_map m = { 0 };
    struct stats_pool pool;

    stats_pool_init(&pool);
    for ( uint64_t i = 0; i < STATS_MAP_MAX + 10; i++ )
        stats_add(stats_map_get(&m, &pool, i << 32), &pool, 1, i);
    ck_assert_uint_eq(m.used, STATS_MAP_MAX);
    ck_assert_uint_eq(m.others->count, 10);
    stats_pool_fini(&pool);
}
END_TEST

/* Few samples are exact; with many, samples of a cell are on one side. */
START_TEST(spread_counts_all)
{
    const uint64_t limits[] = { 10, 100, 1000 };
    uint64_t counts[4];
    struct stats_pool pool;
    struct stats s = { 0 };

    stats_pool_init(&pool);
    for ( uint64_t i = 1; i <= 40; i++ )
        stats_add(&s, &pool, i * 5, i);
    stats_spread(&s, limits, counts, 3);
    ck_assert_uint_eq(counts[0], 1);
    ck_assert_uint_eq(counts[1], 18);
    ck_assert_uint_eq(counts[2], 21);
    ck_assert_uint_eq(counts[3], 0);
    for ( uint64_t i = 0; i < 100000; i++ )
        stats_add(&s, &pool, 1000000 + i, i);
    stats_spread(&s, limits, counts, 3);
    ck_assert_uint_eq(counts[0], 1);
    ck_assert_uint_eq(counts[2], 21);
    ck_assert_uint_eq(counts[3], 100000);
    stats_pool_fini(&pool);
}
END_TEST

UNIT_MAIN("stats", many_are_near, few_are_exact, small_ones_are_exact,
          weight_is_time, nothing_is_no_sample, shards_make_a_whole,
          worst_has_its_time, extremes_are_harmless, counts_are_long,
          cells_may_be_empty, mean_needs_no_values, no_memory_is_remembered,
          top_is_the_greatest, top_of_none, map_keeps_keys_apart,
          map_has_an_end, spread_counts_all)
