/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The struct of a profile, for the files of this folder only.
 */
#ifndef XENALYZE_COMPARE_PROFILE_H
#define XENALYZE_COMPARE_PROFILE_H

#include "common/debug.h"
#include "xenalyze/compare/compare.h"
#include "xenalyze/compare/figures.h"

struct profile
{
    struct profile_options options;
    struct xt_clock clock;
    uint64_t bounds[FIGURE_INTERVALS + 1];      /* time stamps */

    struct figures figures;
    struct stats_pool pool;
    struct stats_map series;    /* lengths of events; the detail field of
                                   a key is the merged interval, or
                                   SHIFT_SAMPLES for all events */
    struct io_trips trips;

    /* Data quality. */
    unsigned int segments;      /* records of the first count */
    bool is_later;              /* the current segment is not the first */
    unsigned int nr_pcpus;      /* with records */
    uint64_t records;           /* in the span */
    uint32_t seen;              /* bits of kinds of volumes: in the trace */
    uint64_t losses;            /* places */
    uint64_t lost_records;      /* in these places */
    uint64_t damaged;           /* places */
    uint64_t too_many;          /* records of vcpus that are not kept */
    struct fact_disorder disorder;
};

static inline uint64_t profile_length(const struct profile *p, unsigned int i)
{
    debug_assert(i < FIGURE_INTERVALS);
    return p->bounds[i + 1] - p->bounds[i];
}

static inline uint64_t profile_whole(const struct profile *p)
{
    return p->bounds[FIGURE_INTERVALS] - p->bounds[0];
}

#endif /* XENALYZE_COMPARE_PROFILE_H */
