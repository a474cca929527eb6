/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain that restarts has another number and the same name.  So domains are
 * matched by name; or by number, if a trace has no metadata records with names.
 *
 * Two sorted arrays are merged, since a hostile trace has records of tens of
 * thousands of domains.
 */
#include "xenalyze/compare/domain-match.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

struct identity
{
    const char *name;           /* NULL: unknown */
    uint16_t id;
    uint16_t partner;           /* on the other side, or DOMAIN_NO_MATCH */
};

/*
 * The only function that decides whether two domains are the same: returns 0
 * for the same domain, else the order in the sorted array.  The identity of
 * dom0 is its number, whatever its name is.
 */
static int compare_identities(const struct identity *a,
                              const struct identity *b)
{
    if ( !a->id || !b->id || !a->name || !b->name )
        return !a->id || !b->id ? (a->id > 0) - (b->id > 0)
                                : (a->name != NULL) - (b->name != NULL);
    return strcmp(a->name, b->name);
}

static int compare_sorted(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;
    int order = compare_identities(x, y);

    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct identity *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static bool has_identity(const struct identity *d)
{
    return !d->id || d->name;
}

static bool is_unmatched(const struct identity *d)
{
    return d->partner == DOMAIN_NO_MATCH;
}

static void pair_domains(struct identity *a, struct identity *b)
{
    assert(is_unmatched(a) && is_unmatched(b));
    a->partner = b->id;
    b->partner = a->id;
}

/*
 * Pair free domains of two sorted arrays, for which the callback `compare`
 * returns 0 and the callback `may_pair` returns true.
 */
static void merge_lists(struct identity *const sides[2], const size_t nr[2],
                        int (*compare)(const void *a, const void *b),
                        bool (*may_pair)(const struct identity *a,
                                         const struct identity *b))
{
    struct identity *a = sides[0], *b = sides[1];
    const struct identity *a_end = a + nr[0], *b_end = b + nr[1];

    while ( a < a_end && b < b_end )
    {
        int order = !is_unmatched(a) ? -1
                                     : !is_unmatched(b) ? 1 : compare(a, b);

        if ( !order && may_pair(a, b) )
            pair_domains(a, b);
        a += order <= 0;
        b += order >= 0;
    }
}

static int compare_names(const void *a, const void *b)
{
    return compare_identities(a, b);
}

static bool may_pair_names(const struct identity *a, const struct identity *b)
{
    return has_identity(a) && has_identity(b);
}

/* True unless both have a name: different names are different domains. */
static bool may_pair_numbers(const struct identity *a,
                             const struct identity *b)
{
    return !has_identity(a) || !has_identity(b);
}

static void match_identities(struct identity *const sides[2],
                             const size_t nr[2])
{
    for ( unsigned int i = 0; i < 2; i++ )
        if ( nr[i] )
            qsort(sides[i], nr[i], sizeof(*sides[i]), compare_sorted);
    /* Names may repeat in an array: domains of the same number come first. */
    merge_lists(sides, nr, compare_sorted, may_pair_names);
    merge_lists(sides, nr, compare_names, may_pair_names);
    for ( unsigned int i = 0; i < 2; i++ )
        if ( nr[i] )
            qsort(sides[i], nr[i], sizeof(*sides[i]), compare_numbers);
    merge_lists(sides, nr, compare_numbers, may_pair_numbers);
}

static struct identity *list_identities(const struct domain_list *list)
{
    struct identity *all = fault_calloc(list->nr + 1, sizeof(*all));

    for ( size_t i = 0; all && i < list->nr; i++ )
    {
        assert(list->ids[i] < XT_DOMAIN_IDLE);
        assert(!i || list->ids[i - 1] < list->ids[i]);
        all[i] = (struct identity){
            xt_domain_name(list->names, list->ids[i]), list->ids[i],
            DOMAIN_NO_MATCH };
    }
    return all;
}

int domain_match(const struct domain_list sides[2], struct domain_pair *pairs,
                 size_t *nr)
{
    const size_t lengths[2] = { sides[0].nr, sides[1].nr };
    struct identity *all[2] = { list_identities(&sides[0]),
                                list_identities(&sides[1]) };
    int rc = all[0] && all[1] ? 0 : -ENOMEM;

    *nr = 0;
    if ( !rc )
        match_identities(all, lengths);
    for ( size_t i = 0; !rc && i < lengths[0]; i++ )
        pairs[(*nr)++] = (struct domain_pair){ { all[0][i].id,
                                                 all[0][i].partner } };
    for ( size_t i = 0; !rc && i < lengths[1]; i++ )
        if ( is_unmatched(&all[1][i]) )
            pairs[(*nr)++] = (struct domain_pair){ { DOMAIN_NO_MATCH,
                                                     all[1][i].id } };
    free(all[0]);
    free(all[1]);
    return rc;
}
