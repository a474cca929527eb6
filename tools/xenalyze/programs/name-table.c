/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash with open addressing, which is at most half full.
 */
#include "xenalyze/programs/name-table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/utf8.h"

#define SLOTS (2 * NAME_TABLE_MAX)

_Static_assert((SLOTS & (SLOTS - 1)) == 0, "slots are chosen by bits");

void name_table_init(struct name_table *t)
{
    *t = (struct name_table){ .nr = 0 };
    arena_init(&t->arena, 0);
}

void name_table_fini(struct name_table *t)
{
    arena_fini(&t->arena);
    free(t->names);
    free(t->slots);
    *t = (struct name_table){ .nr = 0 };
}

static int allocate_slots(struct name_table *t)
{
    if ( !t->names )
        t->names = fault_calloc(NAME_TABLE_MAX, sizeof(*t->names));
    if ( !t->slots )
        t->slots = fault_calloc(SLOTS, sizeof(*t->slots));
    return t->names && t->slots ? 0 : -ENOMEM;
}

/* FNV-1a. */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 0x811c9dc5;

    for ( ; *name; name++ )
        hash = (hash ^ (unsigned char)*name) * 0x01000193;
    return hash;
}

/* The slot of the name, or the free slot where its search ends. */
static uint32_t *find_name_slot(const struct name_table *t, const char *name)
{
    uint32_t at = hash_name(name) % SLOTS;

    assert(t->nr < SLOTS);
    while ( t->slots[at] && strcmp(t->names[t->slots[at] - 1], name) )
        at = (at + 1) % SLOTS;
    return &t->slots[at];
}

int name_table_add(struct name_table *t, const char *name, uint32_t *number)
{
    char clean[NAME_TABLE_LENGTH + 1];
    size_t length = utf8_cut(name, NAME_TABLE_LENGTH);
    uint32_t *slot;

    if ( allocate_slots(t) )
        return -ENOMEM;
    memcpy(clean, name, length);
    clean[length] = '\0';
    utf8_clean(clean);
    slot = find_name_slot(t, clean);
    if ( !*slot && t->nr == NAME_TABLE_MAX - 1 )
    {
        strcpy(clean, "others");
        slot = find_name_slot(t, clean);
    }
    if ( !*slot && t->nr < NAME_TABLE_MAX )
    {
        t->names[t->nr] = arena_strdup(&t->arena, clean);
        if ( !t->names[t->nr] )
            return -ENOMEM;
        *slot = ++t->nr;
    }
    *number = *slot ? *slot - 1 : NAME_TABLE_MAX - 1;
    return 0;
}
