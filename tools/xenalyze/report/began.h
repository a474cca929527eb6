/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the seconds of a report began to count.
 */
#ifndef XENALYZE_REPORT_BEGAN_H
#define XENALYZE_REPORT_BEGAN_H

#include <stdio.h>

#include "libxentrace/clock.h"

/* A line, in local time; nothing if the trace does not say. */
void report_began(const struct xt_clock *clock, FILE *out);

#endif /* XENALYZE_REPORT_BEGAN_H */
