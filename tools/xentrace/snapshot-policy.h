/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy of snapshots: which firings of a trigger are written, and which
 * files are kept.  A trigger can be left on for weeks: the number of files and
 * the rate of writes are bounded, and a bad case is never lost to a milder one.
 *
 * Cool-down: within `every_ms` of a triggered snapshot, only a firing of at
 * least twice its severity is written.  So the number of snapshots in that time
 * is bounded by the logarithm of the severity.
 *
 * Files: of the snapshots with a severity the worst `keep` are kept, and of
 * those without (an event, a signal) the newest `keep`.
 */
#ifndef XENTRACE_SNAPSHOT_POLICY_H
#define XENTRACE_SNAPSHOT_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of this capture. */
struct kept_snapshot
{
    unsigned int nr;
    uint64_t severity;          /* 0: none */
};

struct snapshot_policy
{
    uint64_t every_ms;          /* cool-down; 0: none */
    unsigned int keep;          /* limit for each kind; 0: none */

    bool is_cooling;            /* the next two members are valid */
    uint64_t last_ms;           /* time of the last triggered snapshot */
    uint64_t last_severity;
    struct kept_snapshot *kept; /* in the order of their numbers */
    size_t nr_kept, max_kept;

    /* Firings that were not written. */
    uint64_t nr_cooled;         /* within the cool-down */
    uint64_t nr_milder;         /* milder than each of `keep` snapshots */
};

void snapshot_policy_init(struct snapshot_policy *p, uint64_t every_ms,
                          unsigned int keep);
void snapshot_policy_fini(struct snapshot_policy *p);

/*
 * Is a snapshot to be written for `firings` simultaneous firings, the worst of
 * which has this severity?  If not, the firings are counted.
 */
bool snapshot_policy_admit(struct snapshot_policy *p, uint64_t now_ms,
                           uint64_t severity, uint64_t firings);

/* Begin a cool-down, after a triggered snapshot. */
void snapshot_policy_cool(struct snapshot_policy *p, uint64_t now_ms,
                          uint64_t severity);

/*
 * File `nr` is written.  Returns the number of the file to remove, or 0.
 * Without memory the file is kept.
 */
unsigned int snapshot_policy_keep(struct snapshot_policy *p, unsigned int nr,
                                  uint64_t severity);

#endif /* XENTRACE_SNAPSHOT_POLICY_H */
