/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that writes the file.  Rings are small and disks stall, so windows
 * are copied from the rings into a queue in memory, and the queue waits for the
 * disk.
 *
 *     rings -- ring-drain.c --> window-fifo -- this thread --> writer
 *
 * The collecting thread puts windows into the queue and publishes them once per
 * pass; this thread takes windows from the queue, writes them, and reports
 * which windows are safe in the file.
 */
#ifndef XENTRACE_WRITE_THREAD_H
#define XENTRACE_WRITE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/record-scan.h"
#include "xentrace/ring-drain.h"
#include "xentrace/window-fifo.h"
#include "xentrace/writer.h"

struct write_thread_plan
{
    uint64_t bytes;             /* size of the queue */
    void (*safe)(void *arg);    /* called by the thread: windows became safe */
    void *arg;
};

struct write_thread
{
    struct writer *writer;      /* borrowed; used by the thread from the first
                                   windows until its end */
    struct write_thread_plan plan;
    struct window_fifo fifo;    /* fifo.tail is protected by the lock */
    uint64_t released_windows;  /* writer->nr_safe at the last release */
    pthread_t thread;
    pthread_mutex_t lock;       /* protects all members below */
    pthread_cond_t published_cond;
    uint64_t published;         /* end of the windows that may be written */
    bool ending, ended;
    bool collector_waits;       /* for room in the queue */
    struct err err;             /* reason of an early end */
    int event_fd;               /* eventfd; readable: there is room, after a
                                   put without room, or the thread has ended */
    uint64_t peak;              /* maximum of pending bytes */
};

/*
 * Start the thread; the plan is copied.  Until write_thread_publish() the
 * thread does not use the writer.
 */
int write_thread_open(struct write_thread *t, struct writer *w,
                      const struct write_thread_plan *plan, struct err *e);
void write_thread_close(struct write_thread *t);

/* The sink of ring-drain.h. */
struct window_sink write_thread_sink(struct write_thread *t);

/* Allow the thread to write all windows in the queue. */
void write_thread_publish(struct write_thread *t);

/* Bytes of the queue that are not in the file yet. */
uint64_t write_thread_pending_bytes(const struct write_thread *t);

/* Clear event_fd.  Returns -errno, and the reason, if the writer has failed. */
int write_thread_ack(struct write_thread *t, struct err *e);

/*
 * Wait until all published windows are in the file, then end the thread; the
 * caller owns the writer again.  Returns -errno like write_thread_ack().
 */
int write_thread_end(struct write_thread *t, bool (*is_forced)(void),
                     struct err *e);

/* After the end: add the records that did not reach the file to counts[cpu]. */
void write_thread_count(const struct write_thread *t,
                        struct scan_counts *counts, unsigned int nr_cpus);

#endif /* XENTRACE_WRITE_THREAD_H */
