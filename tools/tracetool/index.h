/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Find items of an array by a hash value.  Items with equal hashes are a chain
 * in the order of insertion; the caller compares the items:
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
    size_t mask;                /* index mask of `first` and `last` */
};

/* An empty index for items 0 .. nr - 1.  0 or -ENOMEM. */
int tt_index_init(struct tt_index *x, struct arena *a, size_t nr);

void tt_index_add(struct tt_index *x, uint64_t hash, size_t item);

size_t tt_index_first(const struct tt_index *x, uint64_t hash);

/* Upper and lower case hash to the same value, as constants are upper case. */
uint64_t tt_index_hash(const char *name);

#endif /* TRACETOOL_INDEX_H */
