/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the reports know as rows of one table, for programs: JSON and CSV
 * are two ways to write them down.  A row is a series or a count, and says in
 * a few words and numbers of what.
 */
#ifndef XENALYZE_REPORT_ROWS_H
#define XENALYZE_REPORT_ROWS_H

#include <stdio.h>

#include "xenalyze/report/book.h"
#include "xenalyze/report/latency.h"

#define ROW_NONE (-1)

struct row
{
    const char *table;          /* "vcpu-state"; xenalyze-json(5) has them */
    int64_t domain, vcpu, pcpu; /* or ROW_NONE */
    const char *name;           /* or NULL */
    const char *detail;         /* or NULL */
    bool has_number;
    uint64_t number;            /* vector, port, address, reason ... */
    uint64_t count;             /* of a row without a series */
    const struct stats *series; /* or NULL */
    uint64_t open;              /* cycles of a state that has not ended */
};

typedef void row_fn(void *state, const struct row *row);

/* The latency may be NULL.  Both are closed. */
void rows_walk(struct book *book, struct latency *latency, row_fn *fn,
               void *state);

/* Everything, as one object; `name` is the trace's. */
void report_json(struct book *book, struct latency *latency, const char *name,
                 FILE *out);

/* The rows only, with a line of headings. */
void report_csv(struct book *book, struct latency *latency, FILE *out);

#endif /* XENALYZE_REPORT_ROWS_H */
