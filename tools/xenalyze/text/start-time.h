/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the seconds of a report began to count.
 */
#ifndef XENALYZE_TEXT_START_TIME_H
#define XENALYZE_TEXT_START_TIME_H

#include <stdbool.h>
#include <stdio.h>

#include "libxentrace/clock.h"

#define BEGAN_MAX 48u

/* In local time, as --time takes it; false, and "": the trace does not say. */
bool began_text(const struct xt_clock *clock, char text[BEGAN_MAX]);

/* A line with it, or nothing. */
void report_began(const struct xt_clock *clock, FILE *out);

#endif /* XENALYZE_TEXT_START_TIME_H */
