/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The end of an input that ends inside a window, for a part of that input: a
 * part is whole, and what the input lacks is missing behind the part, too.
 */
#ifndef LIBXENTRACE_TORN_END_H
#define LIBXENTRACE_TORN_END_H

#include <stdbool.h>
#include <stdint.h>

struct xt_trace;

struct xt_torn_end
{
    bool is_torn;
    uint64_t offset, bytes;     /* the torn bytes, which are skipped */
    uint64_t from;              /* no record before this time is lost, except
                                   for those behind the pcpu's last record */
};

/* The end of a mapped file, after xt_trace_span(). */
struct xt_torn_end xt_trace_get_torn_end(const struct xt_trace *t);

/*
 * The trace is a part of another one with this end: it has the same damage, and
 * its pcpus a gap behind their last records, though none before its own last
 * time.  Only before reading has begun; a mapped file.
 */
void xt_trace_set_torn_end(struct xt_trace *t, const struct xt_torn_end *end);

#endif /* LIBXENTRACE_TORN_END_H */
