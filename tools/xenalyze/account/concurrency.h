/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Concurrency of a domain's vcpus: how long how many vcpus ran at the same
 * time, and how long some vcpus waited while others ran.  During such a wait, a
 * running vcpu may spin on a lock held by a waiting vcpu.
 */
#ifndef XENALYZE_ACCOUNT_CONCURRENCY_H
#define XENALYZE_ACCOUNT_CONCURRENCY_H

#include <stdio.h>

#include "xenalyze/account/request.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define CONCURRENCY_MAX 64u       /* array bound: 64 vcpus or more */

struct concurrency_domain
{
    bool known;
    uint16_t id;
    uint32_t vcpus;             /* highest number of known vcpus */
    uint64_t cycles[CONCURRENCY_MAX + 1];   /* index: number of running vcpus */
    uint64_t hazard;            /* some ran while others waited */
    uint64_t lost;              /* state of some vcpus unknown */
};

struct concurrency
{
    struct concurrency_domain *domains;    /* by index; after close() by id */
    uint32_t nr;
    bool failed;                /* out of memory */
    bool closed;                /* no more facts; sorted */
};

void concurrency_fini(struct concurrency *t);
struct sink concurrency_sink(struct concurrency *t);

/* After the last fact: sort the domains by id. */
void concurrency_close(struct concurrency *t);

uint64_t concurrency_sum_time(const struct concurrency_domain *d);

/* Print the section of --report-latency.  0 or -ENOMEM. */
int text_print_concurrency(const struct concurrency *t,
                           const struct report_request *request, FILE *out);

#endif /* XENALYZE_ACCOUNT_CONCURRENCY_H */
