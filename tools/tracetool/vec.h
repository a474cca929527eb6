/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing array in an arena.  Old copies stay in the arena; together they are
 * at most as large as the array.
 */
#ifndef TRACETOOL_VEC_H
#define TRACETOOL_VEC_H

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "common/arena.h"

struct tt_vec
{
    void *items;                /* the address changes when it grows */
    size_t nr, room;
};

/* Append an item; NULL: out of memory, the array is unchanged. */
static inline void *tt_vec_add(struct arena *a, struct tt_vec *v, size_t size)
{
    size_t room = v->room ? v->room * 2 : 16;
    void *items;

    assert(size && v->nr <= v->room && (v->items || !v->room));
    if ( v->nr == v->room )
    {
        items = arena_array(a, room, size, alignof(max_align_t));
        if ( !items )
            return NULL;
        if ( v->nr )
            memcpy(items, v->items, v->nr * size);
        v->items = items;
        v->room = room;
    }
    return (char *)v->items + v->nr++ * size;
}

#endif /* TRACETOOL_VEC_H */
