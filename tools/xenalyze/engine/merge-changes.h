/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Apply the queued changes of all pcpus to the global machine in the order of
 * time.  Changes of the same time are applied in the order of the queues.
 */
#ifndef XENALYZE_ENGINE_MERGE_CHANGES_H
#define XENALYZE_ENGINE_MERGE_CHANGES_H

#include "libxentrace/internal.h"
#include "xenalyze/machine/machine.h"

struct change_merge
{
    struct xt_slice slice;      /* empty until changes have to be sorted */
    struct changes **queues;    /* the caller's; each in the order of time */
    unsigned int nr_queues;
};

/* A struct change_merge is all zero, except for its queues. */
void change_merge_fini(struct change_merge *m);

/* Apply and empty all queues.  0 or -ENOMEM. */
int change_merge_apply(struct change_merge *m, struct global *global);

#endif /* XENALYZE_ENGINE_MERGE_CHANGES_H */
