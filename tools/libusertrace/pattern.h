/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of event names: "*" matches any run of characters, "?" any single
 * character.  A pattern matches the whole name.
 */
#ifndef LIBUSERTRACE_PATTERN_H
#define LIBUSERTRACE_PATTERN_H

#include <stdbool.h>

bool ut_pattern_matches(const char *pattern, const char *name);

#endif /* LIBUSERTRACE_PATTERN_H */
