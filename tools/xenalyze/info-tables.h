/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of --info as tables, for --json and --csv.
 */
#ifndef XENALYZE_INFO_TABLES_H
#define XENALYZE_INFO_TABLES_H

#include "xenalyze/export/export.h"
#include "xenalyze/lines/lines.h"

/* Write a document.  The caller checks `out` for errors.  0 or -ENOMEM. */
int info_export(const struct file_info *info, enum export_format format,
                FILE *out);

/* The array of exported tables; the last table has no name. */
const struct export_table *info_tables(void);

#endif /* XENALYZE_INFO_TABLES_H */
