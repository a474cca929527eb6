/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a comparison: quantiles, bounds of shifts, the hash table of
 * figures, and the same domain in two lists.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/compare/domain-match.h"
#include "xenalyze/compare/figures.h"
#include "xenalyze/compare/shift.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* --- quantiles ------------------------------------------------------------ */

static const struct
{
    double risk;
    size_t tests;
    double quantile;
} quantile_rows[] = {
    { 0.05, 1, 1.95996 }, { 0.01, 1, 2.57583 }, { 0.05, 0, 1.95996 },
    { 0.05, 10, 2.80703 }, { 0.05, 100, 3.48076 }, { 0.05, 100000, 5.02631 },
};

START_TEST(quantiles)
{
    for ( size_t i = 0; i < NR(quantile_rows); i++ )
        ck_assert_double_eq_tol(
            shift_quantile(quantile_rows[i].risk, quantile_rows[i].tests),
            quantile_rows[i].quantile, 1e-4);
}
END_TEST

/* --- shifts --------------------------------------------------------------- */

/*
 * A set has `nr` samples: `base`, plus `step` times a fixed sequence of numbers
 * from 0 to 9; and the upper bound is higher by `lost`.
 */
struct sample_set
{
    size_t nr;
    double base, step, lost;
};

static struct shift_samples make_samples(const struct sample_set *set)
{
    static const int sequence[SHIFT_SAMPLES] = {
        3, 7, 0, 9, 4, 1, 8, 2, 6, 5, 2, 9, 1, 7, 4, 0, 8, 5, 3, 6,
    };
    struct shift_samples s = { .nr = set->nr };

    for ( size_t i = 0; i < s.nr; i++ )
    {
        double value = set->base + set->step * sequence[i];

        s.all[i] = (struct shift_sample){ value, value + set->lost, value };
    }
    return s;
}

enum direction { UNKNOWN, NONE, UP, DOWN };

static enum direction direction_of(const struct shift *s)
{
    return !s->is_known ? UNKNOWN : s->low > 0 ? UP : s->high < 0 ? DOWN : NONE;
}

static const struct
{
    const char *name;
    struct sample_set a, b;
    double quantile;
    enum direction with_loss, estimated;
} shift_rows[] = {
    { "equal", { 20, 10, 1, 0 }, { 20, 10, 1, 0 }, 3, NONE, NONE },
    { "no spread", { 20, 10, 0, 0 }, { 20, 10, 0, 0 }, 3, NONE, NONE },
    { "no spread, up", { 20, 10, 0, 0 }, { 20, 11, 0, 0 }, 3, UP, UP },
    { "up", { 20, 10, 1, 0 }, { 20, 30, 1, 0 }, 3, UP, UP },
    { "down", { 20, 30, 1, 0 }, { 20, 10, 1, 0 }, 3, DOWN, DOWN },
    { "less than noise", { 20, 10, 1, 0 }, { 20, 11, 1, 0 }, 3, NONE, NONE },
    { "too strict", { 20, 10, 1, 0 }, { 20, 30, 1, 0 }, 6, UNKNOWN, UNKNOWN },
    { "too few", { 3, 10, 1, 0 }, { 20, 30, 1, 0 }, 3, UNKNOWN, UNKNOWN },
    { "none", { 0, 10, 1, 0 }, { 20, 30, 1, 0 }, 2, UNKNOWN, UNKNOWN },
    { "lost in A", { 20, 10, 1, 50 }, { 20, 30, 1, 0 }, 3, NONE, UP },
    { "lost in B", { 20, 10, 1, 0 }, { 20, 30, 1, 50 }, 3, UP, UP },
    { "lost in B, down", { 20, 30, 1, 0 }, { 20, 10, 1, 50 }, 3, NONE, DOWN },
    { "no bound", { 20, 10, 1, INFINITY }, { 20, 30, 1, INFINITY }, 3, NONE,
      UP },
};

static void check_shift(size_t i)
{
    struct shift_samples a = make_samples(&shift_rows[i].a);
    struct shift_samples b = make_samples(&shift_rows[i].b);
    struct shift s = shift_between(&a, &b, shift_rows[i].quantile, true);

    ck_assert_msg(direction_of(&s) == shift_rows[i].with_loss, "%s",
                  shift_rows[i].name);
    ck_assert(!s.is_known || s.low <= s.high);
    s = shift_between(&a, &b, shift_rows[i].quantile, false);
    ck_assert_msg(direction_of(&s) == shift_rows[i].estimated, "%s",
                  shift_rows[i].name);
}

START_TEST(shifts)
{
    for ( size_t i = 0; i < NR(shift_rows); i++ )
        check_shift(i);
}
END_TEST

/* The true shift is between the bounds, which are tight without spread. */
START_TEST(bounds_of_shift)
{
    const struct sample_set sets[] = { { 20, 10, 0, 0 }, { 20, 17, 0, 0 },
                                       { 20, 10, 1, 0 }, { 20, 17, 1, 0 } };
    struct shift_samples s[NR(sets)];
    struct shift shift;

    for ( size_t i = 0; i < NR(sets); i++ )
        s[i] = make_samples(&sets[i]);
    shift = shift_between(&s[0], &s[1], 3, true);
    ck_assert_double_eq(shift.low, 7);
    ck_assert_double_eq(shift.high, 7);
    shift = shift_between(&s[2], &s[3], 3, true);
    ck_assert(shift.low > 0 && shift.low < 7);
    ck_assert(shift.high > 7 && shift.high < 14);
}
END_TEST

/* Values that drift are fewer samples: 10 low and 10 high ones are like two. */
START_TEST(dependent_samples)
{
    struct shift_samples a = { .nr = SHIFT_SAMPLES }, b = { .nr = a.nr };
    struct shift s;

    for ( size_t i = 0; i < a.nr; i++ )
    {
        double spread = (double)(i * 7 % 20), drift = (double)i;

        a.all[i] = (struct shift_sample){ spread, spread, spread };
        b.all[i] = (struct shift_sample){ drift + 14, drift + 14, drift + 14 };
    }
    s = shift_between(&a, &a, 4, true);
    ck_assert(s.is_known);
    s = shift_between(&b, &b, 4, true);
    ck_assert(!s.is_known);
}
END_TEST

/* --- bursts --------------------------------------------------------------- */

static double make_uniform(uint64_t *seed)
{
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*seed >> 33) + 0.5) / (double)(UINT64_C(1) << 31);
}

/* Uniform, or with a heavy tail, or dependent on the last sample. */
enum noise { NOISE_EVEN, NOISE_TAIL, NOISE_DRIFT, NOISES };

static void fill_noise(struct shift_samples *s, enum noise noise,
                       uint64_t *seed)
{
    double last = make_uniform(seed);

    s->nr = SHIFT_PARTS;
    for ( size_t i = 0; i < s->nr; i++ )
    {
        double value = make_uniform(seed);

        if ( noise == NOISE_TAIL )
            value = 1 / value;
        if ( noise == NOISE_DRIFT )
            last = value = 0.5 * last + 0.5 * value;
        s->all[i] = (struct shift_sample){ value, value, value };
    }
}

static void add_burst(struct shift_samples *s, size_t from, size_t length,
                      double height)
{
    for ( size_t i = from; i < from + length; i++ )
    {
        s->all[i].low += height;
        s->all[i].high += height;
        s->all[i].estimate += height;
    }
}

#define PAIRS 20000u
#define BURST_TEST_RISK 0.001

/* In equal arrays, bursts are as rare as the risk. */
START_TEST(no_bursts)
{
    uint64_t seed = 11;

    for ( unsigned int noise = 0; noise < NOISES; noise++ )
    {
        struct shift_samples a, b;
        unsigned int found = 0;

        for ( unsigned int i = 0; i < PAIRS; i++ )
        {
            fill_noise(&a, noise, &seed);
            fill_noise(&b, noise, &seed);
            found += shift_by_bursts(&a, &b, BURST_TEST_RISK, false).is_known;
        }
        ck_assert_uint_le(found, (unsigned int)(BURST_TEST_RISK * PAIRS));
    }
}
END_TEST

static void expect_burst(const struct shift_samples *a,
                         const struct shift_samples *b, enum direction wanted)
{
    struct shift s = shift_by_bursts(a, b, BURST_TEST_RISK, true);

    ck_assert(s.is_known);
    ck_assert_int_eq(direction_of(&s), wanted);
    s = shift_by_bursts(b, a, BURST_TEST_RISK, true);
    ck_assert(s.is_known);
    ck_assert_int_eq(direction_of(&s), wanted == UP ? DOWN : UP);
}

/* Bursts at any place, above and below, and on either side. */
START_TEST(bursts)
{
    uint64_t seed = 5;

    for ( size_t from = 0; from + 9 <= SHIFT_PARTS; from++ )
    {
        struct shift_samples a, b;

        fill_noise(&a, NOISE_EVEN, &seed);
        fill_noise(&b, NOISE_EVEN, &seed);
        add_burst(&b, from, 9, 10);
        expect_burst(&a, &b, UP);
        add_burst(&b, from, 9, -20);
        expect_burst(&a, &b, DOWN);
    }
}
END_TEST

/* No burst: too short, too low, on both sides, or hidden by losses. */
START_TEST(no_bursts_of_size)
{
    struct shift_samples a, b, c;
    uint64_t seed = 3;

    fill_noise(&a, NOISE_EVEN, &seed);
    fill_noise(&b, NOISE_EVEN, &seed);
    c = b;
    add_burst(&b, 12, 2, 1000);
    ck_assert(!shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
    b = c;
    add_burst(&b, 12, 8, 0.4);
    ck_assert(!shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
    b = c;
    add_burst(&a, 30, 8, 10);
    add_burst(&b, 12, 8, 10);
    ck_assert(!shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
    add_burst(&a, 30, 8, -10);
    ck_assert(shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
    for ( size_t i = 0; i < b.nr; i++ )
        a.all[i].high += 10;
    ck_assert(!shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
    ck_assert(shift_by_bursts(&a, &b, BURST_TEST_RISK, false).is_known);
    a.nr = 0;
    ck_assert(!shift_by_bursts(&a, &b, BURST_TEST_RISK, true).is_known);
}
END_TEST

/* --- figures -------------------------------------------------------------- */

START_TEST(fields_of_key)
{
    uint64_t key = figure_key(0x7ffe, FIGURE_VCPU(0xffff), FIGURE_LOST_TIME,
                              FIGURE_DETAILS - 1);

    ck_assert_uint_eq(figure_domain(key), 0x7ffe);
    ck_assert_uint_eq(figure_vcpu(key), 0x10000);
    ck_assert_uint_eq(figure_kind(key), FIGURE_LOST_TIME);
    ck_assert_uint_eq(figure_detail(key), FIGURE_DETAILS - 1);
    ck_assert_uint_eq(figure_domain(figure_with_domain(key, 3)), 3);
    ck_assert_uint_eq(figure_kind(figure_with_kind(key, FIGURE_EXITS)),
                      FIGURE_EXITS);
    ck_assert_uint_eq(figure_detail(figure_with_detail(key, 5)), 5);
    ck_assert(figure_with_domain(key, 0x7ffe) == key);
}
END_TEST

/* Memory is bounded: figures beyond FIGURES_MAX are refused. */
START_TEST(bounded_figures)
{
    struct figures f;

    figures_init(&f);
    ck_assert_ptr_null(figures_find(&f, 1));
    for ( uint64_t key = FIGURES_MAX; key > 0; key-- )
        ck_assert_ptr_nonnull(figures_get(&f, key * 3));
    ck_assert(!f.too_many);
    ck_assert_ptr_null(figures_get(&f, 1));
    ck_assert(f.too_many && !f.failed);
    ck_assert_ptr_nonnull(figures_get(&f, 3));
    ck_assert_ptr_null(figures_find(&f, 4));
    ck_assert_int_eq(figures_sort(&f), 0);
    for ( size_t i = 0; i < f.used; i++ )
        ck_assert_uint_eq(f.sorted[i]->key, 3 * (i + 1));
    figures_fini(&f);
}
END_TEST

START_TEST(figures_without_memory)
{
    struct figures f;

    for ( unsigned int nr = 1; nr <= 2; nr++ )
    {
        figures_init(&f);
        fault_arm(FAULT_ALLOC, nr);
        ck_assert_ptr_null(figures_get(&f, 7));
        fault_disarm();
        ck_assert(f.failed);
        figures_fini(&f);
    }
}
END_TEST

/* --- domains -------------------------------------------------------------- */

/*
 * Lists are "ID=NAME ID ID=NAME"; the pairs "ID-ID", with "x" for a domain of
 * one side only.
 */
static const struct { const char *a, *b, *pairs; } match_rows[] = {
    { "", "", "" },
    { "0", "0", "0-0 " },
    { "0=Domain-0", "0=dom0", "0-0 " },
    { "1 2", "2 3", "1-x 2-2 x-3 " },
    { "1=web 2=db", "7=db 9=web", "1-9 2-7 " },
    { "1=web", "1=db", "1-x x-1 " },
    { "1=web", "1", "1-1 " },
    { "1", "1=web", "1-1 " },
    { "1=web 2", "2 5=web", "1-5 2-2 " },
    { "1=web 2=web", "2=web 3=web", "1-3 2-2 " },
    { "1=web 2=web 3=web", "9=web", "1-9 2-x 3-x " },
    { "1=web 5", "1=db 5=web", "1-5 5-x x-1 " },
};

#define MAX_DOMAINS 8u

struct parsed
{
    uint16_t ids[MAX_DOMAINS];
    char names[MAX_DOMAINS][16];
    struct xt_domain_name all[MAX_DOMAINS];
    struct xt_domain_names table;
    struct domain_list list;
};

static void parse_list(struct parsed *p, const char *text)
{
    int used;
    unsigned int id;

    memset(p, 0, sizeof(*p));
    p->list = (struct domain_list){ .ids = p->ids, .names = &p->table };
    p->table.all = p->all;
    while ( sscanf(text, " %u%n", &id, &used) == 1 )
    {
        char *name = p->names[p->list.nr];

        text += used;
        p->ids[p->list.nr++] = id;
        if ( sscanf(text, "=%15s%n", name, &used) != 1 )
            continue;
        text += used;
        p->all[p->table.nr++] = (struct xt_domain_name){ .id = id,
                                                         .name = name };
    }
}

static void check_match(const char *list_a, const char *list_b,
                        const char *expected)
{
    struct parsed a, b;
    struct domain_pair pairs[2 * MAX_DOMAINS];
    char text[256] = "";
    size_t nr;

    parse_list(&a, list_a);
    parse_list(&b, list_b);
    ck_assert_int_eq(domain_match((struct domain_list[]){ a.list, b.list },
                                  pairs, &nr), 0);
    for ( size_t i = 0; i < nr; i++ )
    {
        char word[2][8] = { "x", "x" };

        for ( unsigned int k = 0; k < 2; k++ )
            if ( pairs[i].ids[k] != DOMAIN_NO_MATCH )
                snprintf(word[k], sizeof(word[k]), "%u", pairs[i].ids[k]);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s-%s ",
                 word[0], word[1]);
    }
    ck_assert_str_eq(text, expected);
}

START_TEST(matches)
{
    for ( size_t i = 0; i < NR(match_rows); i++ )
        check_match(match_rows[i].a, match_rows[i].b, match_rows[i].pairs);
}
END_TEST

UNIT_MAIN("comparison", quantiles, shifts, bounds_of_shift, dependent_samples,
          no_bursts, bursts, no_bursts_of_size, fields_of_key, bounded_figures,
          figures_without_memory, matches)
