/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plausibility of runstate changes, as stock xenalyze has it.  A record has the
 * old and the new state.  An old state that is not the known one is a mismatch:
 * a record is missing, or two records of different pcpus came in the wrong
 * order, since the pcpus' clocks differ:
 *
 *     known   blocked
 *     record  runnable -> running     mismatch: runs from now on
 *     record  blocked  -> runnable    its mirror image: came too late
 */
#ifndef XENALYZE_MODEL_RUNSTATE_H
#define XENALYZE_MODEL_RUNSTATE_H

#include <stdbool.h>
#include <stdint.h>

/* The previous mismatch of a vcpu. */
struct runstate_mismatch
{
    bool pending;               /* its mirror image may follow */
    uint8_t old, known;         /* the states of the record, and before it */
    uint32_t pcpu;              /* of the record */
};

/*
 * A change from `old` to `new` is a mismatch with the state `known`.  True: it
 * is the mirror image of the previous one, so the record is out of date.
 */
static inline bool runstate_is_mirrored(struct runstate_mismatch *m,
                                        unsigned int known, unsigned int old,
                                        unsigned int new, uint32_t pcpu)
{
    if ( m->pending && m->old == new && m->known == old && m->pcpu != pcpu )
    {
        m->pending = false;
        return true;
    }
    *m = (struct runstate_mismatch){
        .pending = true, .old = old, .known = known, .pcpu = pcpu,
    };
    return false;
}

#endif /* XENALYZE_MODEL_RUNSTATE_H */
