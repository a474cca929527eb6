/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A visit of all metadata of a trace, apart from its records.
 */
#ifndef LIBXENTRACE_VISIT_METADATA_H
#define LIBXENTRACE_VISIT_METADATA_H

#include "libxentrace/meta.h"

struct xt_trace;

typedef void xt_meta_fn(void *arg, const struct xt_meta *m);

/*
 * Deliver the metadata of all windows in the view, in the order of the input.
 * The whole input is walked only if its first XT_INFO_BYTES have metadata.
 * Only before reading has begun; call xt_trace_info() first, which fills the
 * view of a stream.
 */
void xt_trace_visit_metadata(const struct xt_trace *t, xt_meta_fn *fn,
                             void *arg);

/*
 * The caller knows the metadata of the trace, from an index: deliver these
 * records, one behind the other, in place of a walk.  Borrowed.
 */
void xt_trace_set_metadata(struct xt_trace *t, const unsigned char *records,
                           size_t size);

#endif /* LIBXENTRACE_VISIT_METADATA_H */
