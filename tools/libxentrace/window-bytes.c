/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "libxentrace/window-bytes.h"

#include <assert.h>
#include <stdlib.h>

#define ROOM_FIRST 512u

void xt_window_bytes_fini(struct xt_window_bytes *b)
{
    free(b->buffer);
    *b = (struct xt_window_bytes){ .buffer = NULL };
}

/*
 * Drops the old bytes.  Not an allocation of fault.h, which tests make fail to
 * see an error: without this memory the mapping is used.
 */
static bool reserve_bytes(struct xt_window_bytes *b, size_t size)
{
    size_t room = b->room ? b->room : ROOM_FIRST;

    if ( size <= b->room )
        return true;
    while ( room < size )
        room *= 2;
    free(b->buffer);
    b->size = 0;
    b->buffer = malloc(room);
    b->room = b->buffer ? room : 0;
    return b->buffer;
}

const unsigned char *xt_window_bytes_load(struct xt_window_bytes *b,
                                          const struct xt_source *s,
                                          uint64_t at, size_t size)
{
    if ( b->size && at == b->at && size <= b->size )
        return b->buffer;
    if ( !size || size > b->most || !reserve_bytes(b, size) )
        return NULL;
    b->size = 0;
    if ( !xt_source_peek(s, at, b->buffer, size) )
        return NULL;
    b->at = at;
    b->size = size;
    return b->buffer;
}
