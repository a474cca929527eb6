/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * K-way merge of a few sorted runs: which run has the next item, and up to what
 * time does that run stay first?
 *
 *     xt_kmerge_init(&t, nr, begin);
 *     ... for each run i that is not empty:
 *         xt_kmerge_set_head(&t, i, time of its first item) ...
 *     while ( xt_kmerge_next(&t, &i, &last) )
 *         ... take all items of run i up to `last`; then
 *             xt_kmerge_set_head(&t, i, time of its next item),
 *             or xt_kmerge_end_run(&t, i) ...
 *
 * The head of each run is a key with the number of the run in the lowest bits:
 * no two keys are equal, and at equal times the run with the lower number is
 * first.
 */
#ifndef LIBXENTRACE_KMERGE_H
#define LIBXENTRACE_KMERGE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/debug.h"

#define XT_KMERGE_BITS 4
#define XT_KMERGE_MAX (1u << XT_KMERGE_BITS)    /* runs */
#define XT_KMERGE_DONE UINT64_MAX           /* the run has no item left */

struct xt_kmerge
{
    uint64_t begin;
    uint64_t keys[XT_KMERGE_MAX];
    unsigned int nr;
};

/* True if the times from `begin` to `last` of `nr` runs fit into keys. */
static inline bool xt_kmerge_fits(unsigned int nr, uint64_t begin,
                                     uint64_t last)
{
    return nr <= XT_KMERGE_MAX && (last - begin) >> (63 - XT_KMERGE_BITS) == 0;
}

static inline void xt_kmerge_end_run(struct xt_kmerge *t, unsigned int i)
{
    debug_assert(i < t->nr);
    t->keys[i] = XT_KMERGE_DONE;
}

static inline void xt_kmerge_set_head(struct xt_kmerge *t, unsigned int i,
                                uint64_t time)
{
    debug_assert(i < t->nr && time >= t->begin);
    t->keys[i] = (time - t->begin) << XT_KMERGE_BITS | i;
}

/* No time is before `begin`.  All runs are empty at first. */
static inline void xt_kmerge_init(struct xt_kmerge *t, unsigned int nr,
                                  uint64_t begin)
{
    assert(nr <= XT_KMERGE_MAX);
    t->begin = begin;
    t->nr = nr;
    for ( unsigned int i = 0; i < nr; i++ )
        xt_kmerge_end_run(t, i);
}

/*
 * The run with the earliest head, and the last time for which that run stays
 * first.  False if all runs have ended.
 */
static inline bool xt_kmerge_next(const struct xt_kmerge *t, unsigned int *run,
                                 uint64_t *last)
{
    uint64_t first = XT_KMERGE_DONE, second = XT_KMERGE_DONE;

    for ( unsigned int i = 0; i < t->nr; i++ )
    {
        uint64_t key = t->keys[i], higher = key > first ? key : first;

        first = key < first ? key : first;
        second = higher < second ? higher : second;
    }
    *run = first % XT_KMERGE_MAX;
    *last = t->begin + ((second - *run) >> XT_KMERGE_BITS);
    return first != XT_KMERGE_DONE;
}

#endif /* LIBXENTRACE_KMERGE_H */
