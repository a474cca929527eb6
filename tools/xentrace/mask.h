/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arguments of -e and -c.
 *
 *   events:  item[,item...]    item: a class ("hvm"), a subclass
 *                              ("hvm:handler"), "all", an event
 *                              ("sched_wake", "TRC_SCHED_WAKE"), a number
 *   pcpus:   "all" | 0xBITS | range[,range...]
 *                              range: a | a-b | a- (to the last) | -b
 */
#ifndef XENTRACE_MASK_H
#define XENTRACE_MASK_H

#include <stdint.h>

#include "common/err.h"

struct mask_events
{
    uint32_t mask;
    unsigned int names;     /* number of items that are events */
};

/*
 * Add the items to *m.  Bits that are not part of an event id are cleared: with
 * one of them newer Xens would trace every event with a time stamp.  Xen has no
 * masks for single events: the smallest possible mask selects further events.
 */
int mask_events(const char *text, struct mask_events *m, struct err *e);

/* The number of events in the catalogue that this mask selects. */
unsigned int mask_events_count(uint32_t mask);

/*
 * -EINVAL if the mask selects no event at all: Xen needs a class bit and a
 * subclass bit.  0 is valid: Xen's own mask is kept.
 */
int mask_events_check(uint32_t mask, struct err *e);

/*
 * Set the bits of selected pcpus in (nr_cpus + 7) / 8 bytes, lowest bit first,
 * and clear the others.  A list must not contain a missing pcpu; surplus bits
 * of a hexadecimal number are ignored unless no bit would be left.
 */
int mask_cpus(const char *text, unsigned int nr_cpus, unsigned char *bits,
              struct err *e);

#endif /* XENTRACE_MASK_H */
