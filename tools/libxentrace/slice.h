/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A slice of time: the items of all pcpus from `begin` to `last`, in the order
 * in which they were found; and how they are put in the order of time.
 */
#ifndef LIBXENTRACE_SLICE_H
#define LIBXENTRACE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/batch.h"

struct xt_slice
{
    uint64_t begin, last;       /* both in it */
    struct xt_item *items;      /* as found: rising per pcpu, pcpu by pcpu */
    struct xt_item *sorted;
    size_t nr, room;            /* of either */
    uint32_t *counts;           /* of each bucket */
    bool stretched;             /* pcpus took turns rarely, when last sorted */
};

/* 0 or -ENOMEM; *s is to be finished either way. */
int xt_slice_init(struct xt_slice *s, size_t room);
void xt_slice_fini(struct xt_slice *s);

/*
 * Fill s->sorted, by time; of the same time what was found first stays first.
 * All times lie in the slice.
 */
void xt_slice_sort(struct xt_slice *s);

#endif /* LIBXENTRACE_SLICE_H */
