/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter between a trace and an output that prints records: passes on the
 * records in the span of time that match the user's filter.
 *
 * The dump tracks the current vcpus itself and needs all records for that; so
 * it applies the user's filter itself, and its record filter has a span only.
 */
#ifndef XENALYZE_LINES_RECORD_FILTER_H
#define XENALYZE_LINES_RECORD_FILTER_H

#include "libxentrace/libxentrace.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/lines/who-runs.h"

/*
 * Callbacks of an output whose lines depend on earlier records.  Records before
 * the span of time are fed to the output as a warm-up.  In a mapped file the
 * warm-up begins some megabytes before the span, and again further back as long
 * as the output is not ready; in a stream, at the beginning.
 */
struct warmup
{
    int (*feed)(void *arg, const struct xt_batch *b);   /* 0 or -ENOMEM */
    bool (*is_ready)(const void *arg);  /* NULL: always ready */
    void (*reset)(void *arg);           /* drop all batches fed; or NULL */
};

struct record_filter
{
    /* Set by the caller, and borrowed. */
    struct xt_trace *trace;
    const struct xt_catalogue *catalogue;
    const struct filter *filter;        /* NULL: all records */
    struct span span;
    struct xt_clock clock;
    /* The source of batches; NULL: the trace, by time. */
    int (*next)(void *arg, struct xt_batch *b, struct err *e);
    void *next_arg;
    const struct warmup *warmup;        /* NULL: none */
    void *warmup_arg;

    /* First time stamp of the segment: valid after a batch. */
    uint64_t start;

    bool begun, bounded, over;
    bool has_records;           /* the input has any, selected or not */
    unsigned int segment;
    uint64_t from, to;          /* the span in time stamps */
    struct xt_batch pending;    /* first of the span, read by the warm-up */
    struct who_runs runs;
    struct xt_item *items;      /* of the last batch that was returned */
    size_t room;
};

/* Call after setting the caller's members.  0 or -ENOMEM. */
int record_filter_init(struct record_filter *s);
void record_filter_fini(struct record_filter *s);

/* As xt_trace_next_batch(); `record_filter` is a struct record_filter. */
int record_filter_next(void *record_filter, struct xt_batch *b,
                       struct err *e);

#endif /* XENALYZE_LINES_RECORD_FILTER_H */
