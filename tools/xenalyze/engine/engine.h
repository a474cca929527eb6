/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a trace to facts: reads all of it and tells every sink, in threads
 * where the input is mapped and no sink minds.
 */
#ifndef XENALYZE_ENGINE_ENGINE_H
#define XENALYZE_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "libxentrace/libxentrace.h"
#include "xenalyze/model/model.h"

struct analyze_options
{
    unsigned int threads;       /* 0: as many as there are processors */
    uint64_t hz;                /* of the clock, if somebody knows better */
    const struct xt_info *info; /* what is known of the trace; NULL: what it
                                   says itself */
    unsigned int levels;        /* of guests' page tables, where nothing says
                                   it; 0: 2, as stock has it */

    /*
     * Only what is in this span of time stamps; a fact that reaches over its
     * borders is cut there.  until == 0: to the end.
     */
    uint64_t from, until;

    /*
     * Facts about others are not told; NULL: all are wanted.  Of a domain as
     * a whole, vcpu is UINT32_MAX.
     */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    bool (*wants_vcpu)(const void *filter, unsigned int domain,
                       unsigned int vcpu);
    const void *filter;

    /* Called now and then: all up to `time` has been read.  NULL: no need. */
    void (*progress)(void *arg, uint64_t time);
    void *progress_arg;
};

/*
 * A trace of which nothing has been read yet, to its end, once.  0, or -errno
 * and *e says why.
 */
int analyze(struct xt_trace *trace, const struct analyze_options *options,
            const struct sink *sinks, size_t nr_sinks, struct err *e);

#endif /* XENALYZE_ENGINE_ENGINE_H */
