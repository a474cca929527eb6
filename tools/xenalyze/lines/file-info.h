/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Information on a trace file (--info): size, records by pcpu and by event,
 * losses and damage.
 */
#ifndef XENALYZE_LINES_FILE_INFO_H
#define XENALYZE_LINES_FILE_INFO_H

#include <stddef.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/lines/file-texts.h"

/*
 * Print as text.  `clock` is for the times of marks.  The caller checks `out`
 * for errors.  0 or -ENOMEM.
 */
int file_info_print(const struct xt_counts *c, const struct file_texts *texts,
                    const struct xt_clock *clock, const char *name, FILE *out);

#endif /* XENALYZE_LINES_FILE_INFO_H */
