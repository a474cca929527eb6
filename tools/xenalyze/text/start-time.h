/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The date and time of second 0 in a report.
 */
#ifndef XENALYZE_TEXT_START_TIME_H
#define XENALYZE_TEXT_START_TIME_H

#include <stdbool.h>
#include <stdio.h>

#include "libxentrace/libxentrace.h"

#define START_TIME_MAX 48u

/* Local time in the format of --time; false, and "", without a date. */
bool start_time_text(const struct xt_clock *clock, char text[START_TIME_MAX]);

/* Print a line with the start time, if the trace has a date. */
void text_print_start_time(const struct xt_clock *clock, FILE *out);

#endif /* XENALYZE_TEXT_START_TIME_H */
