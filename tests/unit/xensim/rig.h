/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common functions of the tests of the machine.  libcheck forks for each test,
 * so each test has its own machine.
 */
#ifndef TESTS_UNIT_XENSIM_RIG_H
#define TESTS_UNIT_XENSIM_RIG_H

#include <stdbool.h>

#include "tests/unit/common/unit.h"
#include "xensim/runtime/runtime.h"

/* Start a machine, or fail the test. */
void rig_start(const struct xensim_config *config);
void rig_start_single(unsigned int cpus);

/* Does fn() end its process by a BUG? */
bool rig_dies(void (*fn)(void));

#endif /* TESTS_UNIT_XENSIM_RIG_H */
