/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass over all rings: new records of each ring are copied to a sink, as one
 * window or as several.  A ring that cannot be mapped or that contains invalid
 * data is given up with a warning; the other rings are still read.
 *
 * Ring space is released to Xen as late as possible.  Records that were copied,
 * but are not in the file, would be lost if this process were killed; so the
 * space is released when the sink reports the window as safe, or when the ring
 * becomes half full.
 *
 * drain_release() may be called by another thread than the other functions.
 */
#ifndef XENTRACE_RING_DRAIN_H
#define XENTRACE_RING_DRAIN_H

#include "common/err.h"
#include "common/log.h"
#include "xentrace/host-rings.h"

/* The destination of windows. */
struct window_sink
{
    /*
     * Copy a window.  Returns its position, which increases from window to
     * window; 0: no room now.
     */
    uint64_t (*put)(void *arg, unsigned int cpu, const struct iovec *spans,
                    int nr_spans);

    /* Windows up to this position are as safe as they will be. */
    uint64_t (*safe)(void *arg);

    uint64_t window_max;        /* bytes of records in one window */
    void *arg;
};

/* Map new rings. */
void drain_map(struct rings *r, const struct log *log);

/*
 * Drain all rings.  False: the sink has no room.  `last`: copy everything now,
 * because there is no later pass.
 */
bool drain_all(struct rings *r, const struct window_sink *s, bool last,
               const struct log *log);

/* Release the space of windows that have become safe. */
void drain_release(struct rings *r, const struct window_sink *s);

/* Drop the records in all rings.  Adds the losses they report to lost[cpu]. */
void drain_discard(struct rings *r, uint64_t *lost, const struct log *log);

/* Add the events in each ring that were not copied to records[cpu]. */
void drain_count(struct rings *r, uint64_t *records);

#endif /* XENTRACE_RING_DRAIN_H */
