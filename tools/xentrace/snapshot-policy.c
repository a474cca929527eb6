/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of kept files has at most 2 * keep entries, and a linear search once
 * per snapshot is fast enough.
 */
#include "xentrace/snapshot-policy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

void snapshot_policy_init(struct snapshot_policy *p, uint64_t every_ms,
                          unsigned int keep)
{
    *p = (struct snapshot_policy){ .every_ms = every_ms, .keep = keep };
}

void snapshot_policy_fini(struct snapshot_policy *p)
{
    free(p->kept);
    *p = (struct snapshot_policy){ .keep = 0 };
}

static bool is_cooling(const struct snapshot_policy *p, uint64_t now_ms,
                       uint64_t severity)
{
    return p->is_cooling && now_ms - p->last_ms < p->every_ms &&
           (!severity || severity / 2 < p->last_severity);
}

/* The number of kept files of the same kind. */
static unsigned int count_kept(const struct snapshot_policy *p, bool rated)
{
    unsigned int nr = 0;

    for ( size_t i = 0; i < p->nr_kept; i++ )
        nr += (p->kept[i].severity > 0) == rated;
    return nr;
}

/* The mildest kept file of a kind; the oldest of several. */
static size_t find_mildest(const struct snapshot_policy *p, bool rated)
{
    size_t found = p->nr_kept;

    for ( size_t i = 0; i < p->nr_kept; i++ )
        if ( (p->kept[i].severity > 0) == rated &&
             (found == p->nr_kept ||
              p->kept[i].severity < p->kept[found].severity) )
            found = i;
    assert(found < p->nr_kept);
    return found;
}

static bool is_full(const struct snapshot_policy *p, bool rated)
{
    return p->keep && count_kept(p, rated) >= p->keep;
}

bool snapshot_policy_admit(struct snapshot_policy *p, uint64_t now_ms,
                           uint64_t severity, uint64_t firings)
{
    assert(firings > 0);
    if ( is_cooling(p, now_ms, severity) )
    {
        p->nr_cooled += firings;
        return false;
    }
    if ( severity && is_full(p, true) &&
         p->kept[find_mildest(p, true)].severity >= severity )
    {
        p->nr_milder += firings;
        return false;
    }
    return true;
}

void snapshot_policy_cool(struct snapshot_policy *p, uint64_t now_ms,
                          uint64_t severity)
{
    p->is_cooling = true;
    p->last_ms = now_ms;
    p->last_severity = severity;
}

static bool make_room(struct snapshot_policy *p)
{
    size_t max = p->max_kept ? 2 * p->max_kept : 16;
    struct kept_snapshot *kept;

    if ( p->nr_kept < p->max_kept )
        return true;
    kept = fault_realloc(p->kept, max * sizeof(*kept));
    if ( !kept )
        return false;
    p->kept = kept;
    p->max_kept = max;
    return true;
}

unsigned int snapshot_policy_keep(struct snapshot_policy *p, unsigned int nr,
                                  uint64_t severity)
{
    unsigned int victim = 0;
    size_t i;

    assert(nr > 0);
    if ( !p->keep )
        return 0;
    if ( is_full(p, severity > 0) )
    {
        i = find_mildest(p, severity > 0);
        victim = p->kept[i].nr;
        memmove(&p->kept[i], &p->kept[i + 1],
                (--p->nr_kept - i) * sizeof(*p->kept));
    }
    if ( make_room(p) )
        p->kept[p->nr_kept++] = (struct kept_snapshot){ nr, severity };
    return victim;
}
