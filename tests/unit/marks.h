/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the library `check`, each assertion that holds marks its place with a
 * write() to a pipe, for the report of a test that crashes later: that was
 * three million system calls in one test, and half of what all unit tests took.
 * Sanitizers and debuggers know better where it crashed; what fails says so
 * without a mark.
 *
 * configure has this included before all else, so it must not include anything.
 */
#ifndef TESTS_UNIT_MARKS_H
#define TESTS_UNIT_MARKS_H

static inline void unit_no_mark(const char *file, int line)
{
    (void)file;
    (void)line;
}

/* Where <check.h> declares its own, it declares this one again. */
#define _mark_point unit_no_mark

#endif /* TESTS_UNIT_MARKS_H */
