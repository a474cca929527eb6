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
 * So rows are found by domain in an index, and a full list has a tree of rows
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
 * A tree of keys, each the least of the two below; those of the rows are the
 * leaves.  Times only grow, so a key is updated when it comes to the top.
 */
struct wait_rival_tree { uint64_t keys[2 * WAIT_RIVALS]; };

#define TREE_TOP 1u
#define TREE_LEAVES WAIT_RIVALS

_Static_assert(!(TREE_LEAVES & (TREE_LEAVES - 1)), "all paths have a length");

/* The time, and the row in the lowest bits. */
static inline uint64_t tree_key(uint64_t time, unsigned int row)
{
    uint64_t most = UINT64_MAX / WAIT_RIVALS;

    return (time < most ? time : most) * WAIT_RIVALS + row;
}

static struct wait_rival_tree *new_tree(struct wait_causes *w)
{
    struct wait_rival_tree *t = arena_new(&w->pool.arena,
                                          struct wait_rival_tree);

    w->failed |= !t;
    /* Keys of no time: the least row is on the left. */
    for ( unsigned int i = 2 * TREE_LEAVES; t && --i; )
        t->keys[i] = i < TREE_LEAVES ? t->keys[2 * i]
                                     : tree_key(0, i - TREE_LEAVES);
    return t;
}

static inline void set_key(struct wait_rival_tree *t, unsigned int row,
                           uint64_t key)
{
    unsigned int at = TREE_LEAVES + row;

    debug_assert(row < WAIT_RIVALS && key >= t->keys[at]);
    t->keys[at] = key;
    for ( ; at > TREE_TOP; at /= 2 )
    {
        uint64_t other = t->keys[at ^ 1];

        key = key < other ? key : other;
        t->keys[at / 2] = key;
    }
}

/* The row with the least time. */
static unsigned int find_least_row(struct wait_rival_index *x)
{
    struct wait_rival_tree *t = x->tree;

    for ( ; ; )
    {
        unsigned int row = t->keys[TREE_TOP] % WAIT_RIVALS;
        const struct wait_rival *r = wait_rival_row(x, row);
        uint64_t key = tree_key(r->cycles + r->inherited, row);

        if ( t->keys[TREE_TOP] == key )
            return row;
        set_key(t, row, key);
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
    if ( !x->tree && !(x->tree = new_tree(w)) )
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
