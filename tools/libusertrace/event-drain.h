/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drain: from rings to the trace file.  A pass takes the events that all
 * rings hold at one moment, merges them by time and writes them.  Callers hold
 * the lock of simple-backend.c.
 */
#ifndef LIBUSERTRACE_EVENT_DRAIN_H
#define LIBUSERTRACE_EVENT_DRAIN_H

#include "libusertrace/simple-backend.h"
#include "libusertrace/thread-ring.h"
#include "libusertrace/trace-file.h"
#include "libusertrace/trace/usertrace.h"

struct ut_drain
{
    struct ut_ring *rings;      /* without trimmed rings */
    struct ut_ring *active;     /* this pass: rings with events */
    struct ut_arena *arena;     /* see ut_drain_set_arena() */
    struct ut_file file;        /* fd -1: no file */
    uint32_t pid;               /* written into events */
    uint64_t reported_without_ring; /* part of arena->head->lost in the
                                     * file */
    uint64_t committed_without_ring;    /* at the last commit */
    uint64_t pending, pending_lost; /* events in the buffer */
    unsigned int least_free;    /* free rings, at least, since the last
                                 * ut_drain_trim_rings() */
    struct usertrace_counts counts;
};

/* Write everything that was published before the call. 0 or -errno. */
int ut_drain_run_pass(struct ut_drain *d);

/* Show the events in the rings, in order of time.  The events stay there. */
void ut_drain_peek_records(struct ut_drain *d, ut_record_fn *show, void *arg);

/* The arena of new rings; NULL: none. */
void ut_drain_set_arena(struct ut_drain *d, struct ut_arena *a);

/*
 * Name the file that later commits belong to; `path` is for recovery.  Only
 * between passes.
 */
void ut_drain_set_file(struct ut_drain *d, const char *path);

/*
 * Empty rings that were released become free; keep UT_RINGS_READY free rings.
 */
int ut_drain_recycle_rings(struct ut_drain *d, struct err *e);

/*
 * Trim the rings that were free all the time since the last call, except for
 * `keep` of them.  Only directly after a pass without an error.
 */
void ut_drain_trim_rings(struct ut_drain *d, unsigned int keep);

/*
 * Close all rings, so that threads release them.  No thread may be using the
 * arena (ut_rings_are_unused()).  Stale
 * rings are not read again. ut_drain_is_idle() is true when no thread is
 * writing an event.
 */
void ut_drain_close_rings(struct ut_drain *d);
bool ut_drain_is_idle(const struct ut_drain *d);

/* Losses that the file does not contain yet. */
uint64_t ut_drain_count_unreported(const struct ut_drain *d);

/*
 * Make all rings stale.  Returns the number of events that did not reach a
 * file; they count as dropped.
 */
uint64_t ut_drain_abandon_rings(struct ut_drain *d);

/* In the child of a fork: free the drain; its rings belong to the parent. */
void ut_drain_free_in_child(struct ut_drain *d);

#endif /* LIBUSERTRACE_EVENT_DRAIN_H */
