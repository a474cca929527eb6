/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of C string literals, and of the macros of <inttypes.h>.
 */
#ifndef TRACETOOL_LITERAL_H
#define TRACETOOL_LITERAL_H

#include <stddef.h>

/*
 * Read a character or an escape sequence between the quotes, up to `end`.
 * Returns the bytes used, and *byte; 0: C has no such escape sequence.
 */
size_t tt_literal_byte(const char *at, const char *end, char *byte);

/* "PRIx64" -> "lx", by this machine's <inttypes.h>; NULL: no such macro. */
const char *tt_literal_macro(const char *name, size_t length);

#endif /* TRACETOOL_LITERAL_H */
