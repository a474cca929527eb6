/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plurals of words in messages and reports.
 */
#ifndef SIMPLETRACE_PLURAL_H
#define SIMPLETRACE_PLURAL_H

#include <stdint.h>

/* The ending of a word behind a number: "1 byte", "2 bytes". */
static inline const char *st_plural(uint64_t nr)
{
    return nr == 1 ? "" : "s";
}

#endif /* SIMPLETRACE_PLURAL_H */
