/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings: memory of one thread's events on their way to the file, in a file of
 * shared memory (an arena) that outlives the process.
 *
 * Who does what: a thread claims a ring with its first event, and lets it go
 * when it ends, or when it sees that the ring was closed.  All else is the
 * drain's, under its lock (simple.c).
 */
#ifndef LIBUSERTRACE_THREAD_RING_H
#define LIBUSERTRACE_THREAD_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "libusertrace/simple-format.h"

#define UT_RINGS_READY 8u       /* threads can begin at once with no loss */
#define UT_RINGS_MAX 4096u      /* of an arena */

struct ut_arena
{
    struct simple_rings *head;  /* shared */
    int fd;
    char *path;                 /* to unlink; NULL: it has no name */
    char *link;                 /* likewise */
    size_t page;
};

/* The drain's view of a ring. */
struct ut_ring
{
    struct simple_ring *ring;   /* shared; data twice behind it */
    struct ut_arena *arena;     /* NULL: closed, and its arena is gone */
    struct ut_ring *next;
    uint64_t at, end;           /* of this pass: position, and where to stop */
    uint64_t reported_lost;              /* of ring->lost */
    uint64_t committed_at, committed_lost;    /* at the last commit */
    bool in_pool;               /* it went into the pool */
    bool stale;                 /* closed with a file that is done */
};

/* ---- the thread's side (ring-write.c) --------------------------------- */

/* May threads claim rings?  If not, an event is nothing that could be lost. */
void ut_rings_set_accepting(bool accept);

/* The pool that threads claim from: true if there was a place. */
bool ut_ring_push_ready(struct simple_ring *ring);

/* Nobody can claim any more of these: all that were not claimed. */
struct simple_ring *ut_ring_pop_ready(void);

/* Places in the pool. */
unsigned int ut_rings_count_free_slots(void);

/* Events of threads that found no ring. */
uint64_t ut_rings_count_lost(void);

/* Wait up to ns for a ring to be a quarter full, or for ut_writer_wake(). */
void ut_writer_wait(uint64_t ns);
void ut_writer_wake(void);

/* After a fork, in the child: this thread has no ring.  `restart` is called
 * by the first event that finds none. */
void ut_rings_reset_in_child(void (*restart)(void));

/* The key with which a thread's end is seen; once.  0 or -errno. */
int ut_rings_create_key(void);

/* ---- the drain's side (ring.c) ---------------------------------------- */

/*
 * An arena in `folder` (NULL: without a name), for rings of `bytes`.  `link`
 * will point to it, if it lies elsewhere.
 */
int ut_arena_open(struct ut_arena **arena, const char *folder,
                  const char *link, size_t bytes, struct err *e);

/* The names go; rings that threads hold stay, until they let go. */
void ut_arena_close(struct ut_arena *a);

/* In the child of a fork: the names stay, they are the parent's. */
void ut_arena_unmap(struct ut_arena *a);

int ut_ring_new(struct ut_arena *a, struct ut_ring **ring, struct err *e);
void ut_ring_free(struct ut_ring *r);

#endif /* LIBUSERTRACE_THREAD_RING_H */
