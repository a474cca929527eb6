/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of names: "*" is any run of characters, "?" any one; nothing else
 * is special, and a pattern is about the whole name.
 */
#ifndef LIBUSERTRACE_PATTERN_H
#define LIBUSERTRACE_PATTERN_H

#include <stdbool.h>

bool ut_pattern_matches(const char *pattern, const char *name);

#endif /* LIBUSERTRACE_PATTERN_H */
