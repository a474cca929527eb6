/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of the simple back end, for writer and readers: the trace file
 * (version 4 of QEMU's format), and the rings of a running or killed process.
 * All integers have the byte order of the writer.
 *
 * THE TRACE FILE is a header and items, packed, without padding:
 *
 *     header   u64 ~0, u64 SIMPLE_MAGIC, u64 4
 *     mapping  u64 0, u64 id, u32 length, name (no NUL)
 *     event    u64 1, u64 id, u64 ns, u32 length, u32 pid, arguments;
 *              length counts from the id on; an argument is u64, or for a
 *              string u32 length and its bytes
 *     dropped  an event with id SIMPLE_DROPPED and one argument, the number
 *              of lost events
 *
 * EXTENSIONS are mappings with ids that no event has.  QEMU's reader takes
 * them for names of unused events.  The text is UTF-8:
 *
 *     SIMPLE_DECLARE  "ID DECLARATION", as in a trace-events file; the
 *                     mapping of the event comes first
 *     SIMPLE_CLOCK    "MONOTONIC REALTIME" in ns: one moment on the clock of
 *                     the events and on the wall clock; at the beginning,
 *                     and about once per second
 *     SIMPLE_PROCESS  "pid N host NAME boot UUID program NAME"; the name of
 *                     the program is the rest of the text
 *     SIMPLE_THREAD   "TID": the thread of the events that follow, up to the
 *                     next mapping with this id
 *
 *     SIMPLE_FILE     "PID NUMBER": the process has begun NUMBER files, this
 *                     one included; a reader that follows rotated files counts
 *                     the files that were deleted meanwhile
 *
 * A dropped event stands where the losses were: behind the earlier events of
 * its thread, with the time of the first loss.  Thread 0 stands for threads
 * that had no ring yet.
 *
 * Events are ordered by time within each pass of the drain; events of one
 * thread are always in order.
 *
 * THE RINGS are a separate file, shared memory of the process, which still
 * exists after a kill -9.  FILE.rings, beside the trace file, is the file or a
 * symbolic link to it, and is removed when the trace file is closed.
 *
 *     0                        struct simple_rings, rings.header_bytes long
 *     header_bytes + n *       struct simple_ring, ring_header bytes long, then
 *       (ring_header+ring_bytes)  ring_bytes of data
 *
 * Positions in a ring only grow; the offset of a byte is its position modulo
 * ring_bytes.  [tail, head) are complete events, as in the file (with the type
 * word), with two exceptions.  The argument of a dropped event is the ring's
 * total so far.  An event with id SIMPLE_THREAD is a marker: its argument is
 * the thread of the events that follow, as a ring passes from thread to thread.
 * A ring of zeros was never used.  The data of a trimmed ring, which no thread
 * has, is a hole in the file.
 *
 * Writing an event and freeing its ring space are one step: each pair below
 * has two sides, and rings.commit (even: side 0) names the valid side.  To
 * recover: cut the trace file at committed[side].bytes, append the events of
 * the rings from committed[side].tail to head, and where ring.lost exceeds
 * committed[side].reported_lost, append a dropped event with the difference.
 * The thread of the first event is committed[side].tid.  Do the same with
 * rings.lost, for thread 0.
 * The trace file is committed[side].path, if its inode matches; otherwise the
 * file was being rotated and is path.1.  Without a path, nothing was traced.
 */
#ifndef LIBUSERTRACE_SIMPLE_FORMAT_H
#define LIBUSERTRACE_SIMPLE_FORMAT_H

#include <stdint.h>

#include "libusertrace/trace/simple.h"

#define SIMPLE_MAGIC 0xf2b177cb0aa429b4ull
#define SIMPLE_VERSION 4u
#define SIMPLE_HEADER_ID UINT64_MAX
#define SIMPLE_DROPPED 0xfffffffffffffffeull

enum simple_type { SIMPLE_MAPPING, SIMPLE_EVENT };

#define SIMPLE_DECLARE 0xffffffffffff0001ull
#define SIMPLE_CLOCK   0xffffffffffff0002ull
#define SIMPLE_PROCESS 0xffffffffffff0003ull
#define SIMPLE_THREAD  0xffffffffffff0004ull
#define SIMPLE_FILE    0xffffffffffff0005ull

struct simple_head              /* of an event, in file and ring alike */
{
    uint64_t type, id, time;
    uint32_t length, pid;
};

#define SIMPLE_EVENT_MIN sizeof(struct simple_head)
#define SIMPLE_MARKER_BYTES (SIMPLE_EVENT_MIN + 8)

#define SIMPLE_RINGS_MAGIC 0x73676e6972747375ull  /* "ustrings" */
#define SIMPLE_RINGS_VERSION 2u
#define SIMPLE_PATH_MAX 4096u

struct simple_rings
{
    uint64_t magic;
    uint32_t version, pid;
    uint32_t header_bytes, ring_header;
    uint64_t ring_bytes;        /* a power of two */
    uint32_t nr_rings;          /* atomic: only grows */
    uint32_t unused;
    uint64_t lost;              /* atomic: events of threads without a ring */
    uint64_t commit;            /* atomic */
    struct
    {
        uint64_t bytes;         /* length of the trace file */
        uint64_t inode;         /* identity of the file; 0: a pipe, say */
        uint64_t reported_lost;
        char path[SIMPLE_PATH_MAX];     /* absolute */
    } committed[2];
};

struct simple_ring
{
    /* Written by the thread. */
    struct usertrace_ring at;   /* reserved, limit, head; atomic */
    uint64_t lost;              /* total of events without room */
    uint64_t lost_at;           /* time of the first since the last marker */
    uint64_t mask;              /* ring_bytes - 1 */
    uint32_t data;              /* offset of the bytes from this struct */
    uint32_t pid;
    uint32_t number;            /* of this ring */
    uint32_t unused;

    uint64_t marked;            /* value of lost in the last marker */
    uint32_t state;             /* enum simple_ring_state; atomic */
    uint32_t closed;            /* atomic: release this ring */

    /* Written by the drain. */
    uint64_t tail __attribute__((aligned(64)));     /* atomic: free below */
    struct
    {
        uint64_t tail, reported_lost, tid;
    } committed[2];
};

enum simple_ring_state
{
    SIMPLE_RING_FREE, SIMPLE_RING_HELD, SIMPLE_RING_RELEASED,
    SIMPLE_RING_TRIMMED         /* free, without memory for data */
};

#endif /* LIBUSERTRACE_SIMPLE_FORMAT_H */
