/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What C makes of a string literal and of the macros of <inttypes.h>.
 */
#ifndef TRACETOOL_LITERAL_H
#define TRACETOOL_LITERAL_H

#include <stddef.h>

/*
 * One character, or one escape, of what is between the quotes; `end` is
 * theirs.  How many bytes of it that was, and the byte that it means; 0: C
 * has no such escape.
 */
size_t tt_literal_byte(const char *at, const char *end, char *byte);

/* "PRIx64" -> "lx", as this machine's C has it; NULL: no such macro. */
const char *tt_literal_macro(const char *name, size_t length);

#endif /* TRACETOOL_LITERAL_H */
