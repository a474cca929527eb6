/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What there is in a trace: one walk over every record, pcpu by pcpu as the
 * windows come.  It needs no order in time and no knowledge of events, so it
 * is what the totals of every report are checked against.
 */
#ifndef LIBXENTRACE_COUNTS_H
#define LIBXENTRACE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/damage.h"
#include "libxentrace/event-counts.h"
#include "libxentrace/window.h"

/* First and last in the order of the records, which is that of time. */
struct xt_span
{
    bool known;
    uint64_t first, last;
};

struct xt_count
{
    uint64_t records;   /* of all kinds, but not window headers */
    uint64_t windows;
    uint64_t bytes;     /* of records */
    uint64_t losses;    /* LOST_RECORDS records ... */
    uint64_t lost;      /* ... and the records that these own up to */
    uint64_t wraps;     /* records that only fill the end of a ring */
    uint64_t metas;     /* what the collector says of the machine */
    struct xt_span tsc;
};

struct xt_counts
{
    uint64_t size;              /* of the input, bytes */
    struct xt_count total;      /* its span is from least to greatest */
    struct xt_count *cpus;      /* no windows: it is not in the trace */
    size_t nr_cpus;
    struct xt_event_counts events;     /* sorted */
    struct xt_damage damage;
};

/* Events proper: what was traced, without what ring and collector add. */
static inline uint64_t xt_count_events(const struct xt_count *c)
{
    return c->records - c->losses - c->wraps - c->metas;
}

/*
 * Window by window: begin, count each, end.  What is wrong with a window's
 * records is noted in *damage, and that, at the end of an input of `size`
 * bytes, is taken over.  0 or -ENOMEM; *c is to be finished either way.
 */
int xt_counts_init(struct xt_counts *c);
int xt_counts_add_window(struct xt_counts *c, const struct xt_window *w,
                         struct xt_damage *damage);
void xt_counts_finish(struct xt_counts *c, uint64_t size,
                      const struct xt_damage *damage);
void xt_counts_fini(struct xt_counts *c);

#endif /* LIBXENTRACE_COUNTS_H */
