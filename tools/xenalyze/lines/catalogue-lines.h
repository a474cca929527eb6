/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as they are (--records): pcpu, time stamp in cycles, the event's
 * name, and what xen-trace-events(7) says of its payload.
 *
 *    0      105268421180 sched_wake           d1v0
 *    0                 - hvm_msr_read         TSC = 0x8a13
 *
 * An id that nobody declared is shown as a number, and its payload as words.
 */
#ifndef XENALYZE_LINES_CATALOGUE_LINES_H
#define XENALYZE_LINES_CATALOGUE_LINES_H

#include "libxentrace/catalogue.h"
#include "xenalyze/lines/pipeline.h"

/* Its state is a const struct xt_catalogue. */
const struct line_style *records_style(void);

#endif /* XENALYZE_LINES_CATALOGUE_LINES_H */
