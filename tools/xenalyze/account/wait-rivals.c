/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that ran while a vcpu waited, with their time: at most
 * WAIT_RIVALS, by the space-saving algorithm.  When the list is full, a further
 * domain gets the row with the least time.  This time goes to `other_rivals`,
 * and stays in the field `inherited`, since the vcpu may have waited for the
 * domain before.  So a domain that comes late and runs often keeps a row of the
 * list in the end.
 *
 * On a host with hundreds of domains most runs are of a domain without a row.
 * So rows are found by domain in an index, and a full list has a heap of rows
 * by time.
 */
#include <assert.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/account/wait-private.h"

_Static_assert(WAIT_RIVALS <= UINT8_MAX, "all rows have a number");
_Static_assert(WAIT_RIVALS % WAIT_RIVAL_BLOCK == 0, "whole blocks");

/* --- by domain ------------------------------------------------------------ */

static inline uint8_t *chain_of(struct wait_rival_index *x, uint16_t domain)
{
    return &x->chains[domain % WAIT_RIVALS];
}

static void add_to_chain(struct wait_rival_index *x, unsigned int row)
{
    uint8_t *first = chain_of(x, wait_rival_row(x, row)->domain);

    x->next[row] = *first;
    *first = 1 + row;
}

static void remove_from_chain(struct wait_rival_index *x, unsigned int row)
{
    uint8_t *at = chain_of(x, wait_rival_row(x, row)->domain);

    while ( *at != 1 + row )
    {
        assert(*at);
        at = &x->next[*at - 1];
    }
    *at = x->next[row];
}

/* NULL: the domain has no row. */
static struct wait_rival *find_in_chain(struct wait_rival_index *x,
                                        uint16_t domain)
{
    for ( unsigned int n = *chain_of(x, domain); n; n = x->next[n - 1] )
        if ( wait_rival_row(x, n - 1)->domain == domain )
            return wait_rival_row(x, n - 1);
    return NULL;
}

/* --- by time -------------------------------------------------------------- */

/*
 * Keys of all rows, the least first.  Times only grow, so a key is updated when
 * it comes to the top.
 */
struct wait_rival_heap { uint64_t keys[WAIT_RIVALS]; };

/* The time, and the row in the lowest bits. */
static inline uint64_t heap_key(uint64_t time, unsigned int row)
{
    uint64_t most = UINT64_MAX / WAIT_RIVALS;

    return (time < most ? time : most) * WAIT_RIVALS + row;
}

static struct wait_rival_heap *new_heap(struct wait_causes *w)
{
    struct wait_rival_heap *h = arena_new(&w->pool.arena,
                                          struct wait_rival_heap);

    w->failed |= !h;
    for ( unsigned int row = 0; h && row < WAIT_RIVALS; row++ )
        h->keys[row] = heap_key(0, row);
    return h;
}

/* Replace the first key by a greater one. */
static void replace_first_key(struct wait_rival_heap *h, uint64_t key)
{
    unsigned int at = 0, child;

    for ( ; (child = 2 * at + 1) < WAIT_RIVALS; at = child )
    {
        uint64_t least = h->keys[child];

        if ( child + 1 < WAIT_RIVALS && h->keys[child + 1] < least )
            least = h->keys[++child];
        if ( least > key )
            break;
        h->keys[at] = least;
    }
    h->keys[at] = key;
}

/* The row with the least time. */
static unsigned int find_least_row(struct wait_rival_index *x)
{
    struct wait_rival_heap *h = x->heap;

    for ( ; ; )
    {
        unsigned int row = h->keys[0] % WAIT_RIVALS;
        const struct wait_rival *r = wait_rival_row(x, row);
        uint64_t key = heap_key(r->cycles + r->inherited, row);

        debug_assert(h->keys[0] <= key);
        if ( h->keys[0] == key )
            return row;
        replace_first_key(h, key);
    }
}

/* --- rows ----------------------------------------------------------------- */

static struct wait_rival *replace_rival(struct wait_causes *w,
                                        struct wait_vcpu *v, uint16_t domain)
{
    struct wait_rival_index *x = v->rival_index;
    struct wait_rival *r;
    unsigned int row;

    debug_assert(v->nr_rivals == WAIT_RIVALS);
    if ( !x->heap && !(x->heap = new_heap(w)) )
        return NULL;
    row = find_least_row(x);
    r = wait_rival_row(x, row);
    remove_from_chain(x, row);
    v->other_rivals += r->cycles;
    r->inherited += r->cycles;
    r->cycles = 0;
    r->domain = domain;
    add_to_chain(x, row);
    return r;
}

static struct wait_rival *append_rival(struct wait_causes *w,
                                       struct wait_vcpu *v, uint16_t domain)
{
    unsigned int row = v->nr_rivals;
    struct wait_rival **block =
        &v->rival_index->blocks[row / WAIT_RIVAL_BLOCK];
    struct wait_rival *r;

    debug_assert(domain != v->domain && row < WAIT_RIVALS);
    if ( !*block )
        *block = arena_zalloc(&w->pool.arena,
                              WAIT_RIVAL_BLOCK * sizeof(**block),
                              _Alignof(struct wait_rival));
    w->failed |= !*block;
    if ( !*block )
        return NULL;
    r = wait_rival_row(v->rival_index, row);
    r->domain = domain;
    r->next = v->rivals;
    v->rivals = r;
    v->nr_rivals++;
    add_to_chain(v->rival_index, row);
    return r;
}

COLD
struct wait_rival *wait_find_rival(struct wait_causes *w, struct wait_vcpu *v,
                                   uint16_t domain)
{
    struct wait_rival *r;

    if ( !v->rival_index )
        v->rival_index = arena_new(&w->pool.arena, struct wait_rival_index);
    w->failed |= !v->rival_index;
    if ( !v->rival_index )
        return NULL;
    r = find_in_chain(v->rival_index, domain);
    if ( r )
        return r;
    return v->nr_rivals < WAIT_RIVALS ? append_rival(w, v, domain)
                                      : replace_rival(w, v, domain);
}
