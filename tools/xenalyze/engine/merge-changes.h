/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pcpus leave about others, in queues, goes to the scene in the order
 * of time; of the same time, what is in an earlier queue comes first.
 */
#ifndef XENALYZE_ENGINE_MERGE_CHANGES_H
#define XENALYZE_ENGINE_MERGE_CHANGES_H

#include "libxentrace/internal.h"
#include "xenalyze/machine/machine.h"

struct settle
{
    struct xt_slice slice;      /* no room before there is something to sort */
    struct changes **queues;    /* the caller's; each rises in time */
    unsigned int nr_queues;
};

/* The others of *s are 0, at first. */
void settle_fini(struct settle *s);

/* Of all queues, which are empty then.  0 or -ENOMEM. */
int settle_all(struct settle *s, struct global *global);

#endif /* XENALYZE_ENGINE_MERGE_CHANGES_H */
