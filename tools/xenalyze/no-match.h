/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors for a filter that matches nothing in the trace: they name the pcpus,
 * domains, vcpus or events that the trace has, instead of an empty table.
 */
#ifndef XENALYZE_NO_MATCH_H
#define XENALYZE_NO_MATCH_H

#include <stdbool.h>

#include "xenalyze/filter/filter.h"
#include "xenalyze/model/model.h"
#include "xenalyze/outputs.h"

/* At the end of a segment: true if the filter matches none of its pcpus, or
   none of the vcpus so far. */
bool no_match_in_segment(const struct filter *f, const struct guests *guests,
                         const struct fact_end *end);

/*
 * Explain a pass with PASS_NO_MATCH.  -ENOENT: *e names the option that does
 * not match, and lists what the trace has; or all options, if each matches
 * alone.  Or another -errno.
 */
int no_match_explain(const struct run *run, struct err *e);

#endif /* XENALYZE_NO_MATCH_H */
