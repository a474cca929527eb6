/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of the simple back end, for who writes and who reads them: the
 * trace file (version 4 of QEMU's), and the rings of a process that runs or
 * was killed.  Everything is in the byte order of the writer.
 *
 * THE TRACE FILE is a header and items, packed, without padding:
 *
 *     header   u64 ~0, u64 SIMPLE_MAGIC, u64 4
 *     mapping  u64 0, u64 id, u32 length, name (no NUL)
 *     event    u64 1, u64 id, u64 ns, u32 length, u32 pid, arguments;
 *              length counts from the id on; an argument is u64, or for a
 *              string u32 length and its bytes
 *     dropped  an event with id SIMPLE_DROPPED and one argument, how many
 *
 * WHAT WE ADD are mappings with ids that no event has.  QEMU's reader takes
 * them for names that are never used.  The text is UTF-8:
 *
 *     SIMPLE_DECLARE  "ID DECLARATION", as in a trace-events file; an event's
 *                     mapping comes first
 *     SIMPLE_CLOCK    "MONOTONIC REALTIME" in ns: one moment on the clock of
 *                     the events and on the wall's; at the beginning, and
 *                     now and then
 *     SIMPLE_PROCESS  "pid N host NAME boot UUID program NAME"; the program's
 *                     name is the rest of the text
 *     SIMPLE_THREAD   "TID": events from here on, to the next of these, are
 *                     this thread's
 *
 * A dropped event stands where the losses were: behind what its thread wrote
 * before them, with the time of the first.  Thread 0 stands for threads that
 * had no ring yet.
 *
 * Events are ordered by time as far as they were known when they were
 * written; those of one thread always are.
 *
 * THE RINGS are a file of their own, shared memory of the process; what was
 * traced up to a kill -9 is there.  FILE.rings, beside the trace file, is it
 * or a symbolic link to it, and goes when the trace file is closed.
 *
 *     0                        struct simple_rings, rings.header_bytes long
 *     header_bytes + n *       struct simple_ring, ring_header bytes long, then
 *       (ring_header+ring_bytes)  ring_bytes of data
 *
 * Positions in a ring only grow; a byte's place is its position modulo
 * ring_bytes.  [tail, head) are whole events, as in the file (type word and
 * all), except that a dropped event's argument is the ring's total so far.
 *
 * Written and taken out are one step: each pair below has two sides, and
 * rings.commit (even: side 0) says which one counts.  So to recover: cut the
 * trace file at committed[side].bytes, append what the rings have from
 * committed[side].tail to head, and where ring.lost is more than committed[side].told,
 * a dropped event of the difference.  The trace file is committed[side].path, if
 * it has that inode; else it was just being rotated, and is path.1.
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

struct simple_head              /* of an event, as it lies in file and ring */
{
    uint64_t type, id, time;
    uint32_t length, pid;
};

#define SIMPLE_EVENT_MIN sizeof(struct simple_head)
#define SIMPLE_MARKER_BYTES (SIMPLE_EVENT_MIN + 8)

#define SIMPLE_RINGS_MAGIC 0x73676e6972747375ull  /* "ustrings" */
#define SIMPLE_RINGS_VERSION 1u
#define SIMPLE_PATH_MAX 4096u

struct simple_rings
{
    uint64_t magic;
    uint32_t version, pid;
    uint32_t header_bytes, ring_header;
    uint64_t ring_bytes;        /* a power of two */
    uint32_t nr_rings;          /* atomic: only grows */
    uint32_t unused;
    uint64_t commit;            /* atomic */
    struct
    {
        uint64_t bytes;         /* of the trace file that count */
        uint64_t inode;         /* which file it is; 0: a pipe or the like */
        char path[SIMPLE_PATH_MAX];     /* absolute */
    } committed[2];
};

struct simple_ring
{
    /* The thread's. */
    struct usertrace_ring at;   /* reserved, limit, head; atomic */
    uint64_t lost;              /* events that found no room, in all */
    uint64_t lost_at;           /* time of the first since the last marker */
    uint64_t mask;              /* ring_bytes - 1 */
    uint32_t data;              /* from here to the bytes */
    uint32_t pid, tid;
    uint32_t unused;

    uint64_t marked;            /* of lost: what a marker says */
    uint32_t state;             /* enum simple_ring_state; atomic */
    uint32_t closed;            /* atomic: take another one */

    /* The writer's. */
    uint64_t tail __attribute__((aligned(64)));     /* atomic: free up to it */
    struct
    {
        uint64_t tail, reported_lost;
    } committed[2];
};

enum simple_ring_state
{
    SIMPLE_RING_FREE, SIMPLE_RING_HELD, SIMPLE_RING_RELEASED
};

#endif /* LIBUSERTRACE_SIMPLE_FORMAT_H */
