/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records as the collector sees them: lengths, and which are events.  What
 * stands in a ring can be nonsense, since others in dom0 can write to it:
 * nothing here reads beyond its span.
 */
#ifndef XENTRACE_RECORD_SCAN_H
#define XENTRACE_RECORD_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * How many events are in these spans: all records but fillers, notes of
 * losses and what we write about the machine.
 */
uint64_t scan_count_events(const struct iovec *spans, int nr_spans);

/* The time stamp of the last record that has one; else UINT64_MAX. */
uint64_t scan_last_tsc(const struct iovec *spans, int nr_spans);

/* Bytes of the whole records at the start of `span` that fit into `most`. */
size_t scan_fit(const struct iovec *span, size_t most);

#endif /* XENTRACE_RECORD_SCAN_H */
