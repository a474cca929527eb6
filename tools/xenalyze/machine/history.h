/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History of the vcpus that ran on a pcpu, to attribute a vcpu's waiting time
 * to its RIVALS: the vcpus that ran meanwhile on the pcpu where the waiting
 * vcpu ran next.  That pcpu is known only at the end of the wait, so every pcpu
 * needs the history since the begin of the oldest wait in progress.
 *
 * A full history is COMPACTED.  Only sums between the begins of two waits in
 * progress are needed, so the entries of a vcpu between two such moments become
 * one entry.  In the drawing waits began at | and are in progress:
 *
 *      |a  b  a  b  c|a  b  a  b|c  a           11 entries
 *      |a+a  b+b  c  |a+a  b+b  |c  a            7 entries
 *
 * The size then depends on the numbers of waits and of vcpus, and not on the
 * length of a wait.  Beyond HISTORY_MAX entries the older half of a history is
 * merged into a single entry without a vcpu, whose time goes to others.
 */
#ifndef XENALYZE_MACHINE_HISTORY_H
#define XENALYZE_MACHINE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

#define HISTORY_MIN 128u        /* entries of a pcpu at first */
#define HISTORY_MAX 65536u      /* entries of a pcpu at most */
#define HISTORY_TOTAL (1u << 21)        /* entries of all pcpus at most */

/*
 * In order of time.  Entries do not overlap, except that compacted entries
 * between the same two begins of waits share `from` and `to`.
 */
struct history_entry
{
    const struct vcpu *vcpu;    /* NULL: several vcpus */
    uint64_t from, to;
    uint64_t cycles;            /* run time, at most to - from */
};

struct history
{
    struct history_entry *entries;      /* NULL unless a sink wants rivals */
    uint32_t nr, room;
};

/* Begins of waits, in order of time; waits that have ended are dropped when
   the array is full. */
struct wait_begin
{
    uint64_t time;
    const struct vcpu *vcpu;
};

struct wait_begins
{
    struct wait_begin *items;
    uint32_t nr, room;
    bool failed;                /* out of memory: rivals are missing */
};

int history_init(struct history *h);    /* 0 or -ENOMEM */

/* A vcpu becomes runnable. */
void wait_begins_add(struct wait_begins *b, const struct vcpu *vcpu,
                     uint64_t time);

/*
 * A vcpu ran on the pcpu.  Time before the end of the last entry is not counted
 * again.  `nr_pcpus` share HISTORY_TOTAL.  Without memory waits->failed is set.
 */
void history_add(struct history *h, const struct vcpu *vcpu, uint64_t from,
                 uint64_t to, struct wait_begins *waits,
                 unsigned int nr_pcpus);

#endif /* XENALYZE_MACHINE_HISTORY_H */
