/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debug_assert(): aborts in builds with sanitizers, no code in others. */
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#undef COMMON_DEBUG_H
#undef DEBUG_ASSERTIONS
#include "common/debug.h"

static unsigned int evaluated;  /* calls of evaluate() */

static bool evaluate(bool result)
{
    evaluated++;
    return result;
}

START_TEST(disabled_assertion_is_not_evaluated)
{
    debug_assert(evaluate(false));
    ck_assert_uint_eq(evaluated, 0);
}
END_TEST

#undef COMMON_DEBUG_H
#undef debug_assert
#define DEBUG_ASSERTIONS
#include "common/debug.h"

START_TEST(enabled_assertion_passes_a_true_condition)
{
    debug_assert(evaluate(true));
    ck_assert_uint_eq(evaluated, 1);
}
END_TEST

/* In a child process: CK_FORK=no runs tests in this process. */
START_TEST(enabled_assertion_aborts)
{
    int status;
    pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if ( !child )
    {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        close(STDERR_FILENO);
        debug_assert(evaluate(false));
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

UNIT_MAIN("debug", disabled_assertion_is_not_evaluated,
          enabled_assertion_passes_a_true_condition, enabled_assertion_aborts)
