/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Totals of a trace: one pass over every record, in the order of the windows.
 * Totals need neither the order in time nor the meaning of events, so they
 * check the totals of all reports.
 */
#ifndef LIBXENTRACE_COUNTS_H
#define LIBXENTRACE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/damage.h"
#include "libxentrace/event-counts.h"
#include "libxentrace/losses.h"
#include "libxentrace/time-step.h"
#include "libxentrace/window.h"

/*
 * First and last time stamp in the order of the records.  After
 * xt_counts_finish(), time stamps without evidence (time-step.h) do not count,
 * and the last one is the latest.
 */
struct xt_span
{
    bool known;
    uint64_t first, last;
};

struct xt_count
{
    uint64_t records;   /* all kinds, without window headers */
    uint64_t windows;
    uint64_t bytes;     /* size of the records */
    uint64_t losses;    /* LOST_RECORDS records ... */
    uint64_t lost;      /* ... and the lost records: those that they count,
                           and after xt_counts_finish() those that only the
                           collector counted */
    uint64_t wraps;     /* filler records at the end of a ring */
    uint64_t metas;     /* metadata of the collector */
    struct xt_span tsc;
    struct xt_latest latest;
    uint64_t far_at;    /* offset of the record of the latest far step */
};

struct xt_counts
{
    uint64_t size;              /* bytes of input */
    struct xt_count total;      /* its span is from the least to the greatest */
    struct xt_count *cpus;      /* no windows: the pcpu is not in the trace */
    size_t nr_cpus;
    struct xt_event_counts events;     /* sorted */
    struct xt_losses losses;
    struct xt_damage damage;
};

/* Traced events, without the records of the ring and of the collector. */
static inline uint64_t xt_count_events(const struct xt_count *c)
{
    return c->records - c->losses - c->wraps - c->metas;
}

/*
 * Count window by window: init, add each window, finish.  Damage in the records
 * of a window is added to *damage, which finish copies, with the size of the
 * input in bytes.  0 or -ENOMEM; call xt_counts_fini() either way.
 */
int xt_counts_init(struct xt_counts *c);
int xt_counts_add_window(struct xt_counts *c, const struct xt_window *w,
                         struct xt_damage *damage);
int xt_counts_finish(struct xt_counts *c, uint64_t size,
                     const struct xt_damage *damage);
void xt_counts_fini(struct xt_counts *c);

#endif /* LIBXENTRACE_COUNTS_H */
