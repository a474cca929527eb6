/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: what can be printed of a trace.  One file a report,
 * named as its function here.
 */
#ifndef XENALYZE_REPORT_REPORT_H
#define XENALYZE_REPORT_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "libxentrace/counts.h"
#include "libxentrace/dialect.h"
#include "libxentrace/window.h"

/* Text on `out`; the caller looks whether it got there. */
void report_summary(const struct xt_counts *c, const char *name, FILE *out);

/*
 * A line for every record, window by window; `out` is borrowed, and written to
 * in large pieces, the last one by _end.  0 or -ENOMEM.
 */
struct report_dump;

int report_dump_begin(struct report_dump **d, const struct xt_dialect *dialect,
                      FILE *out);
void report_dump_window(struct report_dump *d, const struct xt_window *w);
void report_dump_end(struct report_dump *d);

#endif /* XENALYZE_REPORT_REPORT_H */
