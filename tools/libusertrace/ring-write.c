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
 * LIMIT is the only comparison of the fast path.  The limit is a quarter of
 * the ring ahead, where the drain is woken up, or the end of the known free
 * space, or 0 if the slow path has work to do (a loss without a marker, a
 * closed ring).
 *
 * LOSSES are counted in `lost`.  The next event that finds room is preceded by
 * a marker with the total of losses.
 */
#include "libusertrace/thread-ring.h"

#include <errno.h>
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

static struct simple_ring *_Atomic ready_rings[UT_RINGS_READY];
static _Atomic bool accepting;
static _Atomic uint64_t lost_without_ring;
static _Atomic uint32_t wake_pending;
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

/* ---- the bell ------------------------------------------------------------ */

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

/* ---- the pool ----------------------------------------------------------- */

void ut_rings_set_accepting(bool accept)
{
    atomic_store(&accepting, accept);
}

bool ut_ring_push_ready(struct simple_ring *ring)
{
    struct simple_ring *none;

    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
    {
        none = NULL;
        if ( atomic_compare_exchange_strong(&ready_rings[i], &none, ring) )
            return true;
    }
    return false;
}

struct simple_ring *ut_ring_pop_ready(void)
{
    struct simple_ring *ring = NULL;

    for ( size_t i = 0; i < UT_RINGS_READY && !ring; i++ )
        ring = atomic_exchange(&ready_rings[i], NULL);
    return ring;
}

unsigned int ut_rings_count_free_slots(void)
{
    unsigned int nr = 0;

    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
        nr += !atomic_load(&ready_rings[i]);
    return nr;
}

uint64_t ut_rings_count_lost(void)
{
    return atomic_load(&lost_without_ring);
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
        __atomic_store_n(&ring->state, SIMPLE_RING_RELEASED, __ATOMIC_RELEASE);
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
    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
        atomic_store(&ready_rings[i], NULL);
    atomic_store(&lost_without_ring, 0);
    atomic_store(&wake_pending, 0);
    atomic_store(&restart_in_child, restart);
}

static struct simple_ring *pop_ready_ring(void)
{
    void (*restart)(void) = atomic_exchange(&restart_in_child, NULL);

    if ( restart )
        restart();
    return ut_ring_pop_ready();
}

/*
 * NULL: the loss was counted, or no file is open that events could be lost
 * from.
 */
static struct simple_ring *acquire_ring(void)
{
    struct simple_ring *ring = NULL;

    if ( !atomic_load(&accepting) )
        return NULL;
    if ( !ring_is_changing )
    {
        ring_is_changing = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        /* A signal handler may have acquired a ring just now. */
        ring = thread_ring;
        if ( !ring && (ring = pop_ready_ring()) != NULL )
        {
            ring->tid = syscall(SYS_gettid);
            __atomic_store_n(&ring->state, SIMPLE_RING_HELD, __ATOMIC_RELEASE);
            pthread_setspecific(thread_exit_key, ring);
            thread_ring = ring;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        ring_is_changing = false;
    }
    if ( !ring )
        atomic_fetch_add(&lost_without_ring, 1);
    ut_writer_wake();
    return ring;
}

/* ---- the slow side ------------------------------------------------------ */

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
    uint64_t limit = reserved + need + quarter;

    if ( reserved + need - tail > quarter )
        ut_writer_wake();
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

/* Has a signal handler interrupted a writer of this thread? */
static bool writer_is_inside(const struct simple_ring *ring)
{
    return load_relaxed(&ring->at.head) != load_relaxed(&ring->at.reserved);
}

static char *write_head_slow(struct simple_ring *ring,
                             struct usertrace_record *record, uint32_t id,
                             uint32_t bytes)
{
    uint64_t time;
    char *at = reserve_slow(ring, SIMPLE_EVENT_MIN + bytes, &record->at,
                            &time);

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

/* ---- the fast side ------------------------------------------------------ */

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
