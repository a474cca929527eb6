/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disorder: records of two pcpus in the wrong order, and the conclusions about
 * the clocks of the pcpus.
 *
 * A SWAP is a pair of records in the wrong order: if the two belong together,
 * the clock of the late record's pcpu is ahead by the LAG at least.  But the
 * late record may belong to another change, so one swap proves nothing: the
 * clock of a third pcpu, or a difference longer than the periods of a vcpu,
 * also makes swaps of two pcpus with equal clocks.  Such false swaps have both
 * directions alike, and swaps of unequal clocks have one.
 *
 * So the difference of two pcpus is taken from the swaps of the more frequent
 * direction, without the longest ones: twice the number of those in the other
 * direction, and one more.
 *
 * An error of a wait is limited otherwise.  A wait that begins on one pcpu and
 * ends on another one may be false altogether, so the longest of these waits
 * is a limit.  If swaps are many, and most have one direction, then the
 * correction of the clocks has all but succeeded, and twice the longest lag is
 * enough; the same if swaps are rare.
 *
 * A single wrong record, as of a damaged file, makes one or two contradictions;
 * clocks that differ make more, unless the records are few.
 *
 * Missing records contradict as well: those of a pcpu that went offline with a
 * full ring, or of domains that a filter left out.  But records in the wrong
 * order contradict there and back, since each of them comes at last:
 *
 *     true order     wakes  runs  blocks  wakes  runs
 *     wrong order    wakes  wakes  runs  blocks  runs
 *                         ^ runnable, then blocked   ^ blocked, then runnable
 *     missing        wakes  wakes  runs
 *                         ^ runnable, then blocked
 *
 * A JUMP is a contradiction from the known state to the old state in the next
 * record.  The BALANCE counts jumps from each state, less those to it: it is
 * near 0 in the wrong order, but grows with each missing record.  Only the
 * first and the last record of a vcpu add to it in any order.
 */
#ifndef XENALYZE_MACHINE_DISORDER_H
#define XENALYZE_MACHINE_DISORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/compiler.h"
#include "xenalyze/model/model.h"

#define DISORDER_SWAPS 1024u    /* remembered ones; further ones: a sample */

/* The longest of some kind, between two pcpus: the late one comes first. */
struct longest_error
{
    uint64_t cycles;            /* 0: none */
    uint32_t pcpus[2];
};

/* Contradictions that clocks may have made. */
struct evidence
{
    struct longest_error lag;
    struct longest_error doubtful;      /* waits that contradict a record */
    uint64_t nr_swaps;
    uint64_t nr_doubts;         /* waits that contradict a record */
};

/* The order of the records of one vcpu. */
struct vcpu_order
{
    struct evidence evidence;
    struct vcpu_order *next;    /* if listed: in struct disorder */
    bool listed;
    bool has_last;              /* the state is unknown since `last` */
    uint8_t last;               /* enum fact_state */
    uint64_t nr_jumps;
    int64_t balance[STATES];
};

struct swap
{
    const struct vcpu_order *vcpu;
    uint32_t late, early;       /* pcpus */
    uint64_t lag;               /* cycles */
};

struct disorder
{
    struct vcpu_order *vcpus;   /* list of those with evidence */
    uint64_t longest_wait;      /* from one pcpu to another one */
    uint64_t nr_swaps;
    unsigned int stride;        /* every so many swaps are remembered */
    unsigned int nr;
    struct swap swaps[DISORDER_SWAPS];
};

void disorder_init(struct disorder *d);

/* The old state in a record of the vcpu, `next`, is not the known one. */
void vcpu_order_add_jump(struct vcpu_order *v, unsigned int known,
                         unsigned int next);

/* A record of `late` came `lag` cycles after a record that it precedes. */
void disorder_add_swap(struct disorder *d, struct vcpu_order *v, uint32_t late,
                       uint32_t early, uint64_t lag);

/* Clocks may have made a wait of so many cycles up, or its length. */
void disorder_add_doubt(struct disorder *d, struct vcpu_order *v, uint32_t late,
                        uint32_t early, uint64_t cycles);

/* Doubtful waits have another cause. */
void disorder_forget_doubts(struct disorder *d);

/* A wait that began on pcpu `from` ends on pcpu `to`. */
static inline void disorder_add_wait(struct disorder *d, uint32_t from,
                                     uint32_t to, uint64_t cycles)
{
    if ( cycles > d->longest_wait && from != to )
        d->longest_wait = cycles;
}

/*
 * Conclude, from a trace with so many records of the scheduler.  Lags and waits
 * below `least` cycles are within the latency of a wake-up.
 */
struct fact_disorder disorder_conclude(struct disorder *d, uint64_t least,
                                       uint64_t records);

#endif /* XENALYZE_MACHINE_DISORDER_H */
