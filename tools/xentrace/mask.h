/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user may write behind -e and -c.
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
    unsigned int names;     /* items that are single events */
};

/*
 * Add the items to *m.  Bits that are no part of an event's id are cleared:
 * one of them makes newer Xens let every timestamped event pass.  Xen knows
 * no masks of single events: the smallest one that has it has others as well.
 */
int mask_events(const char *text, struct mask_events *m, struct err *e);

/* How many events of the catalogue this mask lets pass. */
unsigned int mask_events_count(uint32_t mask);

/*
 * -EINVAL if this mask selects nothing at all: Xen wants one of the class
 * bits and one of the subclass bits of an event.  0 is fine: it means that
 * Xen's own mask is left as it is.
 */
int mask_events_check(uint32_t mask, struct err *e);

/*
 * Set the bits of (nr_cpus + 7) / 8 bytes, lowest first, and clear the rest.
 * A list must not name a pcpu that is not there; bits of a number that are
 * too many are ignored, as long as any are left.
 */
int mask_cpus(const char *text, unsigned int nr_cpus, unsigned char *bits,
              struct err *e);

#endif /* XENTRACE_MASK_H */
