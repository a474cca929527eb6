/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the seconds of a report began to count.
 */
#ifndef XENALYZE_TEXT_START_TIME_H
#define XENALYZE_TEXT_START_TIME_H

#include <stdbool.h>
#include <stdio.h>

#include "libxentrace/libxentrace.h"

#define START_TIME_MAX 48u

/* In local time, as --time takes it; false, and "": the trace does not say. */
bool start_time_text(const struct xt_clock *clock, char text[START_TIME_MAX]);

/* A line with it, or nothing. */
void text_print_start_time(const struct xt_clock *clock, FILE *out);

#endif /* XENALYZE_TEXT_START_TIME_H */
