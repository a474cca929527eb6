/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of records of each event (--count), the most frequent first.
 *
 *       records  share        id  event
 *          1489   4.05 %  00028006  sched_block
 */
#ifndef XENALYZE_LINES_COUNT_H
#define XENALYZE_LINES_COUNT_H

#include <stdio.h>

#include "libxentrace/catalogue.h"
#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"
#include "xenalyze/lines/pipeline.h"

struct count;

/* 0 or -ENOMEM. */
int count_new(struct count **c);
void count_free(struct count *c);       /* NULL is fine */

/*
 * Count all records.  `progress` may be NULL; its time is 0.  *damage belongs
 * to *c.  0, or -errno with *e.
 */
int count_windows(struct count *c, struct xt_trace *t,
                  void (*progress)(void *arg, uint64_t time), void *arg,
                  const struct xt_damage **damage, struct err *e);

/* The same with counts of all records, from an index.  0 or -ENOMEM. */
int count_copy(struct count *c, const struct xt_counts *known);

/* The number of records so far. */
uint64_t count_records(const struct count *c);

/* A style that only counts, for pipeline_run(), on a struct count. */
const struct line_style *count_style(void);

/* Print the table, sorted by records, or by id if names are to be sorted. */
void count_print(struct count *c, const struct report_request *request,
                 FILE *out);

#endif /* XENALYZE_LINES_COUNT_H */
