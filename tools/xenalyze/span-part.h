/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a long trace that the reports of a span need, as a trace in
 * memory.  With the index of the trace, making the part takes some ten ms,
 * wherever the span is, and reports of the part are those of the trace.
 */
#ifndef XENALYZE_SPAN_PART_H
#define XENALYZE_SPAN_PART_H

#include "xenalyze/engine/engine.h"
#include "xenalyze/outputs.h"

struct span_part
{
    int fd;                     /* -1: no part */
    struct xt_trace *trace;
};

#define SPAN_PART_INIT { .fd = -1 }

/*
 * The trace that an analysis reads: if the trace of the run has an index, and
 * the options select a short span, a part of it; else the trace itself.  The
 * options are adapted to a part.  An index of another state of the trace is
 * written anew.
 */
struct xt_trace *span_part_choose(struct span_part *p, const struct run *run,
                                  struct analyze_options *options,
                                  const struct sink *sinks, size_t nr_sinks);

/* Behind the analysis.  Does nothing if there is no part. */
void span_part_close(struct span_part *p);

#endif /* XENALYZE_SPAN_PART_H */
