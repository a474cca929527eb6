/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sliding buffer.  Bytes move only when there is no space behind them and at
 * least as much space before them, so each byte moves about once.
 */
#include "libxentrace/view.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define ROOM_FIRST (1u << 20)
#define READ_LEAST (1u << 18)   /* best size for a copy from the kernel */

void xt_view_init(struct xt_view *v, struct xt_source *source)
{
    *v = (struct xt_view){ .source = source };
    if ( source->map )
    {
        v->bytes = source->map;
        v->hi = source->size;
        v->ended = true;
    }
}

void xt_view_fini(struct xt_view *v)
{
    free(v->buffer);
    *v = (struct xt_view){ 0 };
}

/* Growing a large buffer copies only its page table. */
static int grow_buffer(struct xt_view *v)
{
    size_t room = v->room ? 2 * v->room : ROOM_FIRST;
    unsigned char *buffer = fault_realloc(v->buffer, room);

    if ( !buffer )
        return -ENOMEM;
    v->buffer = buffer;
    v->room = room;
    return 0;
}

/* Reserve enough space for a worthwhile read. */
static int reserve_room(struct xt_view *v)
{
    size_t live = v->hi - v->lo;

    if ( v->room - v->begin - live >= READ_LEAST )
        return 0;
    if ( v->begin <= live || v->room - live < READ_LEAST )
        return grow_buffer(v);
    memmove(v->buffer, v->buffer + v->begin, live);
    v->begin = 0;
    return 0;
}

int xt_view_more(struct xt_view *v, uint64_t keep, struct err *e)
{
    ssize_t got;
    size_t end;

    assert(v->lo <= keep && keep <= v->hi);
    if ( v->ended )
        return 0;
    v->begin += keep - v->lo;
    v->lo = keep;
    if ( v->lo == v->hi )
        v->begin = 0;
    if ( reserve_room(v) )
        return err_sys(e, -ENOMEM, "cannot hold %s", v->source->name);
    v->bytes = v->buffer + v->begin;

    assert(v->begin + (v->hi - v->lo) < v->room);
    end = v->begin + (v->hi - v->lo);
    got = v->source->ops->read(v->source, v->buffer + end, v->room - end, e);
    if ( got < 0 )
        return got;
    assert((size_t)got <= v->room - end);
    v->hi += got;
    v->ended = !got;
    return 0;
}

int xt_view_seek(struct xt_view *v, uint64_t at, struct err *e)
{
    int rc = 0;

    if ( v->source->map )
        return 0;
    if ( !v->source->ops->seek )
        rc = err_set(e, -ESPIPE, "%s can only be read from its beginning",
                     v->source->name);
    else
        rc = v->source->ops->seek(v->source, at, e);
    if ( rc )
        return rc;
    v->lo = v->hi = at;
    v->begin = 0;
    v->bytes = v->buffer;
    v->ended = false;
    return 0;
}
