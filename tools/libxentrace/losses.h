/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Losses that only the collector knows.  A LOST_RECORDS record needs a later
 * record of the same pcpu to carry it; when a ring is full at the end of a
 * capture, no such record follows.  At the end of a capture, the collector
 * therefore writes the counts of Xen in meta_lost records, and a meta_end
 * record behind them.
 *
 *     add each meta_lost and meta_end record, in the order of the file;
 *     xt_losses_get_unreported(&l, cpu, noted)
 *
 * where `noted` is the sum of the pcpu's LOST_RECORDS records.  Older
 * collectors did not write how much of the losses such records report; then
 * `noted` is assumed.
 */
#ifndef LIBXENTRACE_LOSSES_H
#define LIBXENTRACE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/record.h"

/* The counts of a pcpu in a capture, as in meta_lost records. */
struct xt_loss_counts
{
    uint64_t ring, reported;
    uint64_t memory, output, taken;
    bool has_reported;
};

struct xt_pcpu_losses
{
    struct xt_loss_counts latest;   /* counts of the capture in progress */
    uint64_t unreported;            /* losses in captures that have ended,
                                       without a LOST_RECORDS record ... */
    uint64_t reported;              /* ... and with one */
    uint64_t assumed;               /* the sum of both, of older collectors */
};

/* All zero: nothing is known. */
struct xt_losses
{
    struct xt_pcpu_losses *cpus;
    unsigned int nr_cpus;
    uint64_t unwritten;     /* events that the collector could not write */
    uint64_t taken;         /* events that another reader of the rings has */
    uint64_t dropped;       /* events that left the collector's memory buffer
                               for newer events */
    bool has_ring_counts;   /* in the capture that is being read */
    bool counted;           /* a capture ended with the counts of Xen */
};

/* Add a record; other kinds of records have no effect.  0 or -ENOMEM. */
int xt_losses_add(struct xt_losses *l, const struct xt_record *r);

/*
 * Records that the pcpu lost in all captures, without those that are counted
 * by its LOST_RECORDS records, `noted` in all.
 */
uint64_t xt_losses_get_unreported(const struct xt_losses *l, unsigned int cpu,
                                  uint64_t noted);

void xt_losses_fini(struct xt_losses *l);

#endif /* LIBXENTRACE_LOSSES_H */
