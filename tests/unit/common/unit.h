/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common code of unit tests with `check`: a main function for a list of tests,
 * and reproducible random numbers.
 *
 *     START_TEST(one_is_one) { ck_assert_int_eq(1, 1); } END_TEST
 *     UNIT_MAIN("numbers", one_is_one)
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#define UNIT_SECONDS 500        /* time limit of a test, against hangs only */

static inline int unit_run(const char *name, const TTest *const *tests,
                           size_t n)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;
    size_t i;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, UNIT_SECONDS);
    for ( i = 0; i < n; i++ )
        tcase_add_test(tcase, tests[i]);

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* A cheap assertion for inner loops. */
#define UNIT_CHECK(condition)                                           \
    do {                                                                \
        if ( !(condition) )                                             \
            ck_abort_msg("%s does not hold", #condition);               \
    } while ( 0 )

#define UNIT_MAIN(name, ...)                                            \
int main(void)                                                          \
{                                                                       \
    const TTest *const tests[] = { __VA_ARGS__ };                       \
                                                                        \
    return unit_run(name, tests, sizeof(tests) / sizeof(tests[0]));     \
}

/* Start with unit_seed(); $SEED chooses another run, the default is fixed. */
static inline uint64_t unit_seed(void)
{
    const char *text = getenv("SEED");

    return (text != NULL ? strtoull(text, NULL, 0) : 0) * 2 + 1;
}

/* xorshift64*; the state is never 0. */
static inline uint64_t unit_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

/* A number of a random length: small ones are as likely as large ones. */
static inline uint64_t unit_random_length(uint64_t *state)
{
    uint64_t value = unit_random(state);

    return value >> (unit_random(state) >> 58);
}

#endif /* TESTS_UNIT_H */
