/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the rings and the file: a thread that writes.  Rings are small and
 * disks stall; so windows are copied out of the rings into a spool, and it is
 * the spool that waits for the disk.
 *
 *     rings -- drain.c --> spool -- thread --> writer
 *
 * The collecting thread puts windows and publishes them once a pass; the other
 * one takes them, writes them, and says how far the file is.
 */
#ifndef XENTRACE_WRITE_THREAD_H
#define XENTRACE_WRITE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/ring-drain.h"
#include "xentrace/window-fifo.h"
#include "xentrace/writer.h"

struct write_thread
{
    struct writer *writer;      /* borrowed; the thread's until the end */
    struct window_fifo fifo;         /* its tail: under the lock */
    uint64_t released_windows; /* the writer's `safe` when that was set */
    pthread_t thread;
    pthread_mutex_t lock;       /* of all below */
    pthread_cond_t published_cond;
    uint64_t published;         /* windows before it may be written */
    bool ending, ended;
    struct err err;             /* why it ended early */
    int event_fd;                  /* to poll: more is safe, or the end came */
    uint64_t peak;              /* bytes that waited at most */
};

/* Start to write, with so much room for what waits. */
int write_thread_open(struct write_thread *t, struct writer *w, uint64_t bytes,
                      struct err *e);
void write_thread_close(struct write_thread *t);

/* The door for drain.h. */
struct window_sink write_thread_sink(struct write_thread *t);

/* What was put since the last time may be written. */
void write_thread_publish(struct write_thread *t);

/* Bytes that are not in the file yet. */
uint64_t write_thread_pending_bytes(const struct write_thread *t);

/* The event was readable.  -errno: the writer gave up, and why. */
int write_thread_ack(struct write_thread *t, struct err *e);

/*
 * Wait until all that was published is in the file, and end the thread; then
 * the writer is the caller's again.  -errno as above.
 */
int write_thread_end(struct write_thread *t, bool (*is_forced)(void),
                     struct err *e);

/* After the end: records[cpu] += the events that did not get into the file. */
void write_thread_count(const struct write_thread *t, uint64_t *records,
                        unsigned int nr_cpus);

#endif /* XENTRACE_WRITE_THREAD_H */
