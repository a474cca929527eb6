/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A slice of time: the items of all pcpus from `begin` to `last`, unsorted and
 * sorted.
 */
#ifndef LIBXENTRACE_SLICE_H
#define LIBXENTRACE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "libxentrace/batch.h"
#include "libxentrace/kmerge.h"

/* Most runs that can be merged. */
#define XT_SLICE_RUNS XT_KMERGE_MAX

struct xt_slice
{
    uint64_t begin, last;       /* both inclusive */
    struct xt_item *items;      /* unsorted: a run of rising times per pcpu */
    struct xt_item *sorted;
    size_t nr, room;            /* length, capacity of both arrays */
    size_t runs[XT_SLICE_RUNS]; /* begins of the first runs */
    unsigned int nr_runs;       /* number of all runs */
    uint32_t *counts;           /* size, then end of each bucket */
    bool long_runs;             /* the last sorted slice had long runs of one
                                   pcpu */
};

/* 0 or -ENOMEM; call xt_slice_fini() either way. */
int xt_slice_init(struct xt_slice *s, size_t room);
void xt_slice_fini(struct xt_slice *s);

static inline void xt_slice_clear(struct xt_slice *s)
{
    s->nr = s->nr_runs = 0;
}

/* The items that follow are another pcpu's. */
static inline void xt_slice_begin_run(struct xt_slice *s)
{
    debug_assert(s->nr <= s->room);
    if ( s->nr_runs < XT_SLICE_RUNS )
        s->runs[s->nr_runs] = s->nr;
    s->nr_runs++;
}

/*
 * Fill s->sorted, by time.  Stable: items of equal time keep their order.  All
 * times have to be in the slice.
 */
void xt_slice_sort(struct xt_slice *s);

#endif /* LIBXENTRACE_SLICE_H */
