/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records in the words of the event catalogue (--records): pcpu, time stamp in
 * cycles, name of the event, and its fields as in xen-trace-events(7).
 *
 *    0      105268421180 sched_wake           d1v0
 *    0                 - hvm_msr_read         TSC = 0x8a13
 *
 * An event that the catalogue does not have is printed as its id in hex and the
 * words of its payload.
 */
#ifndef XENALYZE_LINES_CATALOGUE_LINES_H
#define XENALYZE_LINES_CATALOGUE_LINES_H

#include "libxentrace/catalogue.h"
#include "xenalyze/lines/pipeline.h"

/* The state is a const struct xt_catalogue. */
const struct line_style *catalogue_lines_style(void);

#endif /* XENALYZE_LINES_CATALOGUE_LINES_H */
