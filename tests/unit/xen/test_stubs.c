/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen without CONFIG_TRACEBUFFER: callers compile to nothing, and control
 * returns an error.  Linked without trace.c.
 */
#include <check.h>
#include <stdlib.h>

#include "xensim/runtime/runtime.h"

/* Xen does not use this warning. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#undef CONFIG_TRACEBUFFER
#include <xen/trace.h>

static unsigned int evaluated;

static uint32_t evaluate_argument(void)
{
    return ++evaluated;
}

START_TEST(nothing_is_done)
{
    static const xen_ulong_t args[6];
    const uint32_t word = 1;
    struct xen_sysctl_tbuf_op op = { .cmd = XEN_SYSCTL_TBUFOP_get_info };

    init_trace_bufs();
    ck_assert_int_eq(tb_control(&op), -ENOSYS);
    ck_assert(!tb_init_done);
    ck_assert_int_eq(trace_will_trace_event(TRC_SHADOW), 0);

    TRACE_0D(TRC_SCHED_YIELD);
    TRACE_1D(TRC_SCHED_YIELD, evaluate_argument());
    TRACE_2D(TRC_SCHED_YIELD, evaluate_argument(), 2);
    TRACE_6D(TRC_SCHED_YIELD, evaluate_argument(), 2, 3, 4, 5, 6);
    TRACE(TRC_SCHED_YIELD, evaluate_argument());
    TRACE_TIME(TRC_SCHED_YIELD, evaluate_argument());
    trace(TRC_SCHED_YIELD, 3, &word);
    trace_time(TRC_SCHED_YIELD, 4, &word);
    trace_var(TRC_SCHED_YIELD, true, 4, &word);
    __trace_var(TRC_SCHED_YIELD, true, 4096, NULL);
    __trace_hypercall(TRC_PV_HYPERCALL_V2, ~0UL, args);
    ck_assert_uint_eq(evaluated, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("xen");
    TCase *tests = tcase_create("stubs");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tests, nothing_is_done);
    suite_add_tcase(suite, tests);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);

    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
