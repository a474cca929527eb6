/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offsets of clocks with which the changes of each vcpu, on whatever pcpus,
 * follow each other.
 */
#ifndef XENALYZE_ENGINE_CLOCK_ALIGN_H
#define XENALYZE_ENGINE_CLOCK_ALIGN_H

#include "xenalyze/engine/clock-probe.h"

/* What to take for granted about the present clocks. */
enum clock_search
{
    CLOCK_SEARCH_FAR,           /* nothing */
    CLOCK_SEARCH_NEAR,          /* they differ by a few periods of vcpus */
    CLOCK_SEARCH_LAST,          /* they are right, unless much contradicts */
};

struct clock_align_options
{
    unsigned int nr_pcpus;
    unsigned int reference;     /* pcpu with offset 0 */
    int64_t latency;            /* of a typical wake-up, in cycles */
    enum clock_search search;
};

/*
 * Find the offsets to add to the clocks, by the events of the probe; NAN:
 * unknown.  The events get sorted, and their order is rated without and with
 * these offsets.  0 or -ENOMEM.
 */
int clock_align(struct clock_probe *p, const struct clock_align_options *o,
                double *offsets);

#endif /* XENALYZE_ENGINE_CLOCK_ALIGN_H */
