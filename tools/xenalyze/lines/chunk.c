/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a chunk.  The pipeline allocates its chunks once and uses them
 * in turn, so each buffer keeps the size that it has grown to.
 */
#include "xenalyze/lines/chunk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define FIRST_TEXT (256u * 1024)

int chunk_init(struct chunk *c, bool copy)
{
    *c = (struct chunk){ .most = CHUNK_ITEMS };
    c->items = fault_calloc(CHUNK_ITEMS, sizeof(*c->items));
    c->exit_times = fault_calloc(CHUNK_ITEMS, sizeof(*c->exit_times));
    c->notes = fault_calloc(CHUNK_NOTES, sizeof(*c->notes));
    c->text = fault_malloc(FIRST_TEXT);
    c->room = FIRST_TEXT;
    if ( copy )
        c->copies = fault_malloc(CHUNK_ITEMS * XT_RECORD_MAX_BYTES);
    if ( c->items && c->exit_times && c->notes && c->text &&
         (!copy || c->copies) )
        return 0;
    chunk_fini(c);
    return -ENOMEM;
}

void chunk_fini(struct chunk *c)
{
    free(c->items);
    free(c->exit_times);
    free(c->notes);
    free(c->columns);
    free(c->times);
    free(c->copies);
    free(c->inserts);
    free(c->inserted);
    free(c->text);
    *c = (struct chunk){ .nr = 0 };
}

void chunk_begin(struct chunk *c, const struct xt_batch *b)
{
    assert(c->items && c->text);
    c->nr = c->nr_notes = c->used = c->copied = 0;
    c->bytes = c->copies ? c->copies : b->bytes;
    c->origin = b->origin;
    c->fresh = false;
    c->nr_inserts = c->put_inserts = c->used_inserted = 0;
}

int chunk_set_cpus(struct chunk *c, unsigned int nr)
{
    struct column_state *columns;
    uint64_t *times;

    assert(!c->nr && !c->nr_notes);     /* notes name columns */
    c->nr_cpus = nr;
    if ( nr <= c->room_cpus )
        return 0;
    columns = fault_realloc(c->columns, nr * sizeof(*columns));
    if ( !columns )
        return -ENOMEM;
    c->columns = columns;
    times = fault_realloc(c->times, nr * sizeof(*times));
    if ( !times )
        return -ENOMEM;
    c->times = times;
    c->room_cpus = nr;
    return 0;
}

void chunk_copy_last(struct chunk *c, const struct xt_batch *b)
{
    struct xt_item *item = &c->items[c->nr - 1];
    struct xt_record r;
    size_t size = xt_batch_record(b, item, &r);

    debug_assert(c->copied + size <= CHUNK_ITEMS * XT_RECORD_MAX_BYTES);
    memcpy(c->copies + c->copied, b->bytes + xt_item_offset(item), size);
    item->where = (uint64_t)xt_item_cpu(item) << XT_ITEM_CPU_SHIFT | c->copied;
    c->copied += size;
}

void chunk_add_counted(struct chunk *c, const struct xt_batch *b, size_t at)
{
    const size_t nr = c->nr;

    assert(nr <= CHUNK_ITEMS && at + nr <= b->nr);
    if ( !c->copies )
    {
        memcpy(c->items, b->items + at, nr * sizeof(*c->items));
        return;
    }
    c->nr = 0;
    for ( size_t i = at; i < at + nr; i++ )
        chunk_add(c, b, &b->items[i]);
}

ssize_t chunk_read_all(void *state, struct chunk *c, const struct xt_batch *b,
                       size_t at)
{
    size_t i = at;

    assert(c->most && c->most <= CHUNK_ITEMS);
    (void)state;
    for ( ; i < b->nr && c->nr < c->most; i++ )
        chunk_add(c, b, &b->items[i]);
    return i - at;
}

char *chunk_grow_text(struct chunk *c, char *p, size_t need)
{
    size_t used = p - c->text, room = 2 * c->room;
    char *text;

    assert(p >= c->text && used <= c->room);
    while ( room - used < need )
        room *= 2;
    text = fault_realloc(c->text, room);
    if ( !text )
    {
        c->no_memory = true;
        return NULL;
    }
    c->text = text;
    c->room = room;
    return text + used;
}

/* --- lines between those of records --------------------------------------- */

static int grow_inserts(struct chunk *c)
{
    size_t room = c->room_inserts ? 2 * c->room_inserts : 64;
    struct chunk_insert *inserts;

    if ( c->nr_inserts < c->room_inserts )
        return 0;
    inserts = fault_realloc(c->inserts, room * sizeof(*inserts));
    if ( !inserts )
        return -ENOMEM;
    c->inserts = inserts;
    c->room_inserts = room;
    return 0;
}

static int grow_inserted(struct chunk *c, size_t length)
{
    size_t room = c->room_inserted ? c->room_inserted : 4096;
    char *inserted;

    while ( room - c->used_inserted < length )
        room *= 2;
    if ( room == c->room_inserted )
        return 0;
    inserted = fault_realloc(c->inserted, room);
    if ( !inserted )
        return -ENOMEM;
    c->inserted = inserted;
    c->room_inserted = room;
    return 0;
}

int chunk_insert(struct chunk *c, size_t item, const char *lines,
                 size_t length)
{
    struct chunk_insert *last = c->inserts + c->nr_inserts;

    assert(item <= c->nr && (!c->nr_inserts || last[-1].item <= item));
    if ( grow_inserts(c) || grow_inserted(c, length) )
        return -ENOMEM;
    last = c->inserts + c->nr_inserts;
    memcpy(c->inserted + c->used_inserted, lines, length);
    if ( c->nr_inserts && last[-1].item == item )
        last[-1].length += length;
    else
    {
        *last = (struct chunk_insert){ item, c->used_inserted, length };
        c->nr_inserts++;
    }
    c->used_inserted += length;
    return 0;
}

char *chunk_put_inserts(struct chunk *c, char *p, size_t i)
{
    const struct chunk_insert *next = c->inserts + c->put_inserts;

    assert(c->put_inserts <= c->nr_inserts);
    if ( c->put_inserts == c->nr_inserts || next->item != i )
        return p;
    p = chunk_reserve(c, p, next->length);
    if ( !p )
        return NULL;
    memcpy(p, c->inserted + next->from, next->length);
    c->put_inserts++;
    return p + next->length;
}
