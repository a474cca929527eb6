/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Information on a trace file (--info): size, records by pcpu and by event,
 * losses and damage.
 */
#ifndef XENALYZE_LINES_FILE_INFO_H
#define XENALYZE_LINES_FILE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"
#include "xenalyze/lines/file-texts.h"

/* Finished counts and texts of a file; all pointers are borrowed. */
struct file_info
{
    const struct xt_counts *counts;
    const struct file_texts *texts;
    const struct xt_clock *clock;       /* its origin: the first time stamp */
    bool clock_assumed;         /* the file has no frequency */
    const char *name;           /* of the file */
    const char *start;          /* date and time of the origin; "": unknown */
    unsigned int captures;      /* one after another in the file; 0: unknown */
    uint64_t cycles;            /* of all captures together */
};

/*
 * Print as text, in the form of request->style: STYLE_STOCK is for scripts,
 * with a line each; STYLE_TABLE has 80 columns, seconds, and the top rows.  The
 * caller checks `out` for errors.  0 or -ENOMEM.
 */
int file_info_print(const struct file_info *info,
                    const struct report_request *request, FILE *out);

#endif /* XENALYZE_LINES_FILE_INFO_H */
