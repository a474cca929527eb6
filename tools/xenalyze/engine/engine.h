/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a trace to facts: read a trace and emit facts to every sink, in threads
 * if the input is mapped and all sinks support threads.
 */
#ifndef XENALYZE_ENGINE_ENGINE_H
#define XENALYZE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/libxentrace.h"
#include "xenalyze/model/model.h"

struct analyze_options
{
    unsigned int threads;       /* 0: as many as there are processors */
    uint64_t hz;                /* of the clock; 0: as the trace says */
    const struct xt_info *info; /* NULL: read from the trace */
    const struct xt_host *host; /* NULL: not known */
    unsigned int levels;        /* of guests' page tables where no record
                                   names them; 0: 2, as in stock */

    /*
     * If `bounded`, a span of time stamps; facts that reach over its borders
     * are cut there.  *overlaps is set if some time of a segment is in
     * the span; NULL: not wanted.
     */
    bool bounded;
    uint64_t from, until;
    bool *overlaps;

    /*
     * Emit only facts about these pcpus and vcpus; NULL: about all.  For facts
     * about a whole domain, vcpu is UINT32_MAX.
     */
    bool (*wants_pcpu)(const void *filter, unsigned int pcpu);
    bool (*wants_vcpu)(const void *filter, unsigned int domain,
                       unsigned int vcpu);
    const void *filter;

    /* No pcpu's clock needs a correction: do not look for any. */
    bool clocks_agree;

    /* Called at intervals: records up to `time` have been read.  Or NULL. */
    void (*progress)(void *arg, uint64_t time);
    void *progress_arg;
};

/*
 * Read a trace from its beginning, where it must be, to its end.  0, or -errno
 * and the reason in *e.
 */
int analyze_trace(struct xt_trace *trace, const struct analyze_options *options,
                  const struct sink *sinks, size_t nr_sinks, struct err *e);

/*
 * The times of the records that these sinks need for the span of the options:
 * some are before it, some behind.  True: they also need the ends of VM exits
 * of the span, which may be later.  An analysis of the trace itself reads no
 * pcpu's records behind *stop, but for the first.
 */
bool analyze_find_needs(const struct analyze_options *options,
                        const struct xt_clock *clock, const struct sink *sinks,
                        size_t nr_sinks, uint64_t *from, uint64_t *until,
                        uint64_t *stop);

/*
 * Has an analysis set corrections of the clocks of any of the first `nr` pcpus?
 */
bool analyze_has_corrections(const struct xt_trace *trace, unsigned int nr);

/*
 * Remove the corrections of clocks that an analysis of the trace has made, as
 * before another analysis of it.  Does nothing for a stream.  0 or -errno.
 */
int analyze_reset_clocks(struct xt_trace *trace, struct err *e);

#endif /* XENALYZE_ENGINE_ENGINE_H */
