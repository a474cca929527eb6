/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings: the memory for the events of one thread until the drain writes them
 * to the trace file.  Rings lie in a file of shared memory (an arena), which
 * outlives the process.
 *
 * A thread acquires a ring with its first event.  The thread releases the ring
 * when the thread ends, or with the next event after the ring was closed.
 * Everything else is done by the drain, under the lock of simple-backend.c.
 */
#ifndef LIBUSERTRACE_THREAD_RING_H
#define LIBUSERTRACE_THREAD_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "libusertrace/simple-format.h"

#define UT_RINGS_READY 8u       /* rings ready for new threads, without loss */
#define UT_RINGS_MAX 4096u      /* per arena */

struct ut_arena
{
    struct simple_rings *head;  /* shared memory */
    int fd;
    char *path;                 /* unlinked on close; NULL: no name */
    char *link;                 /* symbolic link, unlinked on close; or NULL */
    size_t page;
};

/* The drain's view of a ring. */
struct ut_ring
{
    struct simple_ring *ring;   /* shared memory; data mapped twice behind */
    struct ut_arena *arena;     /* NULL: ring closed, arena unmapped */
    struct ut_ring *next;
    uint64_t at, end;           /* this pass: position, and its end */
    uint64_t reported_lost;     /* value of ring->lost in the file */
    uint64_t committed_at, committed_lost;  /* at the last commit */
    bool in_pool;               /* ring was pushed into the pool */
    bool stale;                 /* closed together with its trace file */
};

/* ---- the thread's side (ring-write.c) --------------------------------- */

/*
 * Whether threads may acquire rings.  If not, an event does not even count as
 * lost.
 */
void ut_rings_set_accepting(bool accept);

/* Add a ring to the pool of ready rings.  True if the pool had a free slot. */
bool ut_ring_push_ready(struct simple_ring *ring);

/*
 * Remove a ring from the pool; NULL if the pool is empty.  No thread can
 * acquire a removed ring.
 */
struct simple_ring *ut_ring_pop_ready(void);

/* Free slots in the pool. */
unsigned int ut_rings_count_free_slots(void);

/* Events of threads that had no ring. */
uint64_t ut_rings_count_lost(void);

/*
 * Sleep up to ns, or until a ring is a quarter full or ut_writer_wake() is
 * called.
 */
void ut_writer_wait(uint64_t ns);
void ut_writer_wake(void);

/*
 * After a fork, in the child: the calling thread has no ring.  The first event
 * without a ring calls `restart`.
 */
void ut_rings_reset_in_child(void (*restart)(void));

/*
 * Create the key whose destructor releases the ring of a thread that ends.
 * Call once. 0 or -errno.
 */
int ut_rings_create_key(void);

/* ---- the drain's side (ring-memory.c) --------------------------------- */

/*
 * Create an arena in `folder` (NULL: a file without a name), for rings of
 * `bytes`.  `link` becomes a symbolic link to an arena in another folder.
 */
int ut_arena_open(struct ut_arena **arena, const char *folder,
                  const char *link, size_t bytes, struct err *e);

/*
 * Unlink the names and unmap the header.  Rings that threads hold stay mapped
 * until their release.
 */
void ut_arena_close(struct ut_arena *a);

/*
 * In the child of a fork: unmap the arena, but leave its names to the parent.
 */
void ut_arena_unmap(struct ut_arena *a);

int ut_ring_new(struct ut_arena *a, struct ut_ring **ring, struct err *e);
void ut_ring_free(struct ut_ring *r);

#endif /* LIBUSERTRACE_THREAD_RING_H */
