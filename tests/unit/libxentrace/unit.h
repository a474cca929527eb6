/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main function of unit tests of the trace tools: run the tests, each in a
 * process of its own, and report the number of failures.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_UNIT_H
#define TESTS_UNIT_LIBXENTRACE_UNIT_H

#include <check.h>
#include <stdlib.h>

struct unit_row
{
    const TTest *test;
    int times;                  /* with _i from 0 on */
};

static inline int unit_run(const char *name, const struct unit_row *rows,
                           size_t nr)
{
    Suite *suite = suite_create(name);
    TCase *all = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    for ( size_t i = 0; i < nr; i++ )
        tcase_add_loop_test(all, rows[i].test, 0, rows[i].times);
    tcase_set_timeout(all, 500);
    suite_add_tcase(suite, all);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* main() is UNIT_MAIN("name", test_1, test_2, ...) */
#define UNIT_MAIN(name, ...)                                                \
    int main(void)                                                          \
    {                                                                       \
        const TTest *tests[] = { __VA_ARGS__ };                             \
        struct unit_row rows[sizeof(tests) / sizeof(tests[0])] = { 0 };     \
                                                                            \
        for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )       \
            rows[i] = (struct unit_row){ tests[i], 1 };                     \
        return unit_run(name, rows, sizeof(rows) / sizeof(rows[0]));        \
    }

/* With repeated tests: UNIT_ROWS("name", { test_1, times }, ...) */
#define UNIT_ROWS(name, ...)                                                \
    int main(void)                                                          \
    {                                                                       \
        const struct unit_row rows[] = { __VA_ARGS__ };                     \
                                                                            \
        return unit_run(name, rows, sizeof(rows) / sizeof(rows[0]));        \
    }

#endif /* TESTS_UNIT_LIBXENTRACE_UNIT_H */
