/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop that counts all records of a trace, window by window in the order of
 * the file.
 */
#ifndef XENALYZE_LINES_COUNT_TRACE_H
#define XENALYZE_LINES_COUNT_TRACE_H

#include <stdint.h>

#include "libxentrace/internal.h"

/*
 * A window has been counted; `nr` of its records are metadata.  0 or -errno.
 */
typedef int counted_window_fn(void *arg, const struct xt_window *w,
                              uint64_t nr);

/*
 * Add all windows of a rewound trace to new counts, and finish these.  `fn` may
 * be NULL.  0 or -errno; the reason is in *e if reading fails.
 */
int count_trace(struct xt_counts *c, struct xt_trace *t, counted_window_fn *fn,
                void *arg, struct err *e);

#endif /* XENALYZE_LINES_COUNT_TRACE_H */
