/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of figures with linear probing, at most half full. */
#include "xenalyze/compare/figures.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define FIRST_SIZE 256u

void figures_init(struct figures *f)
{
    *f = (struct figures){ .used = 0 };
    arena_init(&f->arena, 0);
}

void figures_fini(struct figures *f)
{
    free(f->slots);
    free(f->sorted);
    arena_fini(&f->arena);
}

/* Keys differ in their high bits, the domain, as well as in the low ones. */
static size_t hash_key(uint64_t key)
{
    key = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

/* The slot of a key in the hash table, or the free slot for the key. */
static struct figure **find_figure_slot(struct figure **slots, size_t size,
                                 uint64_t key)
{
    size_t i = hash_key(key) & (size - 1);

    assert(size && !(size & (size - 1)));
    while ( slots[i] && slots[i]->key != key )
        i = (i + 1) & (size - 1);
    return &slots[i];
}

static bool grow_slots(struct figures *f)
{
    size_t size = f->size ? 2 * f->size : FIRST_SIZE;
    struct figure **larger = fault_calloc(size, sizeof(*larger));

    if ( !larger )
        return false;
    for ( size_t i = 0; i < f->size; i++ )
        if ( f->slots[i] )
            *find_figure_slot(larger, size, f->slots[i]->key) = f->slots[i];
    free(f->slots);
    f->slots = larger;
    f->size = size;
    return true;
}

static struct figure *add_figure(struct figures *f, uint64_t key)
{
    struct figure *figure = NULL;

    assert(!f->sorted);
    if ( f->used == FIGURES_MAX )
    {
        f->too_many = true;
        return NULL;
    }
    if ( 2 * f->used < f->size || grow_slots(f) )
        figure = arena_new(&f->arena, struct figure);
    if ( !figure )
    {
        f->failed = true;
        return NULL;
    }
    figure->key = key;
    *find_figure_slot(f->slots, f->size, key) = figure;
    f->used++;
    return figure;
}

struct figure *figures_get(struct figures *f, uint64_t key)
{
    struct figure *figure = f->size ? *find_figure_slot(f->slots, f->size, key)
                                    : NULL;

    return figure ? figure : add_figure(f, key);
}

const struct figure *figures_find(const struct figures *f, uint64_t key)
{
    return f->size ? *find_figure_slot(f->slots, f->size, key) : NULL;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = (*(struct figure *const *)a)->key;
    uint64_t y = (*(struct figure *const *)b)->key;

    return x < y ? -1 : x > y;
}

int figures_sort(struct figures *f)
{
    size_t nr = 0;

    assert(!f->sorted);
    f->sorted = fault_calloc(f->used + 1, sizeof(*f->sorted));
    if ( !f->sorted )
        return -ENOMEM;
    for ( size_t i = 0; i < f->size; i++ )
        if ( f->slots[i] )
            f->sorted[nr++] = f->slots[i];
    assert(nr == f->used);
    if ( nr )
        qsort(f->sorted, nr, sizeof(*f->sorted), compare_keys);
    return 0;
}
