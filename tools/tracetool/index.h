/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Find items of an array by a hash of theirs.  Equal hashes are a chain, in
 * the order in which they were added; whether an item is the one that was
 * looked for only the caller can say:
 *
 *     for ( i = tt_index_first(&x, h); i != TT_NONE; i = x.next[i] )
 */
#ifndef TRACETOOL_INDEX_H
#define TRACETOOL_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

#define TT_NONE SIZE_MAX

struct tt_index
{
    size_t *first, *last, *next;
    size_t mask;                /* of `first` and `last` */
};

/* For items 0 .. nr - 1.  0 or -ENOMEM. */
int tt_index_init(struct tt_index *x, struct arena *a, size_t nr);

void tt_index_add(struct tt_index *x, uint64_t hash, size_t item);

size_t tt_index_first(const struct tt_index *x, uint64_t hash);

/* Capitals and small letters are the same, as they are in constants. */
uint64_t tt_index_hash(const char *name);

#endif /* TRACETOOL_INDEX_H */
