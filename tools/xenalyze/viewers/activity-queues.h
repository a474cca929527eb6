/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load of credit2's run queues, as its records have it; part of activity.h.
 *
 * Each pool of pcpus has its own scheduler, which numbers its queues from 0.  A
 * record does not name the pool, so nothing is shown if the metadata list
 * several pools with credit2.
 */
#ifndef XENALYZE_VIEWERS_ACTIVITY_QUEUES_H
#define XENALYZE_VIEWERS_ACTIVITY_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

struct activities;

#define ACTIVITY_QUEUES 256u    /* a number in a record has 8 bits */

/* Values that were shown last. */
struct activity_queue_state
{
    bool is_shown;              /* in this file, of this host */
    uint32_t nr, average;       /* as in struct activity_queue */
};

struct activity_queues
{
    struct activities *activities;      /* the owner */
    uint32_t nr;                        /* queues up to the highest number */
    struct activity_queue_state queues[ACTIVITY_QUEUES];
};

void activity_queues_init(struct activity_queues *q, struct activities *a);

/* False: the numbers of queues are ambiguous. */
bool activity_queues_get_sink(struct activity_queues *q, struct sink *sink);

#endif /* XENALYZE_VIEWERS_ACTIVITY_QUEUES_H */
