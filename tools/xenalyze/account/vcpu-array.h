/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays of pointers to objects, one a vcpu.  Each object begins with its
 * domain and id:
 *
 *     uint16_t domain, id;
 */
#ifndef XENALYZE_ACCOUNT_VCPU_ARRAY_H
#define XENALYZE_ACCOUNT_VCPU_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/grow.h"
#include "xenalyze/model/model.h"

void *vcpu_array_add(void *array, uint32_t *nr, const struct vcpu *v,
                     struct arena *arena, size_t size, size_t align,
                     bool *failed);

/*
 * The object of a vcpu in an array by index of the vcpu; on first use a new
 * one, of `size` bytes of the arena, zero except for domain and id.  NULL: no
 * memory, and *failed is true.
 */
static inline void *vcpu_array_get(void *array, uint32_t *nr,
                                   const struct vcpu *v, struct arena *arena,
                                   size_t size, size_t align, bool *failed)
{
    void *object = grow_find_object(array, *nr, v->index);

    return object ? object : vcpu_array_add(array, nr, v, arena, size, align,
                                            failed);
}

/*
 * Close such an array: remove the indices without an object, and sort the rest
 * by domain and id.
 */
void vcpu_array_sort(void *array, uint32_t *nr);

/* A copy, closed in the same way; the caller frees it.  NULL: no memory. */
void *vcpu_array_copy(const void *objects, uint32_t *nr);

/* The object of a vcpu in a sorted array of `nr` pointers, or NULL. */
void *vcpu_array_find(const void *objects, uint32_t nr, uint16_t domain,
                      uint16_t id);

#endif /* XENALYZE_ACCOUNT_VCPU_ARRAY_H */
