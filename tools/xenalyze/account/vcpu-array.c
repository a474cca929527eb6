/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The type of the objects is unknown, so copy the bytes of their ids.
 */
#include "xenalyze/account/vcpu-array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "libxentrace/libxentrace.h"

COLD
void *vcpu_array_add(void *array, uint32_t *nr, const struct vcpu *v,
                     struct arena *arena, size_t size, size_t align,
                     bool *failed)
{
    const uint16_t ids[2] = { v->domain->id, v->id };
    void *object = grow_get_object(array, nr, v->index, arena, size, align);

    assert(size >= sizeof(ids));
    if ( object )
        memcpy(object, ids, sizeof(ids));
    else
        *failed = true;
    return object;
}

static uint32_t get_vcpu_key(const void *item)
{
    const void *object;
    uint16_t ids[2];

    memcpy(&object, item, sizeof(object));
    assert(object);
    memcpy(ids, object, sizeof(ids));
    return xt_vcpu_key(ids[0], ids[1]);
}

static int compare_vcpu_keys(const void *a, const void *b)
{
    uint32_t x = get_vcpu_key(a), y = get_vcpu_key(b);

    return (x > y) - (x < y);
}

void vcpu_array_sort(void *array, uint32_t *nr)
{
    assert(array);
    grow_sort_objects(array, nr, compare_vcpu_keys);
}

void *vcpu_array_copy(const void *objects, uint32_t *nr)
{
    assert(nr);
    return grow_copy_objects(objects, nr, compare_vcpu_keys);
}

void *vcpu_array_find(const void *objects, uint32_t nr, uint16_t domain,
                      uint16_t id)
{
    const uint16_t ids[2] = { domain, id };
    const void *wanted = ids, *found = NULL;
    void *object = NULL;

    if ( nr )
        found = bsearch(&wanted, objects, nr, sizeof(wanted),
                        compare_vcpu_keys);
    if ( found )
        memcpy(&object, found, sizeof(object));
    return object;
}
