/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays of pointers to objects, one a vcpu.  Each object begins with its
 * domain and id:
 *
 *     uint16_t domain, id;
 */
#ifndef XENALYZE_ACCOUNT_VCPU_ARRAY_H
#define XENALYZE_ACCOUNT_VCPU_ARRAY_H

#include <stdint.h>

/*
 * Close an array of grow_get_object(): remove the indices without an object,
 * and sort the rest by domain and id.
 */
void vcpu_array_sort(void *array, uint32_t *nr);

/* A copy, closed in the same way; the caller frees it.  NULL: no memory. */
void *vcpu_array_copy(const void *objects, uint32_t *nr);

/* The object of a vcpu in a sorted array of `nr` pointers, or NULL. */
void *vcpu_array_find(const void *objects, uint32_t nr, uint16_t domain,
                      uint16_t id);

#endif /* XENALYZE_ACCOUNT_VCPU_ARRAY_H */
