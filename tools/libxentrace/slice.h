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
#include "libxentrace/kmerge.h"

/* So many runs can be merged. */
#define XT_SLICE_RUNS XT_KMERGE_MAX

struct xt_slice
{
    uint64_t begin, last;       /* both in it */
    struct xt_item *items;      /* as found: rising per pcpu, pcpu by pcpu */
    struct xt_item *sorted;
    size_t nr, room;            /* of either */
    size_t runs[XT_SLICE_RUNS]; /* where the first ones begin */
    unsigned int nr_runs;       /* all */
    uint32_t *counts;           /* of each bucket */
    bool long_runs;             /* pcpus took turns rarely, when last sorted */
};

/* 0 or -ENOMEM; *s is to be finished either way. */
int xt_slice_init(struct xt_slice *s, size_t room);
void xt_slice_fini(struct xt_slice *s);

static inline void xt_slice_clear(struct xt_slice *s)
{
    s->nr = s->nr_runs = 0;
}

/* What is added from now on is of another pcpu. */
static inline void xt_slice_begin_run(struct xt_slice *s)
{
    if ( s->nr_runs < XT_SLICE_RUNS )
        s->runs[s->nr_runs] = s->nr;
    s->nr_runs++;
}

/*
 * Fill s->sorted, by time; of the same time what was found first stays first.
 * All times lie in the slice.
 */
void xt_slice_sort(struct xt_slice *s);

#endif /* LIBXENTRACE_SLICE_H */
