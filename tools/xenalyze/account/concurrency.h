/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vcpus of a domain together: for how long how many of them ran at the same
 * time, and for how long some had to wait while others ran, which is when
 * those that run may spin for what those that wait hold.
 */
#ifndef XENALYZE_ACCOUNT_CONCURRENCY_H
#define XENALYZE_ACCOUNT_CONCURRENCY_H

#include <stdio.h>

#include "xenalyze/account/request.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define CONCURRENCY_MAX 64u       /* that many or more */

struct concurrency_domain
{
    bool known;
    uint16_t id;
    uint32_t vcpus;             /* the most that were known at a time */
    uint64_t cycles[CONCURRENCY_MAX + 1];         /* while so many ran */
    uint64_t hazard;            /* some ran while others waited */
    uint64_t lost;              /* nothing is known of some */
};

struct concurrency
{
    struct concurrency_domain *domains;    /* by index; after close by id */
    uint32_t nr;
    bool failed;                /* out of memory */
};

void concurrency_fini(struct concurrency *t);
struct sink concurrency_sink(struct concurrency *t);

/* When all has been told: domains by id. */
void concurrency_close(struct concurrency *t);

uint64_t concurrency_time(const struct concurrency_domain *d);

/* The section of the report of waiting.  0 or -ENOMEM. */
int text_print_concurrency(const struct concurrency *t,
                           const struct report_request *request, FILE *out);

#endif /* XENALYZE_ACCOUNT_CONCURRENCY_H */
