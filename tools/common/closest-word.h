/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The entry of a table that a mistyped word resembles most, for error messages
 * with a suggestion.
 *
 *     closest_word_init(&c, word, strlen(word));
 *     for each entry
 *         closest_word_compare(&c, entry);
 *     if ( c.best )
 *         err_usage(e, "%s: is %s meant?", word, c.best);
 */
#ifndef COMMON_CLOSEST_WORD_H
#define COMMON_CLOSEST_WORD_H

#include <stddef.h>

#include "common/err.h"

struct closest_word
{
    const char *word;           /* the mistyped word; borrowed, as `best` */
    size_t length;
    const char *best;           /* NULL: no entry is close */
    unsigned int distance;      /* edit distance to `best` */
    size_t prefix;              /* length of the prefix shared with `best`, the
                                   tie-breaker */
};

void closest_word_init(struct closest_word *c, const char *word, size_t length);

/*
 * Compare with an entry of the table.  An entry is close if the edit distance
 * is at most EDIT_DISTANCE_CLOSE and below half of the word's length, or if the
 * word is a prefix of the entry.
 */
void closest_word_compare(struct closest_word *c, const char *entry);

/* Index of a word of `length` bytes in a NULL-terminated array, or -1. */
int closest_word_find(const char *const *words, const char *word,
                      size_t length);

/*
 * Set and return the usage error "WHAT WORD: is CLOSEST meant? It is one of
 * ..." for a word that the NULL-terminated array lacks; NULL: no argument.
 */
int closest_word_refuse(const char *const *words, const char *what,
                        const char *word, struct err *e);

#endif /* COMMON_CLOSEST_WORD_H */
