/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of the windows of one capture, behind the rings: into memory (-M),
 * or through a spool and a thread into the file; with what is said of the
 * capture between them, unless it is to be plain.
 */
#ifndef XENTRACE_PIPELINE_H
#define XENTRACE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/metadata.h"
#include "xentrace/ring-drain.h"
#include "xentrace/memory-buffer.h"
#include "xentrace/write-thread.h"
#include "xentrace/writer.h"

struct pipeline
{
    struct writer *writer;      /* borrowed */
    struct metadata metadata;
    size_t preface_bytes; /* bytes of it that the file began with */
    unsigned int cpu;           /* whose windows what we say stands in */
    bool plain;
    bool to_memory;             /* then memory, else outlet */
    struct memory_buffer memory;
    struct write_thread write_thread;
    bool thread_is_running; /* the outlet's thread has the writer */
    struct window_sink sink;         /* either's door */
};

struct pipeline_plan
{
    uint64_t memory;            /* bytes; 0: not in memory */
    uint64_t buffer;            /* bytes that may wait for the disk */
    unsigned int cpu, nr_cpus;
    struct triggers *triggers;  /* with memory: see its windows; or NULL */
    struct metadata_start start;
};

/* The file begins; if it fails, it is as if nothing had been. */
int pipeline_open(struct pipeline *p, const struct pipeline_plan *plan,
                  struct writer *w, struct hv *hv, const struct hv_info *info,
                  struct err *e);
void pipeline_close(struct pipeline *p);

/* Put a window of these records, if there is room and they are wanted. */
void pipeline_put_records(struct pipeline *p, const struct xt_meta *m,
                          unsigned int nr);

/*
 * What has become known of the machine since, put likewise; in memory (-M) it
 * would be the first to go, and comes with each dump instead.
 */
void pipeline_poll_metadata(struct pipeline *p, struct hv *hv);

/* What was put may be written. */
void pipeline_publish(struct pipeline *p);

/* Bytes that wait for the disk. */
uint64_t pipeline_pending_bytes(const struct pipeline *p);

/* To poll; -1: nothing.  If it can be read: see to it; -errno: no more. */
int pipeline_fd(const struct pipeline *p);
int pipeline_ack(struct pipeline *p, struct err *e);

/*
 * -M: write what is there into a file of its own, PATH.nr.  Goes on as if
 * nothing had been.
 */
int pipeline_write_snapshot(struct pipeline *p, unsigned int nr, uint64_t since,
                            struct err *e);

/* All that was put is in the file, or *e says why not. */
int pipeline_end(struct pipeline *p, bool (*is_forced)(void), struct err *e);

/* After the end: what did not get into the file. */
void pipeline_count(const struct pipeline *p, uint64_t *records,
                    unsigned int nr);

/* After the end: the last records of the file. */
int pipeline_write_trailer(struct pipeline *p, const struct xt_meta *m,
                           unsigned int nr, struct err *e);

#endif /* XENTRACE_PIPELINE_H */
