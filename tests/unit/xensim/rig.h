/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the machine share.  Each test is a process of its own
 * (check forks), so each has a machine of its own.
 */
#ifndef TESTS_UNIT_XENSIM_RIG_H
#define TESTS_UNIT_XENSIM_RIG_H

#include <stdbool.h>

#include "tests/unit/common/unit.h"
#include "xensim/runtime/runtime.h"

/* On, or the test has failed. */
void rig_start(const struct xensim_config *config);
void rig_start_single(unsigned int cpus);

/* Does fn end its process by a BUG? */
bool rig_dies(void (*fn)(void));

#endif /* TESTS_UNIT_XENSIM_RIG_H */
