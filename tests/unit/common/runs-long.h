/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is this a run of ./check --full, for which tests take more samples?
 */
#ifndef TESTS_UNIT_COMMON_RUNS_LONG_H
#define TESTS_UNIT_COMMON_RUNS_LONG_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool runs_long(void)
{
    const char *full = getenv("CHECK_FULL");

    return full && *full;
}

#endif /* TESTS_UNIT_COMMON_RUNS_LONG_H */
