/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_INTERLEAVE_POINT_H
#define TESTS_INTERLEAVE_POINT_H

#include <stdint.h>

void trace_point(uint32_t id, uint32_t bytes);

#endif /* TESTS_INTERLEAVE_POINT_H */
