/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same domain in two traces; for the files of this folder only.
 */
#ifndef XENALYZE_COMPARE_DOMAIN_MATCH_H
#define XENALYZE_COMPARE_DOMAIN_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "libxentrace/internal.h"

#define DOMAIN_NO_MATCH UINT16_MAX

/* The ids of a domain in two traces; DOMAIN_NO_MATCH: no records of it. */
struct domain_pair
{
    uint16_t ids[2];
};

struct domain_list
{
    const uint16_t *ids;        /* rising, below XT_DOMAIN_IDLE */
    size_t nr;
    const struct xt_domain_names *names;        /* or NULL */
};

/*
 * Store an array of pairs: the domains of list 0 by number, then the remaining
 * domains of list 1.  `pairs` has memory for all domains of both lists.
 * Returns 0 or -ENOMEM.
 */
int domain_match(const struct domain_list sides[2], struct domain_pair *pairs,
                 size_t *nr);

#endif /* XENALYZE_COMPARE_DOMAIN_MATCH_H */
