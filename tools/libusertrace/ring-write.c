/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread's side of its ring: what runs inside trace points.
 *
 * ROOM is reserved by moving `reserved`, which only this thread does, in its
 * code or in a handler of a signal that came in the middle: so the exchange
 * has to be atomic for one CPU only, a plain one without the bus.  The time
 * is read inside the loop: whoever comes in between begins later and, having
 * moved `reserved`, makes the outer one read the time again; so the order in
 * the ring is that of time.
 *
 * PUBLISHED is by the outermost writer, which began where the ring was whole
 * (reserved == head); it then looks again for what came while it was leaving.
 * A handler's event becomes visible with the event that it interrupted, at the
 * latest (usertrace_simple_end() in trace/simple.h).
 *
 * LIMIT is the one comparison of the fast path.  It ends at a quarter of the
 * ring, where the writer thread is called, at the end of the room that was
 * known last, and at 0 where something has to be seen to (a loss that is not
 * marked, a ring that was closed): all of that is in slow(), out of line.
 *
 * LOSSES are counted in `lost`.  The next event that finds room has a marker
 * in front, with the total up to there.
 */
#include "libusertrace/ring.h"

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

HIDDEN_TLS struct simple_ring *mine;
HIDDEN_TLS bool changing;       /* mine: a handler leaves it alone */
HIDDEN_TLS unsigned int entering;   /* how many have looked at mine, and have
                                     * not reserved yet */

static struct simple_ring *_Atomic ready[UT_RINGS_READY];
static _Atomic bool accepting;
static _Atomic uint64_t lost_without_ring;
static _Atomic uint32_t bell;
static pthread_key_t at_end;
static void (*_Atomic restart_child)(void);

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/*
 * Atomic against handlers on this thread, and that is all it needs to be; and
 * a release, which it is of itself on x86.
 */
static inline bool move(uint64_t *word, uint64_t from, uint64_t to)
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

static inline uint64_t get(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/*
 * Something came between the outermost writer's look at `reserved` and its
 * store to head.  A handler that comes now either finds the ring whole, and
 * publishes for itself, or leaves it to this loop; the exchange sees to it
 * that head never goes back.
 */
void usertrace_simple_publish(struct usertrace_ring *ring)
{
    uint64_t head, reserved;

    do {
        head = get(&ring->head);
        reserved = get(&ring->reserved);
        move(&ring->head, head, reserved);
    } while ( get(&ring->head) != get(&ring->reserved) );
}

static inline char *place(struct simple_ring *ring, uint64_t at)
{
    return (char *)ring + ring->data + (at & ring->mask);
}

/*
 * A struct simple_head, word by word: a struct that is copied as a whole would
 * be read back in wider words than it was stored in, which stalls.
 */
static inline char *put_head(char *at, uint64_t id, uint64_t time,
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

void ut_ring_bell(void)
{
    if ( !atomic_exchange(&bell, 1) )
        syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void ut_ring_wait(uint64_t ns)
{
    struct timespec t = { .tv_sec = ns / 1000000000u,
                          .tv_nsec = ns % 1000000000u };

    if ( !atomic_load(&bell) )
        syscall(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
    atomic_store(&bell, 0);
}

/* ---- the pool ----------------------------------------------------------- */

void ut_rings_accept(bool accept)
{
    atomic_store(&accepting, accept);
}

bool ut_ring_offer(struct simple_ring *ring)
{
    struct simple_ring *none;

    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
    {
        none = NULL;
        if ( atomic_compare_exchange_strong(&ready[i], &none, ring) )
            return true;
    }
    return false;
}

struct simple_ring *ut_ring_withdraw(void)
{
    struct simple_ring *ring = NULL;

    for ( size_t i = 0; i < UT_RINGS_READY && !ring; i++ )
        ring = atomic_exchange(&ready[i], NULL);
    return ring;
}

unsigned int ut_rings_wanted(void)
{
    unsigned int nr = 0;

    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
        nr += !atomic_load(&ready[i]);
    return nr;
}

uint64_t ut_rings_lost(void)
{
    return atomic_load(&lost_without_ring);
}

/*
 * Once, and the key forgets it: the drain may free the ring at once.  Who came
 * before `changing` may have let go of it, and have taken another one.
 */
static void let_go(void *arg)
{
    struct simple_ring *ring = arg;

    changing = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if ( mine == ring )
    {
        mine = NULL;
        pthread_setspecific(at_end, NULL);
        __atomic_store_n(&ring->state, SIMPLE_RING_DONE, __ATOMIC_RELEASE);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    changing = false;
}

int ut_rings_begin(void)
{
    return -pthread_key_create(&at_end, let_go);
}

void ut_rings_forked(void (*restart)(void))
{
    mine = NULL;
    pthread_setspecific(at_end, NULL);
    for ( size_t i = 0; i < UT_RINGS_READY; i++ )
        atomic_store(&ready[i], NULL);
    atomic_store(&lost_without_ring, 0);
    atomic_store(&bell, 0);
    atomic_store(&restart_child, restart);
}

static struct simple_ring *take_ready(void)
{
    void (*restart)(void) = atomic_exchange(&restart_child, NULL);

    if ( restart )
        restart();
    return ut_ring_withdraw();
}

/* NULL: counted, or nothing is open that could have lost it. */
static struct simple_ring *claim(void)
{
    struct simple_ring *ring = NULL;

    if ( !atomic_load(&accepting) )
        return NULL;
    if ( !changing )
    {
        changing = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        /* A handler may just have found one. */
        ring = mine;
        if ( !ring && (ring = take_ready()) != NULL )
        {
            ring->tid = syscall(SYS_gettid);
            __atomic_store_n(&ring->state, SIMPLE_RING_HELD, __ATOMIC_RELEASE);
            pthread_setspecific(at_end, ring);
            mine = ring;
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        changing = false;
    }
    if ( !ring )
        atomic_fetch_add(&lost_without_ring, 1);
    ut_ring_bell();
    return ring;
}

/* ---- the slow side ------------------------------------------------------ */

/*
 * A new limit for `need` bytes at `reserved`; false: there is no room.  The
 * acquire is for the drain's release of tail, in drain.c.
 */
static bool look_for_room(struct simple_ring *ring, uint64_t reserved,
                          uint64_t need)
{
    uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    uint64_t size = ring->mask + 1, end = tail + size, quarter = size / 4;
    uint64_t limit = reserved + need + quarter;

    if ( reserved + need - tail > quarter )
        ut_ring_bell();
    if ( reserved + need > end )
        return false;
    __atomic_store_n(&ring->at.limit, limit < end ? limit : end,
                     __ATOMIC_SEQ_CST);
    return true;
}

static void lose(struct simple_ring *ring)
{
    uint64_t lost;

    if ( get(&ring->lost) == get(&ring->marked) )
        set(&ring->lost_at, now());
    do
        lost = get(&ring->lost);
    while ( !move(&ring->lost, lost, lost + 1) );
    set(&ring->at.limit, 0);
}

/*
 * Reserve a marker, if one is owed, and `size` bytes; where those begin.
 * *at is where the marker does: the writer's place.
 */
static char *reserve_slowly(struct simple_ring *ring, uint64_t size,
                            uint64_t *at, uint64_t *time)
{
    uint64_t lost, marker;
    char *p;

    do {
        *at = get(&ring->at.reserved);
        lost = get(&ring->lost);
        marker = lost != get(&ring->marked) ? SIMPLE_MARKER_BYTES : 0;
        if ( !look_for_room(ring, *at, marker + size) )
            return NULL;
        *time = now();
    } while ( !move(&ring->at.reserved, *at,
                     *at + marker + size) );

    if ( marker )
    {
        p = put_head(place(ring, *at), SIMPLE_DROPPED, get(&ring->lost_at),
                     SIMPLE_MARKER_BYTES - 8, ring->pid);
        memcpy(p, &lost, sizeof(lost));
        set(&ring->marked, lost);
    }
    return place(ring, *at + marker);
}

/*
 * closed and limit are a pair with close_ring() in drain.c: it sets closed,
 * then limit; here limit was set, and then closed is read.  All four are
 * sequentially consistent, so one of the two sees the other.
 */
static bool is_closed(const struct simple_ring *ring)
{
    return __atomic_load_n(&ring->closed, __ATOMIC_SEQ_CST);
}

/* Is a writer of this thread inside, whom a handler interrupted? */
static bool is_busy(const struct simple_ring *ring)
{
    return get(&ring->at.head) != get(&ring->at.reserved);
}

static char *write_slowly(struct simple_ring *ring,
                          struct usertrace_record *record, uint32_t id,
                          uint32_t bytes)
{
    uint64_t time;
    char *at = reserve_slowly(ring, SIMPLE_EVENT_MIN + bytes, &record->at,
                              &time);

    if ( !at )
    {
        lose(ring);
        return NULL;
    }
    record->ring = &ring->at;
    /* A ring that was closed meanwhile gets this one as its last. */
    if ( is_closed(ring) )
        set(&ring->at.limit, 0);
    return put_head(at, id, time, SIMPLE_EVENT_MIN - 8 + bytes, ring->pid);
}

static char *begin_slowly(struct usertrace_record *record, uint32_t id,
                          uint32_t bytes)
{
    struct simple_ring *ring = mine;
    int saved = errno;
    char *at = NULL;

    /* Not under who was interrupted in here, or in let_go(), or in the middle
     * of an event. */
    if ( ring && is_closed(ring) && entering == 1 && !changing &&
         !is_busy(ring) )
    {
        let_go(ring);
        ring = mine;
    }
    if ( !ring )
        ring = claim();
    if ( ring )
        at = write_slowly(ring, record, id, bytes);
    errno = saved;
    return at;
}

/* ---- the fast side ------------------------------------------------------ */

static inline char *begin(struct usertrace_record *record, uint32_t id,
                          uint32_t bytes)
{
    struct simple_ring *ring = mine;
    uint64_t at, time, size = SIMPLE_EVENT_MIN + bytes;

    if ( __builtin_expect(!ring, 0) )
        return begin_slowly(record, id, bytes);

    do {
        at = get(&ring->at.reserved);
        if ( __builtin_expect(at + size > get(&ring->at.limit), 0) )
            return begin_slowly(record, id, bytes);
        time = now();
    } while ( __builtin_expect(!move(&ring->at.reserved, at, at + size), 0) );

    record->ring = &ring->at;
    record->at = at;
    return put_head(place(ring, at), id, time, SIMPLE_EVENT_MIN - 8 + bytes,
                    ring->pid);
}

char *usertrace_simple_begin(struct usertrace_record *record, uint32_t id,
                             uint32_t bytes)
{
    char *at;

    entering++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    at = begin(record, id, bytes);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    entering--;
    return at;
}
