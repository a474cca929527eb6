/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsers of options of reports that are more than a number.  Each stores into
 * config->reports, and also asks for the output that it is an argument of.
 */
#ifndef XENALYZE_REPORT_OPTIONS_H
#define XENALYZE_REPORT_OPTIONS_H

#include "common/opts.h"
#include "xenalyze/reports/report.h"

int report_parse_which(const struct opt *o, const char *text, void *config,
                       struct err *e);          /* .at: which[kind] */
int report_parse_ids(const struct opt *o, const char *text, void *config,
                     struct err *e);            /* .at: ids[kind] */
int report_parse_eips(const struct opt *o, const char *text, void *config,
                      struct err *e);           /* .at: request */
int report_parse_export(const struct opt *o, const char *text, void *config,
                        struct err *e);         /* .at: exports */
int report_parse_histogram(const struct opt *o, const char *text,
                           void *config, struct err *e);    /* .at: request */

/* Request a format of records; path "-": the file or folder of --output. */
int report_set_records(struct report_config *c, const struct report_file *f,
                       struct err *e);

#endif /* XENALYZE_REPORT_OPTIONS_H */
