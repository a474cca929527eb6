/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few rising runs merge: whose turn is it, and until when?
 *
 *     xt_turns_begin(&t, nr, begin);
 *     ... xt_turns_set(&t, i, time of its first) for each run that has one ...
 *     while ( xt_turns_next(&t, &i, &last) )
 *         ... take all of run i up to `last`; then xt_turns_set(&t, i, time of
 *             its next), or xt_turns_end(&t, i) ...
 *
 * The next item of each run is known by its key, which has the number of the
 * run in its lowest bits: no two are the same, and of the same time the earlier
 * run is first.
 */
#ifndef LIBXENTRACE_TURNS_H
#define LIBXENTRACE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define XT_TURNS_BITS 4
#define XT_TURNS_MAX (1u << XT_TURNS_BITS)    /* runs */
#define XT_TURNS_NONE UINT64_MAX           /* nothing is left of that run */

struct xt_turns
{
    uint64_t begin;
    uint64_t keys[XT_TURNS_MAX];
    unsigned int nr;
};

/* Can times from `begin` to `last` of so many runs have keys? */
static inline bool xt_turns_possible(unsigned int nr, uint64_t begin,
                                     uint64_t last)
{
    return nr <= XT_TURNS_MAX && (last - begin) >> (63 - XT_TURNS_BITS) == 0;
}

static inline void xt_turns_end(struct xt_turns *t, unsigned int i)
{
    t->keys[i] = XT_TURNS_NONE;
}

static inline void xt_turns_set(struct xt_turns *t, unsigned int i,
                                uint64_t time)
{
    t->keys[i] = (time - t->begin) << XT_TURNS_BITS | i;
}

/* No time is before `begin`.  So far, all runs are empty. */
static inline void xt_turns_begin(struct xt_turns *t, unsigned int nr,
                                  uint64_t begin)
{
    t->begin = begin;
    t->nr = nr;
    for ( unsigned int i = 0; i < nr; i++ )
        xt_turns_end(t, i);
}

/* False: all runs have ended. */
static inline bool xt_turns_next(const struct xt_turns *t, unsigned int *who,
                                 uint64_t *last)
{
    uint64_t first = XT_TURNS_NONE, second = XT_TURNS_NONE;

    for ( unsigned int i = 0; i < t->nr; i++ )
    {
        uint64_t key = t->keys[i], higher = key > first ? key : first;

        first = key < first ? key : first;
        second = higher < second ? higher : second;
    }
    *who = first % XT_TURNS_MAX;
    *last = t->begin + ((second - *who) >> XT_TURNS_BITS);
    return first != XT_TURNS_NONE;
}

#endif /* LIBXENTRACE_TURNS_H */
