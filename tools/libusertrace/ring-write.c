/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread's side of a ring: the code that runs inside trace points.
 *
 * RESERVING room is a compare-and-exchange of `reserved`.  Only this thread
 * writes `reserved`, in its own code or in a signal handler that interrupts
 * the code: so the exchange has to be atomic on one CPU only, without a locked
 * bus.  The time is read inside the loop: a handler that reserves in between
 * makes the interrupted writer read the time again.  So events in a ring are
 * ordered by time.
 *
 * PUBLISHING is done by the outermost writer, whose event began where the ring
 * was complete (reserved == head).  The writer then checks again for events of
 * handlers that came meanwhile.  An event of a handler becomes visible at the
 * latest together with the interrupted event (usertrace_simple_end() in
 * trace/simple.h).
 *
 * LIMIT is the only comparison of the fast path.  The drain is woken when a
 * quarter of the ring is used, and again a quarter later.  The limit is the
 * next of these positions, or the end of the known free space, or 0 if the slow
 * path has work to do (a loss without a marker, a closed ring).
 *
 * LOSSES are counted in `lost`.  The next event that finds room is preceded by
 * a marker with the total of losses.  Losses of a thread without a ring are
 * counted in the arena.
 *
 * In mode BLOCK, the slow path waits for the next commit of the drain instead.
 * A waiter reads the number of commits, finds the ring full, and then sleeps if
 * the number is still the same: so no wake-up is missed.
 *
 * ACQUIRING a ring, and releasing one, use the arena, which another thread may
 * close at any moment.  So `nr_users` counts the threads that may use the arena
 * which they found in current_arena: the closing thread sets current_arena to
 * NULL, and then waits until nr_users was 0.
 */
#include "libusertrace/thread-ring.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libusertrace/trace/simple.h"

#define HIDDEN_TLS                                                          \
    static _Thread_local __attribute__((tls_model("initial-exec")))

HIDDEN_TLS struct simple_ring *thread_ring;
HIDDEN_TLS bool ring_is_changing;   /* handlers: leave thread_ring alone */
HIDDEN_TLS unsigned int nr_entering;    /* calls before their reservation */
HIDDEN_TLS bool is_draining;    /* this thread must not wait for the drain */

static struct ut_arena *_Atomic current_arena;
static _Atomic int nr_users;
static _Atomic uint32_t wake_pending;
static _Atomic bool is_blocking, is_failing;
static _Atomic uint32_t nr_commits, nr_waiting;
static pthread_key_t thread_exit_key;
static void (*_Atomic restart_in_child)(void);

static uint64_t read_event_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/*
 * Atomic against signal handlers of this thread only, and a release, which
 * every store is on x86.
 */
static inline bool exchange_word(uint64_t *word, uint64_t from, uint64_t to)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    bool done;

    asm volatile ( "cmpxchgq %3, %1"
                   : "=@ccz" (done), "+m" (*word), "+a" (from)
                   : "r" (to) : "memory" );
    return done;
#else
    return __atomic_compare_exchange_n(word, &from, to, false,
                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
#endif
}

static inline uint64_t load_relaxed(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void store_relaxed(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/*
 * A handler has reserved between the outermost writer's load of `reserved` and
 * its store to `head`.  A later handler either finds the ring complete and
 * publishes its own event, or leaves the event to this loop.  The exchange
 * never moves head backwards.
 */
void usertrace_simple_publish(struct usertrace_ring *ring)
{
    uint64_t head, reserved;

    do {
        head = load_relaxed(&ring->head);
        reserved = load_relaxed(&ring->reserved);
        exchange_word(&ring->head, head, reserved);
    } while ( load_relaxed(&ring->head) != load_relaxed(&ring->reserved) );
}

static inline char *ring_address(struct simple_ring *ring, uint64_t at)
{
    return (char *)ring + ring->data + (at & ring->mask);
}

/*
 * Write a struct simple_head word by word: after a copy of the whole struct,
 * wider loads than the stores would stall store forwarding.
 */
static inline char *put_event_head(char *at, uint64_t id, uint64_t time,
                                   uint32_t length, uint32_t pid)
{
    at = usertrace_simple_word(at, SIMPLE_EVENT);
    at = usertrace_simple_word(at, id);
    at = usertrace_simple_word(at, time);
    memcpy(at, &length, sizeof(length));
    memcpy(at + sizeof(length), &pid, sizeof(pid));
    return at + sizeof(length) + sizeof(pid);
}

/* ---- waking the drain ---------------------------------------------------- */

void ut_writer_wake(void)
{
    if ( !atomic_exchange(&wake_pending, 1) )
        syscall(SYS_futex, &wake_pending, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void ut_writer_wait(uint64_t ns)
{
    struct timespec t = { .tv_sec = ns / 1000000000u,
                          .tv_nsec = ns % 1000000000u };

    if ( !atomic_load(&wake_pending) )
        syscall(SYS_futex, &wake_pending, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
    atomic_store(&wake_pending, 0);
}

/* ---- the arena ----------------------------------------------------------- */

void ut_rings_set_arena(struct ut_arena *a)
{
    atomic_store(&current_arena, a);
}

bool ut_rings_are_unused(void)
{
    return atomic_load(&nr_users) <= 0;
}

/* NULL: no arena; either way leave_arena() has to follow. */
static struct ut_arena *enter_arena(void)
{
    atomic_fetch_add(&nr_users, 1);
    return atomic_load(&current_arena);
}

static void leave_arena(void)
{
    atomic_fetch_add(&nr_users, -1);
}

/* ---- stacks of rings ----------------------------------------------------- */

#define CHANGE (1ull << 32)

/*
 * The release passes on the contents of the ring to the thread that pops the
 * ring.
 */
void ut_ring_push(struct ut_ring_stack *stack, struct ut_ring *r)
{
    uint64_t first = load_relaxed(&stack->first), next;

    do {
        __atomic_store_n(&r->next_below, (uint32_t)first, __ATOMIC_RELAXED);
        next = (first & ~(CHANGE - 1)) + CHANGE + r->ring->number + 1;
    } while ( !__atomic_compare_exchange_n(&stack->first, &first, next, false,
                                           __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED) );
}

struct ut_ring *ut_ring_pop(struct ut_arena *a, struct ut_ring_stack *stack)
{
    uint64_t first = __atomic_load_n(&stack->first, __ATOMIC_ACQUIRE), next;
    struct ut_ring *r;

    do {
        if ( !(uint32_t)first )
            return NULL;
        r = &a->rings[(uint32_t)first - 1];
        next = (first & ~(CHANGE - 1)) + CHANGE +
               __atomic_load_n(&r->next_below, __ATOMIC_RELAXED);
    } while ( !__atomic_compare_exchange_n(&stack->first, &first, next, false,
                                           __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE) );
    return r;
}

/* ---- releasing ----------------------------------------------------------- */

/*
 * `closed` and `limit` pair with close_ring() in event-drain.c, which sets
 * `closed` and then `limit`; here `limit` was set, and then `closed` is read.
 * All four accesses are sequentially consistent, so at least one side sees the
 * other's store.
 */
static bool ring_is_closed(const struct simple_ring *ring)
{
    return __atomic_load_n(&ring->closed, __ATOMIC_SEQ_CST);
}

/*
 * Can another thread go on with the ring at once?  The ring has room for its
 * first events, and all losses of this thread are marked.
 */
static bool can_hand_over(const struct simple_ring *ring)
{
    uint64_t used = load_relaxed(&ring->at.head) -
                    __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

    return load_relaxed(&ring->lost) == load_relaxed(&ring->marked) &&
           used <= (ring->mask + 1) / 4;
}

/* A ring that is not closed belongs to the current arena. */
static void give_back(struct simple_ring *ring)
{
    struct ut_arena *a = enter_arena();
    bool is_wanted = a && !ring_is_closed(ring);

    if ( is_wanted && can_hand_over(ring) )
    {
        __atomic_store_n(&ring->state, SIMPLE_RING_FREE, __ATOMIC_RELEASE);
        ut_ring_push(&a->free_rings, &a->rings[ring->number]);
        is_wanted = false;
    }
    else
        __atomic_store_n(&ring->state, SIMPLE_RING_RELEASED, __ATOMIC_RELEASE);
    leave_arena();
    if ( is_wanted )
        ut_writer_wake();
}

/*
 * Release the ring once, and clear the key: the drain may free the ring at
 * once.  A handler that ran before `ring_is_changing` was set may have
 * released the ring already, and acquired another.
 */
static void release_ring(void *arg)
{
    struct simple_ring *ring = arg;

    ring_is_changing = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ( thread_ring == ring )
    {
        thread_ring = NULL;
        pthread_setspecific(thread_exit_key, NULL);
        give_back(ring);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ring_is_changing = false;
}

int ut_rings_create_key(void)
{
    return -pthread_key_create(&thread_exit_key, release_ring);
}

void ut_rings_reset_in_child(void (*restart)(void))
{
    thread_ring = NULL;
    pthread_setspecific(thread_exit_key, NULL);
    atomic_store(&current_arena, NULL);
    atomic_store(&nr_users, 0);
    atomic_store(&nr_waiting, 0);
    atomic_store(&is_failing, false);
    is_draining = false;
    atomic_store(&wake_pending, 0);
    atomic_store(&restart_in_child, restart);
}

/* ---- acquiring ----------------------------------------------------------- */

/*
 * A ring may have events of another thread.  No handler uses the ring yet, so
 * plain stores reserve and publish the marker.
 */
static void announce_thread(struct simple_ring *ring)
{
    uint64_t at = load_relaxed(&ring->at.head), tid = syscall(SYS_gettid);
    char *p = put_event_head(ring_address(ring, at), SIMPLE_THREAD,
                             read_event_time(), SIMPLE_MARKER_BYTES - 8,
                             ring->pid);

    memcpy(p, &tid, sizeof(tid));
    at += SIMPLE_MARKER_BYTES;
    store_relaxed(&ring->at.reserved, at);
    __atomic_store_n(&ring->at.head, at, __ATOMIC_RELEASE);
}

/* Keep handlers out by `ring_is_changing`. */
static struct simple_ring *change_ring(struct ut_arena *a)
{
    struct ut_ring *r = ut_ring_pop(a, &a->free_rings);

    if ( !r && ut_ring_create(a, &r) )
        return NULL;
    __atomic_store_n(&r->ring->state, SIMPLE_RING_HELD, __ATOMIC_RELEASE);
    announce_thread(r->ring);
    pthread_setspecific(thread_exit_key, r->ring);
    thread_ring = r->ring;
    return r->ring;
}

static struct simple_ring *acquire_from(struct ut_arena *a)
{
    struct simple_ring *ring = NULL;

    if ( !ring_is_changing )
    {
        ring_is_changing = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        /* A signal handler may have acquired a ring just now. */
        ring = thread_ring;
        if ( !ring )
            ring = change_ring(a);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        ring_is_changing = false;
    }
    if ( !ring )
    {
        __atomic_fetch_add(&a->head->lost, 1, __ATOMIC_RELAXED);
        ut_writer_wake();
    }
    return ring;
}

/*
 * NULL: the loss was counted, or no file is open that events could be lost
 * from.
 */
static struct simple_ring *acquire_ring(void)
{
    void (*restart)(void) = atomic_exchange(&restart_in_child, NULL);
    struct simple_ring *ring = NULL;
    struct ut_arena *a;

    if ( restart )
        restart();
    a = enter_arena();
    if ( a )
        ring = acquire_from(a);
    leave_arena();
    return ring;
}

/* ---- the slow side ------------------------------------------------------- */

/*
 * Set a new limit for `need` bytes at `reserved`; false if the ring has no
 * room.  The acquire pairs with the drain's release of tail (event-drain.c,
 * commit_pass()).
 */
static bool update_limit(struct simple_ring *ring, uint64_t reserved,
                         uint64_t need)
{
    uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    uint64_t size = ring->mask + 1, end = tail + size, quarter = size / 4;
    uint64_t limit = tail + quarter;

    if ( reserved + need > limit )
    {
        ut_writer_wake();
        limit = reserved + need + quarter;
    }
    if ( reserved + need > end )
        return false;
    __atomic_store_n(&ring->at.limit, limit < end ? limit : end,
                     __ATOMIC_SEQ_CST);
    return true;
}

static void count_loss(struct simple_ring *ring)
{
    uint64_t lost;

    if ( load_relaxed(&ring->lost) == load_relaxed(&ring->marked) )
        store_relaxed(&ring->lost_at, read_event_time());
    do
        lost = load_relaxed(&ring->lost);
    while ( !exchange_word(&ring->lost, lost, lost + 1) );
    store_relaxed(&ring->at.limit, 0);
}

/*
 * Reserve a marker, if there are losses to report, and `size` bytes for the
 * event.  Returns the address of the event.  *at is the start of the
 * reservation, marker included.
 */
static char *reserve_slow(struct simple_ring *ring, uint64_t size,
                          uint64_t *at, uint64_t *time)
{
    uint64_t lost, marker;
    char *p;

    do {
        *at = load_relaxed(&ring->at.reserved);
        lost = load_relaxed(&ring->lost);
        marker = lost != load_relaxed(&ring->marked) ? SIMPLE_MARKER_BYTES : 0;
        if ( !update_limit(ring, *at, marker + size) )
            return NULL;
        *time = read_event_time();
    } while ( !exchange_word(&ring->at.reserved, *at,
                             *at + marker + size) );

    if ( marker )
    {
        p = put_event_head(ring_address(ring, *at), SIMPLE_DROPPED,
                           load_relaxed(&ring->lost_at),
                           SIMPLE_MARKER_BYTES - 8, ring->pid);
        memcpy(p, &lost, sizeof(lost));
        store_relaxed(&ring->marked, lost);
    }
    return ring_address(ring, *at + marker);
}

/* ---- waiting ------------------------------------------------------------- */

void ut_rings_set_blocking(bool on)
{
    atomic_store(&is_blocking, on);
}

void ut_rings_set_draining(bool is_this_thread)
{
    is_draining = is_this_thread;
}

void ut_rings_set_failing(bool failing)
{
    if ( atomic_load(&is_failing) == failing )
        return;
    atomic_store(&is_failing, failing);
    ut_rings_wake_threads();
}

void ut_rings_wake_threads(void)
{
    atomic_fetch_add(&nr_commits, 1);
    if ( atomic_load(&nr_waiting) )
        syscall(SYS_futex, &nr_commits, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
                0);
}

/*
 * False: no commit would help, or none is to be expected.  A commit does not
 * free the events that this handler has interrupted.
 */
static bool may_wait(const struct simple_ring *ring, uint64_t need)
{
    uint64_t interrupted = load_relaxed(&ring->at.reserved) -
                           load_relaxed(&ring->at.head);

    return atomic_load(&is_blocking) && !is_draining &&
           !atomic_load(&is_failing) && !ring_is_closed(ring) &&
           interrupted + need <= ring->mask + 1;
}

/* The time limit is for a ring that is closed meanwhile. */
static void wait_for_commit(uint32_t commits)
{
    struct timespec t = { .tv_nsec = 10000000 };

    ut_writer_wake();
    atomic_fetch_add(&nr_waiting, 1);
    syscall(SYS_futex, &nr_commits, FUTEX_WAIT_PRIVATE, commits, &t, NULL, 0);
    atomic_fetch_add(&nr_waiting, -1);
}

/* ---- an event ------------------------------------------------------------ */

/* Has a signal handler interrupted a writer of this thread? */
static bool writer_is_inside(const struct simple_ring *ring)
{
    return load_relaxed(&ring->at.head) != load_relaxed(&ring->at.reserved);
}

static char *write_head_slow(struct simple_ring *ring,
                             struct usertrace_record *record, uint32_t id,
                             uint32_t bytes)
{
    uint32_t commits;
    uint64_t time;
    char *at;

    for ( ;; )
    {
        commits = atomic_load(&nr_commits);
        at = reserve_slow(ring, SIMPLE_EVENT_MIN + bytes, &record->at, &time);
        if ( at || !may_wait(ring, SIMPLE_MARKER_BYTES + SIMPLE_EVENT_MIN +
                                   bytes) )
            break;
        wait_for_commit(commits);
    }
    if ( !at )
    {
        count_loss(ring);
        return NULL;
    }
    record->ring = &ring->at;
    /* The last event of a ring that was closed meanwhile. */
    if ( ring_is_closed(ring) )
        store_relaxed(&ring->at.limit, 0);
    return put_event_head(at, id, time, SIMPLE_EVENT_MIN - 8 + bytes,
                          ring->pid);
}

static char *reserve_event_slow(struct usertrace_record *record, uint32_t id,
                                uint32_t bytes)
{
    struct simple_ring *ring = thread_ring;
    int saved = errno;
    char *at = NULL;

    /*
     * Not while this thread is inside another call, in release_ring(), or in
     * the middle of an event.
     */
    if ( ring && ring_is_closed(ring) && nr_entering == 1 &&
         !ring_is_changing && !writer_is_inside(ring) )
    {
        release_ring(ring);
        ring = thread_ring;
    }
    if ( !ring )
        ring = acquire_ring();
    if ( ring )
        at = write_head_slow(ring, record, id, bytes);
    errno = saved;
    return at;
}

/* ---- the fast side ------------------------------------------------------- */

static inline char *reserve_event_fast(struct usertrace_record *record,
                                       uint32_t id, uint32_t bytes)
{
    struct simple_ring *ring = thread_ring;
    uint64_t at, time, size = SIMPLE_EVENT_MIN + bytes;

    if ( __builtin_expect(!ring, 0) )
        return reserve_event_slow(record, id, bytes);

    do {
        at = load_relaxed(&ring->at.reserved);
        if ( __builtin_expect(at + size > load_relaxed(&ring->at.limit), 0) )
            return reserve_event_slow(record, id, bytes);
        time = read_event_time();
    } while ( __builtin_expect(!exchange_word(&ring->at.reserved, at,
                                              at + size), 0) );

    record->ring = &ring->at;
    record->at = at;
    return put_event_head(ring_address(ring, at), id, time,
                          SIMPLE_EVENT_MIN - 8 + bytes, ring->pid);
}

char *usertrace_simple_begin(struct usertrace_record *record, uint32_t id,
                             uint32_t bytes)
{
    char *at;

    nr_entering++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    at = reserve_event_fast(record, id, bytes);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nr_entering--;
    return at;
}
