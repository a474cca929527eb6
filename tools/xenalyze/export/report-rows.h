/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the reports know as rows of one table, for programs: JSON and CSV
 * are two ways to write them down.  A row is a series or a count, and says in
 * a few words and numbers of what.
 */
#ifndef XENALYZE_EXPORT_REPORT_ROWS_H
#define XENALYZE_EXPORT_REPORT_ROWS_H

#include <stdio.h>

#include "xenalyze/account/account.h"

#define ROW_NONE (-1)

struct row
{
    const char *table;          /* "vcpu-state"; xenalyze-json(5) has them */
    int64_t domain, vcpu, pcpu; /* or ROW_NONE */
    const char *name;           /* or NULL */
    const char *detail;         /* or NULL */
    bool has_number;
    uint64_t number;            /* vector, port, address, reason, time ... */
    uint64_t count;             /* of a row without a series */
    const struct stats *series; /* or NULL */
    uint64_t open;              /* cycles of a state that has not ended */
};

typedef void row_fn(void *state, const struct row *row);

struct rows
{
    struct summary *summary;  /* closed; its pool knows if memory ran out */
    struct latency *latency;    /* likewise; or NULL */
    struct ipi_latency *ipis;          /* likewise */
    const struct report_request *request;
};

void rows_walk(const struct rows *rows, row_fn *fn, void *state);

#endif /* XENALYZE_EXPORT_REPORT_ROWS_H */
