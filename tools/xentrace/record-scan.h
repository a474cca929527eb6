/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans over records: their lengths, and which of them are events.  Processes
 * in dom0 can write anything into a ring: no function reads beyond its spans.
 */
#ifndef XENTRACE_RECORD_SCAN_H
#define XENTRACE_RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Counts of some records. */
struct scan_counts
{
    uint64_t events;    /* all records but padding, loss records, metadata */
    uint64_t lost;      /* records that loss records count */
};

/* Add the records of the spans. */
void scan_add(struct scan_counts *c, const struct iovec *spans, int nr_spans);

/* The events alone. */
uint64_t scan_count_events(const struct iovec *spans, int nr_spans);

/* The first and the last time stamp, in the order of the records. */
struct scan_times
{
    uint64_t first, last;
};

/* False: no record has a time stamp. */
bool scan_times(const struct iovec *spans, int nr_spans, struct scan_times *t);

/* The bytes of whole records at the start of `span`, up to `most` bytes. */
size_t scan_fit(const struct iovec *span, size_t max_bytes);

#endif /* XENTRACE_RECORD_SCAN_H */
