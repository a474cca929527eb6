/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assertions for hot loops.  Builds with a sanitizer (configure's
 * --enable-asan, --enable-ubsan, --enable-tsan, --enable-fuzz) check them and
 * define DEBUG_ASSERTIONS; other builds compile the condition, so that it
 * stays correct, and generate no code for it.
 *
 *     debug_assert(window->begin <= window->end);
 *
 * Elsewhere assert() is right.  Neither is for the contents of a file, a
 * socket or a shared page: check those.
 */
#ifndef COMMON_DEBUG_H
#define COMMON_DEBUG_H

#include <assert.h>

#ifdef DEBUG_ASSERTIONS
# define debug_assert(condition) assert(condition)
#else
# define debug_assert(condition) ((void)(0 && (condition)))
#endif

#endif /* COMMON_DEBUG_H */
