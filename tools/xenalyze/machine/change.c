/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue that grows.  What cannot be kept for want of memory is missing, and
 * `failed` says so, once it matters.
 */
#include "xenalyze/machine/change.h"

#include <errno.h>

#include "common/fault.h"

int changes_grow(struct changes *c)
{
    size_t room = c->room ? 2 * c->room : 64;
    struct change *items = fault_realloc(c->items, room * sizeof(*items));

    if ( !items )
    {
        c->failed = true;
        return -ENOMEM;
    }
    c->items = items;
    c->room = room;
    return 0;
}
