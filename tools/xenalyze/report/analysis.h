/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to what is made of facts (model/facts.h): sinks, and what is
 * printed once they have heard all.  report.h is for what is made of records.
 *
 * All print to `out`; the caller looks whether it got there.
 */
#ifndef XENALYZE_REPORT_ANALYSIS_H
#define XENALYZE_REPORT_ANALYSIS_H

#include <stdio.h>

#include "xenalyze/report/book.h"
#include "xenalyze/report/request.h"

/* Of a closed book: stock's summary, stock's report of pcpus, and our own. */
void report_book_summary(struct book *book,
                         const struct report_request *request, FILE *out);
void report_book_pcpus(struct book *book,
                       const struct report_request *request, FILE *out);
void report_book_trust(struct book *book,
                       const struct report_request *request, FILE *out);
/* 0 or -ENOMEM. */
int report_book_exits(struct book *book, const struct report_request *request,
                      FILE *out);

#endif /* XENALYZE_REPORT_ANALYSIS_H */
