/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growth by doubling keeps the number of copied bytes linear.
 */
#include "common/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/fault.h"

COLD
bool grow_to_index_slow(void *array, uint32_t *nr, uint32_t index, size_t size)
{
    uint32_t n = *nr ? *nr : 16;
    unsigned char *larger;
    void *old;

    assert(size && index >= *nr && index < GROW_MAX_INDEX);
    while ( n <= index )
        n *= 2;
    /* The pointer's type is unknown, so copy its bytes. */
    memcpy(&old, array, sizeof(old));
    larger = fault_realloc(old, n * size);
    if ( !larger )
        return false;
    memset(larger + *nr * size, 0, (n - *nr) * size);
    memcpy(array, &larger, sizeof(larger));
    *nr = n;
    return true;
}

COLD
void *grow_get_object_slow(void *array, uint32_t *nr, uint32_t index,
                           struct arena *arena, size_t size, size_t align)
{
    unsigned char *objects;
    void *object;

    if ( !grow_to_index(array, nr, index, sizeof(object)) )
        return NULL;
    memcpy(&objects, array, sizeof(objects));
    object = arena_zalloc(arena, size, align);
    memcpy(objects + index * sizeof(object), &object, sizeof(object));
    return object;
}

void grow_sort_objects(void *array, uint32_t *nr,
                       int (*compare)(const void *a, const void *b))
{
    uint32_t kept = 0;
    unsigned char *objects;
    void *object;

    assert(compare);
    memcpy(&objects, array, sizeof(objects));
    for ( uint32_t i = 0; i < *nr; i++ )
    {
        memcpy(&object, objects + i * sizeof(object), sizeof(object));
        if ( object )
            memcpy(objects + kept++ * sizeof(object), &object, sizeof(object));
    }
    *nr = kept;
    if ( kept )
        qsort(objects, kept, sizeof(object), compare);
}

void *grow_copy_objects(const void *objects, uint32_t *nr,
                        int (*compare)(const void *a, const void *b))
{
    void *copy = fault_calloc(*nr + (size_t)1, sizeof(void *));

    assert(objects || !*nr);
    if ( !copy )
        return NULL;
    if ( *nr )
        memcpy(copy, objects, *nr * sizeof(void *));
    grow_sort_objects(&copy, nr, compare);
    return copy;
}
