/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --time, checked against the trace: a span that selects nothing is an error
 * before anything is printed.
 */
#ifndef XENALYZE_TIME_SPAN_H
#define XENALYZE_TIME_SPAN_H

#include "xenalyze/filter/filter.h"
#include "xenalyze/outputs.h"

/*
 * Resolve a span (span_resolve()) by the begin and the end of the trace.  The
 * end of a stream is unknown, so its span can turn out to be empty later.  The
 * trace is rewound.  0, -EINVAL, or -ENODATA: nothing of the trace is in the
 * span.
 */
int time_span_resolve(const struct run *run, const struct span *span,
                      uint64_t *from, uint64_t *until, struct err *e);

/* The error for a span behind the end of a stream: returns -ENODATA. */
int time_span_refuse(const struct run *run, struct err *e);

#endif /* XENALYZE_TIME_SPAN_H */
