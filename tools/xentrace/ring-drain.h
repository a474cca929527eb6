/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass over all rings: whatever is new in each goes into a store, as one
 * window or as several.  A ring that cannot be mapped or that tells lies is
 * given up, with a line to the user, and the others go on.
 *
 * A ring is freed as late as can be.  What was taken from it is in this
 * process only, and dies with it, until it is in the file; so Xen gets the
 * space back when the store says that the window is safe, or when the ring
 * becomes half full, whatever is first.
 */
#ifndef XENTRACE_RING_DRAIN_H
#define XENTRACE_RING_DRAIN_H

#include "common/err.h"
#include "common/log.h"
#include "xentrace/host-rings.h"

/* Where windows go. */
struct window_sink
{
    /*
     * Take a copy of a window of a pcpu: its place, which grows from one to
     * the next; 0: there is no room now.
     */
    uint64_t (*put)(void *arg, unsigned int cpu, const struct iovec *spans,
                    int nr_spans);

    /* All up to this place are as safe as they will be. */
    uint64_t (*safe)(void *arg);

    uint64_t window_max;        /* bytes of records that one may have */
    void *arg;
};

/* Map the rings that are new. */
void drain_map(struct rings *r, const struct log *log);

/*
 * One pass.  True: all that was there has been taken; false: the store has no
 * room.  `last`: there will be no other soon, so take all at once.
 */
bool drain_all(struct rings *r, const struct window_sink *s, bool last,
               const struct log *log);

/* Give Xen back what is safe now. */
void drain_release(struct rings *r, const struct window_sink *s);

/* One pass that forgets what is there. */
void drain_discard(struct rings *r, const struct log *log);

/* records[cpu] += the events that are in each ring and were not taken. */
void drain_count(struct rings *r, uint64_t *records);

#endif /* XENTRACE_RING_DRAIN_H */
