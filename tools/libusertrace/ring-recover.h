/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rings of another process, which may have been killed: reads the events
 * that are not in the trace file yet (simple-format.h).  The next start of a
 * program uses this code, and simpletrace.
 */
#ifndef LIBUSERTRACE_RING_RECOVER_H
#define LIBUSERTRACE_RING_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libusertrace/simple-format.h"

struct ut_rings_part;

struct ut_rings
{
    const char *name;           /* borrowed: as given to ut_rings_open() */
    int fd;
    uint64_t size;
    struct simple_rings head;
    unsigned int side;          /* the valid side of `head` */
    struct ut_rings_part *parts;    /* rings that are not empty */
    size_t nr_parts;

    /* Results. */
    uint64_t events, lost;      /* in the rings, not in the trace file */
    uint64_t unread;            /* bytes of rings that are no events */
};

/* Returns 0 or -errno. */
typedef int ut_rings_put_fn(void *arg, const void *bytes, size_t nr);

/*
 * `flags`: O_RDONLY; or O_RDWR, to claim the rings.  -ENODATA: the file has no
 * valid header, as if the process was killed while it created the file.
 */
int ut_rings_open(struct ut_rings *r, const char *name, int flags,
                  struct err *e);
void ut_rings_close(struct ut_rings *r);

/*
 * The process that writes to the rings, or another that is recovering the
 * rings; 0: none.
 */
int32_t ut_rings_find_owner(const struct ut_rings *r);

/*
 * Become the only process that recovers these rings, until ut_rings_close().
 * -EBUSY: they have an owner; -ENOENT: they were removed meanwhile.
 */
int ut_rings_claim(struct ut_rings *r);

/*
 * Read the rings, and emit their events in order of time, as items of the trace
 * file.  `put` may be NULL, to count the events.
 */
int ut_rings_merge(struct ut_rings *r, ut_rings_put_fn *put, void *arg,
                   struct err *e);

/* As recorded in the rings; "" if nothing was traced. */
const char *ut_rings_trace_path(const struct ut_rings *r);
uint64_t ut_rings_trace_bytes(const struct ut_rings *r);

/* False: nothing was traced, or the trace was no file but a pipe, say. */
bool ut_rings_has_file(const struct ut_rings *r);

/*
 * Open the trace file, also if rotation has renamed the file.  -ENOENT: the
 * file does not exist, or is another file.
 */
int ut_rings_open_trace(const struct ut_rings *r, int flags);

/*
 * Append the events to the trace file itself.  Nothing has changed after a
 * failure, nor after a kill: then the next call starts again.
 */
int ut_rings_complete_trace(struct ut_rings *r, struct err *e);

/* Remove the file of rings, and the symbolic link to it. */
int ut_rings_remove(const struct ut_rings *r);

#endif /* LIBUSERTRACE_RING_RECOVER_H */
