/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many records of each event (--count): most of them first.
 *
 *       records  share        id  event
 *          1489   4.05 %  00028006  sched_block
 */
#ifndef XENALYZE_LINES_COUNT_H
#define XENALYZE_LINES_COUNT_H

#include <stdio.h>

#include "libxentrace/catalogue.h"
#include "xenalyze/account/account.h"
#include "xenalyze/lines/pipeline.h"

struct count;

/* 0 or -ENOMEM. */
int count_new(struct count **c);
void count_free(struct count *c);       /* NULL is fine */

/* For pipeline_run; it prints nothing until the end. */
const struct line_style *count_style(void);

/* Most of them first, or by id if the order of names is asked for. */
void count_print(struct count *c, const struct report_request *request,
                 FILE *out);

#endif /* XENALYZE_LINES_COUNT_H */
