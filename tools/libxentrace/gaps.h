/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gaps: places between the windows of a segment where a reader skipped bytes,
 * or where seals show that windows are missing.  Any pcpu may have lost records
 * there.
 */
#ifndef LIBXENTRACE_GAPS_H
#define LIBXENTRACE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xt_gap
{
    uint64_t entry;     /* number of the first window behind the gap */
    uint64_t from;      /* no record before this time is lost, except for
                           those behind the pcpu's last record; 0: unknown */
};

/* By rising number. */
struct xt_gaps
{
    struct xt_gap *items;
    size_t nr, room;
};

/* Add a gap behind all others; a second one at the same place has no effect. */
int xt_gaps_add(struct xt_gaps *g, uint64_t entry, uint64_t from);

/*
 * The first gap in front of window `entry`, behind window `from`, each of which
 * may be UINT64_MAX: from the begin, to the end.  NULL: there is none.
 */
const struct xt_gap *xt_gaps_find(const struct xt_gaps *g, uint64_t from,
                                  uint64_t entry);

#endif /* LIBXENTRACE_GAPS_H */
