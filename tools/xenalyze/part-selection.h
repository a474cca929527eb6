/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that selected the records of a part (xenalyze cut), in the
 * metadata of the part: reports of the part warn that the other records are
 * missing.
 */
#ifndef XENALYZE_PART_SELECTION_H
#define XENALYZE_PART_SELECTION_H

#include <stdbool.h>

#include "libxentrace/internal.h"
#include "xenalyze/outputs.h"

#define PART_SELECTION_MAX (XT_META_TEXT_MAX + 1)

/* False: no option but --time selects records. */
bool part_selection_format(const struct config *config,
                           char text[PART_SELECTION_MAX]);

/* If the trace is such a part; before it is read. */
void part_selection_warn(const struct run *run);

#endif /* XENALYZE_PART_SELECTION_H */
