/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dynamic arrays, indexed by the number of a pcpu or by the dense index of a
 * vcpu or domain.
 */
#ifndef COMMON_GROW_H
#define COMMON_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"

#define GROW_MAX_INDEX (1u << 31)

bool grow_to_index_slow(void *array, uint32_t *nr, uint32_t index, size_t size);

/*
 * Make array[index] valid, with items of `size` bytes: `array` is the address
 * of the pointer, *nr the number of items, `index` below GROW_MAX_INDEX.  New
 * items are zero.  False: no memory; the array is unchanged.
 */
static inline bool grow_to_index(void *array, uint32_t *nr, uint32_t index,
                                 size_t size)
{
    return index < *nr || grow_to_index_slow(array, nr, index, size);
}

/*
 * The same for an array of pointers to objects.  Returns the object of `index`,
 * on first use a new one: `size` zero bytes of the arena.  NULL: no memory.
 */
void *grow_get_object_slow(void *array, uint32_t *nr, uint32_t index,
                           struct arena *arena, size_t size, size_t align);

/* The object of an index, or NULL. */
static inline void *grow_find_object(const void *array, uint32_t nr,
                                     uint32_t index)
{
    const unsigned char *objects;
    void *object = NULL;

    if ( index < nr )
    {
        /* The pointer's type is unknown, so copy its bytes. */
        memcpy(&objects, array, sizeof(objects));
        memcpy(&object, objects + index * sizeof(object), sizeof(object));
    }
    return object;
}

static inline void *grow_get_object(void *array, uint32_t *nr, uint32_t index,
                                    struct arena *arena, size_t size,
                                    size_t align)
{
    void *object = grow_find_object(array, *nr, index);

    return object ? object : grow_get_object_slow(array, nr, index, arena,
                                                  size, align);
}

/*
 * Close such an array: remove the indices without an object, and sort the rest.
 * `compare` gets pointers to two items, as from qsort().
 */
void grow_sort_objects(void *array, uint32_t *nr,
                       int (*compare)(const void *a, const void *b));

/*
 * A copy of such an array, closed in the same way; the caller frees it.  NULL:
 * no memory.
 */
void *grow_copy_objects(const void *objects, uint32_t *nr,
                        int (*compare)(const void *a, const void *b));

#endif /* COMMON_GROW_H */
