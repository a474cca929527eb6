/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings: the memory for the events of one thread until the drain writes them
 * to the trace file.  Rings lie in a file of shared memory (an arena), which
 * outlives the process.
 *
 * A thread acquires a ring with its first event: a free ring, or else a ring
 * that the thread creates.  The thread releases the ring when the thread ends,
 * or with the next event after the ring was closed.  A released ring that is
 * nearly empty is free at once, so the number of rings follows the number of
 * threads that trace at the same time.
 *
 * The drain trims rings that stay free: it returns the memory of their data to
 * the system, and does not look at them again.  A thread that finds no free
 * ring allocates the memory of a trimmed ring again, and the drain meets the
 * ring as a new one.  Everything else is done by the drain, under the lock of
 * simple-backend.c.
 */
#ifndef LIBUSERTRACE_THREAD_RING_H
#define LIBUSERTRACE_THREAD_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "libusertrace/simple-format.h"

#define UT_RINGS_READY 4u       /* free rings that the drain keeps ready */
#define UT_RINGS_MAX 4096u      /* per arena */

struct ut_ring
{
    struct simple_ring *ring;   /* shared memory; data mapped twice behind */
    struct ut_arena *arena;
    uint32_t next_below;        /* in a stack of the arena; atomic */
    struct ut_ring *next_new;   /* in new_rings of the arena */

    /* The drain's view of the ring. */
    struct ut_ring *next, **link;   /* known rings; *link is this ring */
    struct ut_ring *next_active;    /* this pass: rings with events */
    uint64_t at, end;           /* this pass: position, and its end */
    uint64_t time;              /* of the event at this position */
    uint64_t reported_lost;     /* value of ring->lost in the file */
    uint64_t tid;               /* thread of the next event */
    uint64_t committed_at, committed_lost, committed_tid;   /* last commit */
    bool is_closed;             /* the ring's thread has to release it */
    bool stale;                 /* closed together with its trace file */
};

/*
 * A stack of rings: in the lower half the number of the first plus 1, in the
 * upper half a count of changes, which protects from ABA; atomic.
 */
struct ut_ring_stack
{
    uint64_t first;
};

struct ut_arena
{
    struct simple_rings *head;  /* shared memory */
    int fd;
    char *path;                 /* unlinked on close; NULL: no name */
    char *link;                 /* symbolic link, unlinked on close; or NULL */
    size_t page;
    struct ut_ring *rings;      /* UT_RINGS_MAX of them */
    uint32_t nr_numbers;        /* rings so far; atomic */
    int create_error;           /* stops creation until the drain has reported
                                 * the error; atomic */

    struct ut_ring_stack free_rings, trimmed_rings;
    struct ut_ring *new_rings;  /* rings that the drain does not know; atomic */
    unsigned int nr_known;      /* rings that the drain knows */
    bool is_closed;
};

/* ---- the thread's side (ring-write.c) --------------------------------- */

/*
 * The arena that threads acquire rings from.  NULL: none; an event does not
 * even count as lost.
 */
void ut_rings_set_arena(struct ut_arena *a);

/*
 * False: a thread may still use the arena that was set before.  Such a thread
 * is about to leave, unless it was stopped.
 */
bool ut_rings_are_unused(void);

/* A ring belongs to the function that popped it.  NULL: the stack is empty. */
void ut_ring_push(struct ut_ring_stack *stack, struct ut_ring *r);
struct ut_ring *ut_ring_pop(struct ut_arena *a, struct ut_ring_stack *stack);

/*
 * Sleep up to ns, or until a ring is a quarter full or ut_writer_wake() is
 * called.
 */
void ut_writer_wait(uint64_t ns);
void ut_writer_wake(void);

/*
 * Mode block: a thread waits until its full ring has room.  No thread waits
 * that is the drain (or holds the drain's lock), nor while writing fails.
 */
void ut_rings_set_blocking(bool on);
void ut_rings_set_draining(bool is_this_thread);
void ut_rings_set_failing(bool is_failing);

/* Rings have room: continue all threads that wait. */
void ut_rings_wake_threads(void);

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
 * Unlink the names and unmap the header.  Rings that the drain knows stay
 * mapped, and with them the arena.
 */
void ut_arena_close(struct ut_arena *a);
void ut_arena_unlink(struct ut_arena *a);

/*
 * The same in the child of a fork: leave the names to the parent.
 */
void ut_arena_unmap(struct ut_arena *a);

/*
 * Create a ring, which is not free, or allocate a trimmed ring again.  Any
 * thread may call this function, also in a signal handler.  0 or -errno;
 * -EUSERS: the arena has UT_RINGS_MAX rings.
 */
int ut_ring_create(struct ut_arena *a, struct ut_ring **ring);

/*
 * Return the memory of a ring's data to the system.  No thread has the ring,
 * and all of its events are committed.  0 or -errno.
 */
int ut_ring_trim(struct ut_ring *r);

/*
 * Unmap a ring that the drain knew until now.  The last one frees a closed
 * arena.
 */
void ut_ring_free(struct ut_ring *r);

#endif /* LIBUSERTRACE_THREAD_RING_H */
