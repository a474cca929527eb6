/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growth by doubling keeps the number of copied bytes linear.
 */
#include "xenalyze/account/grow.h"

#include <assert.h>
#include <string.h>

#include "common/fault.h"

bool grow_to_index(void *array, uint32_t *nr, uint32_t index, size_t size)
{
    uint32_t n = *nr ? *nr : 16;
    unsigned char *larger;
    void *old;

    if ( index < *nr )
        return true;
    assert(size && index < GROW_MAX_INDEX);
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
