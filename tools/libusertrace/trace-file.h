/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file that is being written.  Items are collected in a buffer and
 * written in pieces; a piece counts as a whole or not at all.
 */
#ifndef LIBUSERTRACE_TRACE_FILE_H
#define LIBUSERTRACE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define UT_FILE_ROOM (256u << 10)

struct ut_file_state            /* what the items so far have announced */
{
    uint32_t mapped;            /* events that have mappings */
    uint32_t tid;               /* of the last event; UINT32_MAX: none */
    uint64_t clock_due;         /* monotonic ns */
};

struct ut_file
{
    int fd;                     /* -1: not open */
    char *path;                 /* as given */
    bool seekable;
    bool is_plain;              /* only items that QEMU's files have, too */
    uint64_t inode;
    uint64_t bytes;             /* committed */
    struct ut_file_state now, committed;
    size_t used;                /* bytes of buffer */
    char *buffer;
};

#define UT_FILE_INIT { .fd = -1 }

/* `number`: how many files this process has begun, this one included. */
int ut_file_open(struct ut_file *f, const char *path, uint64_t number,
                 struct err *e);
void ut_file_close(struct ut_file *f);

/* Has the buffer room for so many more bytes? */
static inline bool ut_file_has_room(const struct ut_file *f, size_t bytes)
{
    return UT_FILE_ROOM - f->used >= bytes;
}

/*
 * The caller has checked for room.  Text of a mapping with an extension id
 * (simple-format.h) may be any UTF-8.
 */
void ut_file_put_bytes(struct ut_file *f, const void *bytes, size_t nr);
void ut_file_put_mapping(struct ut_file *f, uint64_t id, const char *text);

/*
 * Announce the thread of the events that follow; announce the clock, if due.
 */
#define UT_FILE_NOTE_MAX 96u
void ut_file_put_thread(struct ut_file *f, uint32_t tid);
void ut_file_put_clock(struct ut_file *f);

/*
 * Put the mappings of all events up to number `nr`.  Writes the buffer when it
 * is full.
 */
int ut_file_put_events(struct ut_file *f, uint32_t nr);

/*
 * 0: everything in the buffer is committed.  Otherwise the file and the state
 * are as after the last commit.
 */
int ut_file_write(struct ut_file *f);

#endif /* LIBUSERTRACE_TRACE_FILE_H */
