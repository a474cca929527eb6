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
#ifndef XENTRACE_OUTLET_H
#define XENTRACE_OUTLET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/drain.h"
#include "xentrace/spool.h"
#include "xentrace/writer.h"

struct outlet
{
    struct writer *writer;      /* borrowed; the thread's until the end */
    struct spool spool;         /* its tail: under the lock */
    uint64_t counted;           /* the writer's `safe` when that was set */
    pthread_t thread;
    pthread_mutex_t lock;       /* of all below */
    pthread_cond_t more;
    uint64_t published;         /* windows before it may be written */
    bool ending, ended;
    struct err err;             /* why it ended early */
    int event;                  /* to poll: more is safe, or the end came */
    uint64_t peak;              /* bytes that waited at most */
};

/* Start to write, with so much room for what waits. */
int outlet_open(struct outlet *o, struct writer *w, uint64_t bytes,
                struct err *e);
void outlet_close(struct outlet *o);

/* The door for drain.h. */
struct store outlet_store(struct outlet *o);

/* What was put since the last time may be written. */
void outlet_publish(struct outlet *o);

/* Bytes that are not in the file yet. */
uint64_t outlet_waiting(const struct outlet *o);

/* The event was readable.  -errno: the writer gave up, and why. */
int outlet_ack(struct outlet *o, struct err *e);

/*
 * Wait until all that was published is in the file, and end the thread; then
 * the writer is the caller's again.  -errno as above.
 */
int outlet_end(struct outlet *o, bool (*insisted)(void), struct err *e);

/* After the end: records[cpu] += the events that did not get into the file. */
void outlet_count(const struct outlet *o, uint64_t *records,
                  unsigned int nr_cpus);

#endif /* XENTRACE_OUTLET_H */
