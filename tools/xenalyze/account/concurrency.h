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

#define TOGETHER_MOST 64u       /* that many or more */

struct together_domain
{
    bool known;
    uint16_t id;
    uint32_t vcpus;             /* the most that were known at a time */
    uint64_t cycles[TOGETHER_MOST + 1];         /* while so many ran */
    uint64_t hazard;            /* some ran while others waited */
    uint64_t lost;              /* nothing is known of some */
};

struct together
{
    struct together_domain *domains;    /* by index; after close by id */
    uint32_t nr;
    bool failed;                /* out of memory */
};

void together_fini(struct together *t);
struct sink together_sink(struct together *t);

/* When all has been told: domains by id. */
void together_close(struct together *t);

uint64_t together_time(const struct together_domain *d);

/* The section of the report of waiting.  0 or -ENOMEM. */
int report_together(const struct together *t,
                    const struct report_request *request, FILE *out);

#endif /* XENALYZE_ACCOUNT_CONCURRENCY_H */
