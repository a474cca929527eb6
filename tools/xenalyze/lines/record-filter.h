/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between a trace and what prints its records: lets through those that are
 * wanted.  A dump wants to see all of them, to know who is where, and asks the
 * filter itself: its sieve is for the span of time only.
 */
#ifndef XENALYZE_LINES_RECORD_FILTER_H
#define XENALYZE_LINES_RECORD_FILTER_H

#include "libxentrace/libxentrace.h"
#include "xenalyze/filter/filter.h"
#include "xenalyze/lines/who-runs.h"

/*
 * Somebody whose lines depend on the records before them.  What is before the
 * span of time comes here, unless it is long before; of a file from as early on
 * as it takes to know enough, if that is not too early.
 */
struct sieve_early
{
    int (*see)(void *arg, const struct xt_batch *b);    /* 0 or -ENOMEM */
    bool (*knows)(const void *arg);     /* enough?  NULL: soon */
    void (*forget)(void *arg);          /* it begins anew.  NULL: why? */
};

struct sieve
{
    /* By the caller, and borrowed. */
    struct xt_trace *trace;
    const struct xt_catalogue *catalogue;
    const struct filter *filter;        /* NULL: all */
    struct span span;
    struct xt_clock clock;
    int (*next)(void *arg, struct xt_batch *b, struct err *e);
    void *next_arg;
    const struct sieve_early *early;    /* NULL: nobody */
    void *early_arg;

    /* Time stamp that the segment begins with: known after a batch. */
    uint64_t start;

    bool begun, bounded, over;
    unsigned int segment;
    uint64_t from, to;
    struct xt_batch held;       /* fetched, and of the span */
    struct dump_state state;
    struct xt_item *items;
    size_t room;
};

/* After the caller's part was filled in.  0 or -ENOMEM. */
int sieve_init(struct sieve *s);
void sieve_fini(struct sieve *s);

/* As xt_trace_next_batch, of what is wanted; `sieve` is a struct sieve. */
int sieve_next(void *sieve, struct xt_batch *b, struct err *e);

#endif /* XENALYZE_LINES_RECORD_FILTER_H */
