/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Apply the queued changes of all pcpus to the global machine in the order of
 * time.  Changes of the same time are applied in the order of the queues.
 *
 * One thread may sort the changes of an epoch while another thread applies the
 * changes of the epoch before, with another struct change_merge.
 */
#ifndef XENALYZE_ENGINE_MERGE_CHANGES_H
#define XENALYZE_ENGINE_MERGE_CHANGES_H

#include "libxentrace/internal.h"
#include "xenalyze/machine/machine.h"

struct change_queue
{
    const struct change *items; /* in the order of time */
    size_t nr;
};

struct change_merge
{
    struct change_queue *queues;
    unsigned int nr_queues, room;
    size_t nr;                  /* changes of all queues */
    uint64_t begin, last;       /* the times of the first and the last change */
    bool is_sorted;             /* the slice has all changes in their order */
    struct xt_slice slice;      /* empty until changes have to be sorted */
};

/* 0 or -ENOMEM; change_merge_fini() has to be called in both cases. */
int change_merge_init(struct change_merge *m, unsigned int nr_queues);
void change_merge_fini(struct change_merge *m);

/* Add the next queue, whose changes may not move before the application. */
void change_merge_add(struct change_merge *m, const struct changes *queue);

/*
 * Do the part of change_merge_apply() that another thread can do before: the
 * changes of many pcpus are sorted.  0 or -ENOMEM.
 */
int change_merge_prepare(struct change_merge *m);

/* Apply all changes; no queue is left then.  0 or -ENOMEM. */
int change_merge_apply(struct change_merge *m, struct global *global);

#endif /* XENALYZE_ENGINE_MERGE_CHANGES_H */
