/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of libusertrace in every interleaving: writers, with signals in
 * the middle of trace points, the drain, and a kill at any moment.
 *
 * ring-write.c and event-drain.c are the real code.  This file has the plans,
 * the environment (rings without files behind them, a trace file that is an
 * array), and the invariant of every state: recovery from file and rings, as
 * simple-format.h describes it, finds each event traced so far once, in order,
 * or counted as dropped.
 */
#define _GNU_SOURCE             /* memfd_create */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "libusertrace/event-drain.h"
#include "libusertrace/registry.h"
#include "tests/interleave/access.h"
#include "tests/interleave/explore.h"
#include "tests/interleave/point.h"

#define RING_BYTES 4096u        /* the least size that can be mapped twice */
#define RINGS 2u
#define ITEMS 24u
#define WRITERS 3u              /* 0 and 1 are threads, 2 is the handler */
#define HANDLER 2u
#define BIG 1960u               /* a ring has room for two */
#define SMALL 0u
#define NOT_NEARLY_EMPTY 1200u  /* such a ring does not change hands at once */
#define FREED 0xee

struct row
{
    struct explore_plan plan;
    unsigned int writers, events;       /* events per writer */
    uint32_t bytes;                     /* per event */
    unsigned int rings;         /* available ... */
    unsigned int first_rings;           /* ... before a second file (0: all) */
    unsigned int passes, failures;  /* failures: failed writes, at most */
    void (*drain)(void *arg);
    bool blocks;                /* mode block: there are no losses */
    bool has_places;            /* losses are at their place: no signals */
    bool is_long;
};

/* ---- the environment ---------------------------------------------------- */

struct item
{
    uint64_t id, time, arg;     /* arg: of a dropped event */
    uint64_t end;               /* end in the file */
    uint32_t tid, inode;
};

struct writer
{
    unsigned int begun, done;
    unsigned int safe;          /* done, without an interrupted event below */
};

/* All of this is part of a state. */
static struct environment
{
    struct ut_drain drain;
    struct ut_arena arena;
    struct ut_ring rings[RINGS];
    bool is_freed[RINGS], is_trimmed[RINGS];
    unsigned int nr_rings, max_rings;
    struct item file[ITEMS];    /* on the disk */
    unsigned int nr_file, nr_pending;
    struct item pending[ITEMS];
    struct writer writers[WRITERS];
    uint64_t clock;
    unsigned int failures;      /* writes that may still fail */
    bool is_closing;
    unsigned int done_before;   /* ... before closing */
    unsigned int begun_after;   /* by writer 0, before the second file */
    bool is_closed;
    void (*key_destructor)(void *arg);  /* destructor of a thread's key */
    void *key_values[WRITERS];  /* per thread */
} env;

static struct simple_rings *rings_head;
static char *ring_memory[RINGS];

/* The plan that is running. */
static const struct row *current_plan;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){ .tv_nsec = ++env.clock };
    return 0;
}

/* A waiting drain wakes up at once, as the real one may. */
long syscall(long number, ...)
{
    return number == SYS_gettid ? (long)explore_self() + 1 : 0;
}

int pthread_key_create(pthread_key_t *key, void (*key_destructor)(void *arg))
{
    *key = 0;
    env.key_destructor = key_destructor;
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    (void)key;
    if ( explore_self() < WRITERS )
        env.key_values[explore_self()] = (void *)value;
    return 0;
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
    (void)e;
    (void)fmt;
    return code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
    (void)e;
    (void)fmt;
    return code;
}

uint32_t ut_count_events(void)
{
    return 1;
}

int ut_ring_create(struct ut_arena *a, struct ut_ring **ring)
{
    unsigned int nr = env.nr_rings;

    *ring = ut_ring_pop(a, &a->trimmed_rings);
    if ( *ring )
    {
        env.is_trimmed[*ring - env.rings] = false;
        (*ring)->ring->state = SIMPLE_RING_FREE;
        (*ring)->next_new = a->new_rings;
        a->new_rings = *ring;
        return 0;
    }
    if ( nr == env.max_rings )
        return -ENOSPC;
    env.rings[nr] = (struct ut_ring){
        .ring = (struct simple_ring *)ring_memory[nr], .arena = a,
        .next_new = a->new_rings,
    };
    env.rings[nr].ring->number = nr;
    env.nr_rings++;
    rings_head->nr_rings++;
    *ring = a->new_rings = &env.rings[nr];
    return 0;
}

/* A recovery that reads this memory finds no event. */
int ut_ring_trim(struct ut_ring *r)
{
    access_drain();
    memset((char *)r->ring + RING_BYTES, FREED, RING_BYTES);
    env.is_trimmed[r - env.rings] = true;
    return 0;
}

/*
 * check_freed() finds later writes to this memory.  The system call that this
 * function stands for flushes all stores first.
 */
void ut_ring_free(struct ut_ring *r)
{
    access_drain();
    memset(r->ring, FREED, sizeof(*r->ring));
    env.is_freed[r - env.rings] = true;
}

static void check_freed(void)
{
    for ( unsigned int i = 0; i < RINGS; i++ )
        for ( size_t at = 0;
              env.is_freed[i] && at < sizeof(struct simple_ring);
              at++ )
            EXPLORE_CHECK(ring_memory[i][at] == (char)FREED);
}

/* No thread has a ring without memory. */
static void check_trimmed(void)
{
    for ( unsigned int i = 0; i < RINGS; i++ )
        EXPLORE_CHECK(!env.is_trimmed[i] ||
                      env.rings[i].ring->state != SIMPLE_RING_HELD);
}

void ut_arena_unmap(struct ut_arena *a)
{
    (void)a;
}

/* ---- the file ----------------------------------------------------------- */

void ut_file_put_bytes(struct ut_file *f, const void *bytes, size_t nr)
{
    struct item *last = &env.pending[env.nr_pending];
    struct simple_head head;

    f->used += nr;
    if ( nr == 8 )
    {
        memcpy(&last[-1].arg, bytes, nr);
        last[-1].end = f->bytes + f->used;
        return;
    }
    EXPLORE_CHECK(env.nr_pending < ITEMS && nr >= sizeof(head));
    memcpy(&head, bytes, sizeof(head));
    *last = (struct item){
        .id = head.id, .time = head.time, .tid = f->now.tid,
        .end = f->bytes + f->used, .inode = f->inode,
    };
    env.nr_pending++;
}

void ut_file_put_thread(struct ut_file *f, uint32_t tid)
{
    f->now.tid = tid;
}

void ut_file_put_clock(struct ut_file *f)
{
    (void)f;
}

int ut_file_put_events(struct ut_file *f, uint32_t nr)
{
    f->now.mapped = nr;
    return 0;
}

/* The data is on the disk before it counts. */
int ut_file_write(struct ut_file *f)
{
    bool fails = env.failures && explore_choose(2);

    if ( fails )
    {
        env.failures--;
        env.nr_pending = f->used = 0;
        return -ENOSPC;
    }
    EXPLORE_CHECK(env.nr_file + env.nr_pending <= ITEMS);
    memcpy(&env.file[env.nr_file], env.pending,
           env.nr_pending * sizeof(env.pending[0]));
    env.nr_file += env.nr_pending;
    f->bytes += f->used;
    env.nr_pending = f->used = 0;
    return 0;
}

static bool is_committed(const struct simple_rings *rings, const struct item *i)
{
    unsigned int side = rings->commit & 1;

    return i->inode < rings->committed[side].inode ||
           (i->inode == rings->committed[side].inode &&
            i->end <= rings->committed[side].bytes);
}

/* ---- recovery after a kill ---------------------------------------------- */

struct found
{
    struct item items[2 * ITEMS];
    unsigned int nr;
};

static void add_item(struct found *f, struct item i)
{
    EXPLORE_CHECK(f->nr < 2 * ITEMS);
    f->items[f->nr++] = i;
}

static struct item take_record(const struct simple_ring *ring, uint64_t at,
                               uint32_t *size)
{
    struct simple_head head;
    struct item i;

    memcpy(&head, (const char *)ring + ring->data + (at & ring->mask),
           sizeof(head));
    EXPLORE_CHECK(head.type == SIMPLE_EVENT);
    EXPLORE_CHECK(head.length >= SIMPLE_EVENT_MIN - 8);
    i = (struct item){ .id = head.id, .time = head.time };
    if ( head.id == SIMPLE_DROPPED || head.id == SIMPLE_THREAD )
        memcpy(&i.arg, (const char *)ring + ring->data +
               ((at + sizeof(head)) & ring->mask), sizeof(i.arg));
    *size = head.length + 8;
    return i;
}

static void add_ring(struct found *f, const struct simple_ring *ring,
                     unsigned int side)
{
    uint64_t reported = ring->committed[side].reported_lost, total;
    uint64_t at = ring->committed[side].tail;
    uint64_t time = 0, tid = ring->committed[side].tid;
    struct item i;
    uint32_t size;

    EXPLORE_CHECK(at <= ring->at.head && ring->at.head <= ring->at.reserved);
    EXPLORE_CHECK(ring->at.reserved - at <= RING_BYTES);
    for ( ; at < ring->at.head; at += size )
    {
        i = take_record(ring, at, &size);
        if ( i.id == SIMPLE_THREAD )
        {
            tid = i.arg;
            continue;
        }
        i.tid = tid;
        if ( i.id == SIMPLE_DROPPED )
        {
            total = i.arg;
            i.arg = total > reported ? total - reported : 0;
            reported = total > reported ? total : reported;
        }
        else
        {
            EXPLORE_CHECK(i.time > time);
            time = i.time;
        }
        add_item(f, i);
    }
    EXPLORE_CHECK(at == ring->at.head);
    if ( ring->lost > reported )
        add_item(f, (struct item){ .id = SIMPLE_DROPPED, .tid = tid,
                              .arg = ring->lost - reported });
}

static void recover_file(struct found *f)
{
    const struct simple_rings *rings = rings_head;

    f->nr = 0;
    for ( unsigned int i = 0; i < env.nr_file; i++ )
        if ( is_committed(rings, &env.file[i]) )
            add_item(f, env.file[i]);
    for ( unsigned int i = 0; i < rings->nr_rings; i++ )
        add_ring(f, (const struct simple_ring *)ring_memory[i],
                 rings->commit & 1);
    add_item(f, (struct item){ .id = SIMPLE_DROPPED,
             .arg = rings->lost -
                    rings->committed[rings->commit & 1].reported_lost });
}

struct sum
{
    uint64_t events, dropped, without_ring;
    uint64_t after;             /* events in the second file */
    uint64_t of[WRITERS];       /* events and losses of each thread */
};

/*
 * No event is there twice.  Events of a writer are in order (a handler's event
 * can be interrupted by another handler's); without signals, each loss of a
 * ring is at its place.
 */
static struct sum tally_items(const struct found *f)
{
    uint64_t next[WRITERS] = { 0 }, handled = 0;
    struct sum sum = { .events = 0 };
    const struct item *i;
    unsigned int who, nr;

    for ( i = f->items; i < f->items + f->nr; i++ )
    {
        if ( i->id == SIMPLE_DROPPED )
        {
            EXPLORE_CHECK(i->tid <= WRITERS);
            *(i->tid ? &sum.dropped : &sum.without_ring) += i->arg;
            if ( i->tid )
                sum.of[i->tid - 1] += i->arg;
            continue;
        }
        who = i->id >> 8;
        nr = i->id & 0xff;
        EXPLORE_CHECK(who < WRITERS && (who == HANDLER || i->tid == who + 1));
        EXPLORE_CHECK(who == HANDLER ? !(handled >> nr & 1) : nr >= next[who]);
        EXPLORE_CHECK(!current_plan->has_places || nr == sum.events +
                      sum.dropped);
        handled |= (uint64_t)(who == HANDLER) << nr;
        next[who] = nr + 1;
        sum.events++;
        sum.of[who]++;
        sum.after += !who && nr >= env.begun_after;
    }
    return sum;
}

static unsigned int count_begun(void)
{
    return env.writers[0].begun + env.writers[1].begun +
           env.writers[2].begun;
}

static unsigned int count_done(void)
{
    return env.writers[0].done + env.writers[1].done +
           env.writers[2].done;
}

static unsigned int count_safe(void)
{
    return env.writers[0].safe + env.writers[1].safe +
           env.writers[2].safe;
}

static void check_state(void)
{
    struct found f;
    struct sum sum;
    uint64_t there;

    check_freed();
    check_trimmed();
    if ( env.is_closing )
        return;
    recover_file(&f);
    sum = tally_items(&f);
    there = sum.events + sum.dropped + sum.without_ring;
    EXPLORE_CHECK(there >= count_safe());
    EXPLORE_CHECK(there <= count_begun());
    for ( unsigned int who = 0; who < WRITERS; who++ )
        EXPLORE_CHECK(env.writers[HANDLER].begun ||
                      sum.of[who] <= env.writers[who].begun);
}

/* ---- the threads -------------------------------------------------------- */

static void trace_event(unsigned int who, uint32_t bytes)
{
    unsigned int nr = env.writers[who].begun++;

    trace_point(who << 8 | nr, bytes);
    env.writers[who].done++;
    if ( who == HANDLER )
        return;
    env.writers[who].safe = env.writers[who].done;
    env.writers[HANDLER].safe = env.writers[HANDLER].done;
}

static void write_events(void *arg)
{
    uintptr_t who = (uintptr_t)arg;

    for ( unsigned int i = 0; i < current_plan->events; i++ )
        trace_event(who, i % 4 == 3 ? SMALL : current_plan->bytes);
    if ( env.key_values[who] )
        env.key_destructor(env.key_values[who]);
}

static void handle_signal(void)
{
    trace_event(HANDLER, current_plan->bytes);
}

static void drain_passes(void *arg)
{
    (void)arg;
    for ( unsigned int i = 0; i < current_plan->passes; i++ )
        ut_drain_run_pass(&env.drain);
}

static void drain_until_done(void *arg)
{
    (void)arg;
    do
        ut_drain_run_pass(&env.drain);
    while ( count_done() < current_plan->writers * current_plan->events );
}

static void drain_and_recycle(void *arg)
{
    (void)arg;
    for ( unsigned int i = 0; i < current_plan->passes; i++ )
    {
        ut_drain_run_pass(&env.drain);
        ut_drain_recycle_rings(&env.drain, NULL);
    }
}

/* Each ring that is free at the moment is trimmed. */
static void drain_and_trim(void *arg)
{
    (void)arg;
    for ( unsigned int i = 0; i < current_plan->passes; i++ )
    {
        ut_drain_run_pass(&env.drain);
        env.drain.least_free = RINGS;
        ut_drain_recycle_rings(&env.drain, NULL);
        ut_drain_trim_rings(&env.drain, 0);
    }
}

/* The rotation of simple-backend.c. */
static void rotate_file(void *arg)
{
    (void)arg;
    ut_drain_run_pass(&env.drain);
    env.drain.file.inode++;
    env.drain.file.bytes = 0;
    ut_drain_set_file(&env.drain, "f");
    ut_drain_run_pass(&env.drain);
}

/* Closing a file in simple-backend.c, with an unlimited wait. */
static void close_rings(void *arg)
{
    (void)arg;
    env.done_before = count_done();
    env.is_closing = true;
    ut_rings_set_arena(NULL);
    while ( !ut_rings_are_unused() )
        ;
    ut_drain_close_rings(&env.drain);
    do
        ut_drain_run_pass(&env.drain);
    while ( !ut_drain_is_idle(&env.drain) );
    ut_drain_run_pass(&env.drain);
    ut_drain_abandon_rings(&env.drain);
    ut_drain_set_arena(&env.drain, NULL);
    ut_drain_recycle_rings(&env.drain, NULL);
    env.is_closed = true;
}

/* ... and opening another. */
static void close_and_open(void *arg)
{
    close_rings(arg);
    env.max_rings = current_plan->rings;
    ut_drain_set_arena(&env.drain, &env.arena);
    rings_head->lost = 0;
    ut_drain_set_file(&env.drain, "f");
    ut_drain_recycle_rings(&env.drain, NULL);
    ut_rings_set_arena(&env.arena);
    env.begun_after = env.writers[0].begun;
}

/* ---- the beginning and the end ------------------------------------------ */

static void *map_twice(void)
{
    int fd = memfd_create("ring", 0);
    char *at = mmap(NULL, 3 * RING_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if ( fd < 0 || at == MAP_FAILED || ftruncate(fd, 2 * RING_BYTES) ||
         mmap(at, 2 * RING_BYTES, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
         mmap(at + 2 * RING_BYTES, RING_BYTES, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, fd, RING_BYTES) == MAP_FAILED )
    {
        perror("ring");
        _Exit(1);
    }
    close(fd);
    return at;
}

/* The state after simple-backend.c has opened a file. */
static void begin_rings(void)
{
    struct simple_ring *ring;

    memset(&env, 0, sizeof(env));
    memset(rings_head, 0, sizeof(*rings_head));
    for ( unsigned int i = 0; i < RINGS; i++ )
    {
        ring = (struct simple_ring *)ring_memory[i];
        memset(ring, 0, 2 * RING_BYTES);
        ring->mask = RING_BYTES - 1;
        ring->data = RING_BYTES;
    }
    env.max_rings = current_plan->first_rings ? current_plan->first_rings :
                    current_plan->rings;
    ut_rings_reset_in_child(NULL);
    ut_rings_create_key();
    env.drain.file.fd = 0;
    env.drain.file.seekable = true;
    env.drain.file.inode = 1;
    env.drain.file.now.mapped = 1;
    env.arena.head = rings_head;
    env.arena.rings = env.rings;
    ut_drain_set_arena(&env.drain, &env.arena);
    ut_drain_set_file(&env.drain, "f");
    ut_drain_recycle_rings(&env.drain, NULL);
    ut_rings_set_arena(&env.arena);
    /* All but the paths. */
    explore_share(rings_head, offsetof(struct simple_rings, committed[0].path));
    explore_share(&rings_head->committed[1],
                  sizeof(rings_head->committed[1]) - SIMPLE_PATH_MAX);
}

static void begin_plan(void)
{
    begin_rings();
    for ( unsigned int i = 0; i < current_plan->rings; i++ )
    {
        explore_share(ring_memory[i], sizeof(struct simple_ring));
        explore_share(ring_memory[i] + RING_BYTES, RING_BYTES);
    }
    env.failures = current_plan->failures;
    ut_rings_set_blocking(current_plan->blocks);
    for ( uintptr_t i = 0; i < current_plan->writers; i++ )
        explore_spawn(write_events, (void *)i, true);
    explore_spawn(current_plan->drain, NULL, false);
}

static struct sum tally_file(void)
{
    struct found f = { .nr = 0 };

    for ( unsigned int i = 0; i < env.nr_file; i++ )
        add_item(&f, env.file[i]);
    return tally_items(&f);
}

/* All writers have ended: after one pass, everything is in the file. */
static void end_plan(void)
{
    struct sum sum;

    env.failures = 0;
    ut_drain_run_pass(&env.drain);
    sum = tally_file();
    EXPLORE_CHECK(sum.events == env.drain.counts.written);
    EXPLORE_CHECK(sum.dropped + sum.without_ring ==
                  env.drain.counts.dropped);
    EXPLORE_CHECK(sum.events + sum.dropped + sum.without_ring == count_done());
    EXPLORE_CHECK(count_done() == count_begun());
    EXPLORE_CHECK(!current_plan->blocks || !env.drain.counts.dropped);
    for ( unsigned int i = 0; i < env.nr_rings; i++ )
        EXPLORE_CHECK(env.rings[i].ring->state != SIMPLE_RING_HELD);
}

/*
 * An event that is traced while a file is being closed may or may not be in
 * that file.  Events after the second file was opened are in the second file.
 */
static void end_closed(void)
{
    struct sum sum;
    uint64_t there;

    ut_drain_run_pass(&env.drain);
    sum = tally_file();
    there = sum.events + sum.dropped + sum.without_ring;
    EXPLORE_CHECK(env.is_closed && there >= env.done_before);
    EXPLORE_CHECK(there <= count_done());
    EXPLORE_CHECK(!env.drain.arena ||
                  sum.after == env.writers[0].begun - env.begun_after);
}

/* ---- the plans ---------------------------------------------------------- */

static const struct row rows[] = {
    { .plan = { "losses, a write fails", begin_plan, check_state, end_plan },
      .writers = 1, .events = 5, .bytes = BIG, .rings = 1,
      .drain = drain_passes, .passes = 2, .failures = 1, .has_places = true },
    { .plan = { "a signal", begin_plan, check_state, end_plan,
                handle_signal, .signals = 1 },
      .writers = 1, .events = 2, .rings = 1, .drain = drain_passes,
      .passes = 1 },
    { .plan = { "signals nest", begin_plan, check_state, end_plan,
                handle_signal, .signals = 2 },
      .writers = 1, .events = 1, .rings = 2, .drain = drain_passes },
    { .plan = { "a signal and losses", begin_plan, check_state, end_plan,
                handle_signal, .signals = 1 },
      .writers = 1, .events = 3, .bytes = BIG, .rings = 1,
      .drain = drain_passes, .passes = 1 },
    { .plan = { "two writers", begin_plan, check_state, end_plan },
      .writers = 2, .events = 1, .rings = 2, .drain = drain_passes,
      .passes = 1 },
    { .plan = { "rings come and go", begin_plan, check_state, end_plan },
      .writers = 2, .events = 1, .bytes = NOT_NEARLY_EMPTY, .rings = 1,
      .drain = drain_and_recycle, .passes = 1 },
    { .plan = { "free rings are trimmed", begin_plan, check_state, end_plan },
      .writers = 2, .events = 1, .rings = 1, .drain = drain_and_trim,
      .passes = 2 },
    { .plan = { "rotating", begin_plan, check_state, end_plan },
      .writers = 1, .events = 2, .bytes = BIG, .rings = 1,
      .drain = rotate_file },
    { .plan = { "waiting for room", begin_plan, check_state, end_plan },
      .writers = 1, .events = 5, .bytes = BIG, .rings = 1,
      .drain = drain_until_done, .blocks = true },
    { .plan = { "closing", begin_plan, check_state, end_closed,
                .late_stores = true },
      .writers = 1, .events = 2, .rings = 2, .drain = close_rings },
    { .plan = { "closing and opening", begin_plan, check_state, end_closed,
                .late_stores = true },
      .writers = 1, .events = 2, .rings = 2, .first_rings = 1,
      .drain = close_and_open },
    { .plan = { "a ring changes hands", begin_plan, check_state, end_plan },
      .writers = 2, .events = 2, .bytes = 980, .rings = 1,
      .drain = drain_passes, .passes = 2 },
    { .plan = { "closing, a signal", begin_plan, check_state, end_closed,
                handle_signal, .signals = 1 },
      .writers = 1, .events = 1, .rings = 2, .drain = close_rings,
      .is_long = true },
    { .plan = { "many losses, a write fails", begin_plan, check_state,
                end_plan },
      .writers = 1, .events = 7, .bytes = BIG, .rings = 1,
      .drain = drain_passes, .passes = 3, .failures = 1, .has_places = true,
      .is_long = true },
    { .plan = { "signals nest, and are drained", begin_plan, check_state,
                end_plan, handle_signal, .signals = 2 },
      .writers = 1, .events = 1, .rings = 1, .drain = drain_passes,
      .passes = 1, .is_long = true },
    { .plan = { "two writers, a write fails", begin_plan, check_state,
                end_plan },
      .writers = 2, .events = 1, .rings = 2, .drain = drain_passes,
      .passes = 2, .failures = 1, .is_long = true },
    { .plan = { "losses, a ring changes hands", begin_plan, check_state,
                end_plan },
      .writers = 2, .events = 3, .bytes = BIG, .rings = 1,
      .drain = drain_and_recycle, .passes = 1, .is_long = true },
    { .plan = { "a ring changes hands, a write fails", begin_plan, check_state,
                end_plan },
      .writers = 2, .events = 2, .rings = 1, .drain = drain_passes,
      .passes = 2, .failures = 1, .is_long = true },
    { .plan = { "rings come and go, a write fails", begin_plan, check_state,
                end_plan },
      .writers = 2, .events = 1, .bytes = NOT_NEARLY_EMPTY, .rings = 1,
      .drain = drain_and_recycle, .passes = 2, .failures = 1, .is_long = true },
    { .plan = { "trimmed rings, a signal", begin_plan, check_state, end_plan,
                handle_signal, .signals = 1 },
      .writers = 1, .events = 2, .rings = 1, .drain = drain_and_trim,
      .passes = 2, .is_long = true },
};

static void run_plan(const struct row *row)
{
    size_t states;

    current_plan = row;
    states = explore_run(&row->plan);
    printf("%-34s %9zu states\n", row->plan.name, states);
    fflush(stdout);
}

static bool is_selected(const struct row *row, const char *name)
{
    const char *full = getenv("CHECK_FULL");

    return name ? !strcmp(name, row->plan.name) :
                  !row->is_long || (full && *full);
}

/* Run all plans, or the plan of a name. */
int main(int argc, char **argv)
{
    bool any = false;
    size_t i;

    rings_head = mmap(NULL, sizeof(*rings_head), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for ( i = 0; i < RINGS; i++ )
        ring_memory[i] = map_twice();
    for ( i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        if ( is_selected(&rows[i], argc > 1 ? argv[1] : NULL) )
        {
            run_plan(&rows[i]);
            any = true;
        }
    return any ? 0 : 2;
}
