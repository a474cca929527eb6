/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of this room: what can be printed of a trace.  One file a report,
 * named as its function here.
 */
#ifndef XENALYZE_LINES_FILE_INFO_H
#define XENALYZE_LINES_FILE_INFO_H

#include <stddef.h>
#include <stdio.h>

#include "libxentrace/internal.h"

/* Text on `out`; the caller looks whether it got there. */
void file_info_print(const struct xt_counts *c, const char *name, FILE *out);

#endif /* XENALYZE_LINES_FILE_INFO_H */
