/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "libxentrace/window-bytes.h"

#include <assert.h>
#include <stdlib.h>

#include "libxentrace/window.h"

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

const unsigned char *xt_window_bytes_find(const struct xt_window_bytes *b,
                                          uint64_t at, size_t size)
{
    if ( !b->size || at < b->at || at - b->at > b->size ||
         size > b->size - (at - b->at) )
        return NULL;
    return b->buffer + (at - b->at);
}

const unsigned char *xt_window_bytes_load(struct xt_window_bytes *b,
                                          const struct xt_source *s,
                                          uint64_t at, size_t size)
{
    if ( !size || size > b->most || !reserve_bytes(b, size) )
        return NULL;
    b->size = 0;
    if ( !xt_source_peek(s, at, b->buffer, size) )
        return NULL;
    b->at = at;
    b->size = size;
    return b->buffer;
}

/*
 * Most of what is read ahead has to be of use: half of the bytes since the last
 * window were its own, if it was as long as this one.
 */
static size_t choose_size(const struct xt_window_bytes *b,
                          const struct xt_source *s, uint64_t at, size_t size)
{
    size_t most = b->most < XT_WINDOW_BYTES_MANY
                  ? b->most : XT_WINDOW_BYTES_MANY;

    if ( at < b->last || (at - b->last) / 2 > size + XT_WINDOW_HEADER ||
         size >= most || at >= s->size )
        return size;
    return s->size - at < most ? s->size - at : most;
}

const unsigned char *xt_window_bytes_next(struct xt_window_bytes *b,
                                          const struct xt_source *s,
                                          uint64_t at, size_t size)
{
    const unsigned char *bytes = xt_window_bytes_find(b, at, size);
    size_t many = choose_size(b, s, at, size);

    b->last = at;
    return bytes ? bytes
                 : xt_window_bytes_load(b, s, at, many > size ? many : size);
}
