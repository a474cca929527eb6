/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rings to the file.  A pass takes what all rings have at one moment,
 * orders it by time, and writes it.  One caller at a time (simple.c's lock).
 */
#ifndef LIBUSERTRACE_RING_DRAIN_H
#define LIBUSERTRACE_RING_DRAIN_H

#include "libusertrace/simple-backend.h"
#include "libusertrace/thread-ring.h"
#include "libusertrace/trace-file.h"
#include "libusertrace/trace/usertrace.h"

struct ut_drain
{
    struct ut_ring *rings;
    struct ut_arena *arena;     /* of new rings; NULL: none is accepted */
    struct ut_file file;        /* fd -1: none */
    uint32_t pid;               /* of events */
    uint64_t reported_without_ring; /* of ut_rings_count_lost() */
    uint64_t committed_without_ring; /* at the last commit */
    uint64_t pending, pending_lost; /* events in the buffer */
    struct usertrace_counts counts;
};

/* Everything that was published before the call is in the file: 0. */
int ut_drain_run_pass(struct ut_drain *d);

/*
 * What waits in the rings, in the order of time, and stays there.
 */
void ut_drain_peek_records(struct ut_drain *d, ut_record_fn *show, void *arg);

/*
 * The file is another one from here on; `path` is for who recovers.  No pass
 * is half done.
 */
void ut_drain_set_file(struct ut_drain *d, const char *path);

/* Rings for threads to come; rings whose threads went, for others. */
int ut_drain_recycle_rings(struct ut_drain *d, struct err *e);

/*
 * No thread finds a ring any more, and who has one will let go of it.  Rings
 * that are `stale` are not read again.  True: nobody is just writing.
 */
void ut_drain_close_rings(struct ut_drain *d);
bool ut_drain_is_idle(const struct ut_drain *d);

/* All rings are stale from here on: how many events that did not get into a
 * file.  They count as dropped. */
uint64_t ut_drain_abandon_rings(struct ut_drain *d);

/* In the child of a fork: all of it is the parent's. */
void ut_drain_free_in_child(struct ut_drain *d);

#endif /* LIBUSERTRACE_RING_DRAIN_H */
