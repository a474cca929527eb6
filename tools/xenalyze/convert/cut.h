/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write a part of a trace as a trace.  The part has four kinds of records, all
 * of them as they are in the trace; fillers of rings are left out:
 *
 *     metadata     of the collector: those from before the span that are valid
 *                  in the span, and those in the span
 *     early        records before the span that the states of vcpus and pcpus
 *                  at its begin follow from (early-records.h)
 *     the span     all records from `from` to `until` that match the filter
 *     ends         the next record of each pcpu behind the span, and the ends
 *                  of VM exits that began in the span
 *
 * A meta_cut record names the span and the begin of the trace, so that readers
 * report the span alone, and count seconds as in the trace.  A text names the
 * selection of records, if there is one, so that readers can warn.
 */
#ifndef XENALYZE_CONVERT_CUT_H
#define XENALYZE_CONVERT_CUT_H

#include <stdint.h>
#include <stdio.h>

#include "xenalyze/convert/time-index.h"
#include "xenalyze/filter/filter.h"

struct cut_options
{
    /* All borrowed. */
    struct xt_trace *trace;             /* rewound; a mapped file */
    const struct xt_catalogue *catalogue;
    const struct filter *filter;
    const char *selection;      /* the filter, as text; NULL: all records */
    FILE *out;
    const char *output;         /* name of `out`, for messages */
    uint64_t from, until;       /* the span; 0, UINT64_MAX: no bound */
    uint64_t origin;            /* begin of the trace */
    const struct time_index *index;     /* or NULL */
    bool by_window;             /* write the span's windows as they are, pcpu
                                   by pcpu: needs an index with a checkpoint
                                   before the span, and no filter */
    bool ends_exits;            /* find the ends of VM exits behind the span */
    void (*progress)(void *arg, uint64_t time); /* or NULL */
    void *progress_arg;
};

struct cut_counts
{
    uint64_t records;           /* in the trace; 0: it has none */
    uint64_t matched;           /* in the span, without metadata */
    uint64_t metadata_left_out; /* metadata records, too many to keep */
    bool is_inexact;            /* by window: damage is near the borders of the
                                   span, or near an early record */
};

/* 0, or -errno with *e. */
int cut_trace(const struct cut_options *o, struct cut_counts *counts,
              struct err *e);

#endif /* XENALYZE_CONVERT_CUT_H */
