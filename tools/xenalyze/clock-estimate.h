/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of programs beside a trace without readings of dom0's clock: from
 * the accesses to emulated devices in the trace.
 */
#ifndef XENALYZE_CLOCK_ESTIMATE_H
#define XENALYZE_CLOCK_ESTIMATE_H

#include "xenalyze/outputs.h"

/* Reads the trace, and rewinds it.  0, or -errno with *e. */
int clock_estimate(const struct run *run, struct err *e);

#endif /* XENALYZE_CLOCK_ESTIMATE_H */
