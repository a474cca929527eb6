/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing the index of a trace by time (convert/time-index.h).
 */
#ifndef XENALYZE_INDEX_PASS_H
#define XENALYZE_INDEX_PASS_H

#include "xenalyze/convert/convert.h"
#include "xenalyze/outputs.h"

/*
 * Write the index of the run's trace, a file without damage, beside it.  The
 * trace is rewound.  0 or -errno with *e.
 */
int index_build(const struct run *run, struct index_counts *counts,
                struct err *e);

#endif /* XENALYZE_INDEX_PASS_H */
