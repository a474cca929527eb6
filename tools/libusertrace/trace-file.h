/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file as it grows: items are put together in memory, and written in
 * pieces that count as a whole or not at all.
 */
#ifndef LIBUSERTRACE_TRACE_FILE_H
#define LIBUSERTRACE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define UT_FILE_ROOM (256u << 10)

struct ut_file_state            /* what the items so far have said */
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
    bool is_plain;              /* none of what QEMU's files do not have */
    uint64_t inode;
    uint64_t bytes;             /* that count */
    struct ut_file_state now, committed;
    size_t used;                /* of buffer */
    char *buffer;
};

#define UT_FILE_INIT { .fd = -1 }

int ut_file_open(struct ut_file *f, const char *path, struct err *e);
void ut_file_close(struct ut_file *f);

/* Are there as many bytes left in the buffer? */
static inline bool ut_file_has_room(const struct ut_file *f, size_t bytes)
{
    return UT_FILE_ROOM - f->used >= bytes;
}

/* Room first.  A mapping with an id of ours has any text. */
void ut_file_put_bytes(struct ut_file *f, const void *bytes, size_t nr);
void ut_file_put_mapping(struct ut_file *f, uint64_t id, const char *text);

/* Announce the thread of the events that follow, and the moment, if due. */
#define UT_FILE_NOTE_MAX 96u
void ut_file_put_thread(struct ut_file *f, uint32_t tid);
void ut_file_put_clock(struct ut_file *f);

/*
 * Mappings of the events up to number `nr`; writes what does not fit into the
 * buffer.
 */
int ut_file_put_events(struct ut_file *f, uint32_t nr);

/* 0: what was put counts.  Else the file is as it was, as is the state. */
int ut_file_write(struct ut_file *f);

#endif /* LIBUSERTRACE_TRACE_FILE_H */
