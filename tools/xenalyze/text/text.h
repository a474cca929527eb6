/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the text reports: each function prints one closed account to
 * `out`, and leaves write errors to the caller.
 */
#ifndef XENALYZE_TEXT_TEXT_H
#define XENALYZE_TEXT_TEXT_H

#include <stdio.h>

#include "xenalyze/account/account.h"
#include "xenalyze/text/start-time.h"

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

/* A closed latency account.  0 or -ENOMEM. */
int report_latency(struct latency *l, const struct report_request *request,
                   FILE *out);

/* The intervals, as the lines that stock prints. */
void interval_print(const struct interval *i, FILE *out);

#endif /* XENALYZE_TEXT_TEXT_H */
