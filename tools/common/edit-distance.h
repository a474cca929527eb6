/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The difference between a mistyped word and a known one, for messages that
 * suggest the known word.
 */
#ifndef COMMON_EDIT_DISTANCE_H
#define COMMON_EDIT_DISTANCE_H

#include <stddef.h>

#define EDIT_DISTANCE_MAX 48u   /* characters of the known word */
#define EDIT_DISTANCE_CLOSE 2u  /* at most this: worth a suggestion */

/*
 * The number of characters to insert, delete or change, or of neighbours to
 * exchange, between a (len characters) and b (at most EDIT_DISTANCE_MAX).
 */
unsigned int edit_distance(const char *a, size_t len, const char *b);

#endif /* COMMON_EDIT_DISTANCE_H */
