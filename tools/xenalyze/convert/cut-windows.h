/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows of a span as they are: of those that begin before the span or end
 * behind it, the records of the span.
 */
#ifndef XENALYZE_CONVERT_CUT_WINDOWS_H
#define XENALYZE_CONVERT_CUT_WINDOWS_H

#include "libxentrace/libxentrace.h"
#include "xenalyze/convert/window-buffer.h"

/*
 * Write all records of the span, pcpu by pcpu.  The trace has been sought to a
 * time up to `from`, is indexed up to `until` at least, and no clock is
 * corrected.  0 or -errno; the reason is in *e if reading fails.
 */
int cut_windows(struct xt_trace *trace, uint64_t from, uint64_t until,
                struct window_buffer *w, struct err *e);

#endif /* XENALYZE_CONVERT_CUT_WINDOWS_H */
