/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of libusertrace in every interleaving: writers, with signals in
 * the middle of trace points, the drain, and a kill at any moment.
 *
 * ring-write.c and ring-drain.c are the real code.  This file has the plans,
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

#include "libusertrace/ring-drain.h"
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
#define FREED 0xee

struct row
{
    struct explore_plan plan;
    unsigned int writers, events;   /* events: of each writer */
    uint32_t bytes;                     /* of each event */
    unsigned int rings;         /* available ... */
    unsigned int first_rings;           /* ... before a second file (0: all) */
    unsigned int passes, failures;  /* failures: failed writes, at most */
    void (*drain)(void *arg);
    bool has_places;            /* losses are at their place: no signals */
    bool is_long;
};

/* ---- the world ---------------------------------------------------------- */

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
static struct world
{
    struct ut_drain drain;
    struct ut_ring rings[RINGS];
    bool is_freed[RINGS];
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
    void (*at_end)(void *arg);  /* destructor of a thread's key */
    void *held[WRITERS];        /* values of the key */
} world;

static struct ut_arena arena;
static char *ring_memory[RINGS];

/* The plan that is running. */
static const struct row *now;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){ .tv_nsec = ++world.clock };
    return 0;
}

/* A waiting drain wakes up at once, as the real one may. */
long syscall(long number, ...)
{
    return number == SYS_gettid ? (long)explore_self() + 1 : 0;
}

int pthread_key_create(pthread_key_t *key, void (*at_end)(void *arg))
{
    *key = 0;
    world.at_end = at_end;
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    (void)key;
    if ( explore_self() < WRITERS )
        world.held[explore_self()] = (void *)value;
    return 0;
}

uint32_t ut_count_events(void)
{
    return 1;
}

int ut_ring_new(struct ut_arena *a, struct ut_ring **ring, struct err *e)
{
    unsigned int nr = world.nr_rings;

    (void)e;
    if ( nr == world.max_rings )
        return -ENOSPC;
    world.rings[nr] = (struct ut_ring){
        .ring = (struct simple_ring *)ring_memory[nr], .arena = a,
    };
    world.nr_rings++;
    a->head->nr_rings++;
    *ring = &world.rings[nr];
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
    world.is_freed[r - world.rings] = true;
}

static void check_freed(void)
{
    for ( unsigned int i = 0; i < RINGS; i++ )
        for ( size_t at = 0;
              world.is_freed[i] && at < sizeof(struct simple_ring);
              at++ )
            EXPLORE_CHECK(ring_memory[i][at] == (char)FREED);
}

void ut_arena_unmap(struct ut_arena *a)
{
    (void)a;
}

/* ---- the file ----------------------------------------------------------- */

void ut_file_put_bytes(struct ut_file *f, const void *bytes, size_t nr)
{
    struct item *last = &world.pending[world.nr_pending];
    struct simple_head head;

    f->used += nr;
    if ( nr == 8 )
    {
        memcpy(&last[-1].arg, bytes, nr);
        last[-1].end = f->bytes + f->used;
        return;
    }
    EXPLORE_CHECK(world.nr_pending < ITEMS && nr >= sizeof(head));
    memcpy(&head, bytes, sizeof(head));
    *last = (struct item){
        .id = head.id, .time = head.time, .tid = f->now.tid,
        .end = f->bytes + f->used, .inode = f->inode,
    };
    world.nr_pending++;
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
    bool fails = world.failures && explore_choose(2);

    if ( fails )
    {
        world.failures--;
        world.nr_pending = f->used = 0;
        return -ENOSPC;
    }
    EXPLORE_CHECK(world.nr_file + world.nr_pending <= ITEMS);
    memcpy(&world.file[world.nr_file], world.pending,
           world.nr_pending * sizeof(world.pending[0]));
    world.nr_file += world.nr_pending;
    f->bytes += f->used;
    world.nr_pending = f->used = 0;
    return 0;
}

static bool is_in(const struct simple_rings *rings, const struct item *i)
{
    unsigned int side = rings->commit & 1;

    return i->inode < rings->committed[side].inode ||
           (i->inode == rings->committed[side].inode &&
            i->end <= rings->committed[side].bytes);
}

/* ---- what is found by who comes after a kill ---------------------------- */

struct found
{
    struct item items[2 * ITEMS];
    unsigned int nr;
};

static void add(struct found *f, struct item i)
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
    i = (struct item){ .id = head.id, .time = head.time, .tid = ring->tid };
    if ( head.id == SIMPLE_DROPPED )
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
    uint64_t time = 0;
    struct item i;
    uint32_t size;

    EXPLORE_CHECK(at <= ring->at.head && ring->at.head <= ring->at.reserved);
    EXPLORE_CHECK(ring->at.reserved - at <= RING_BYTES);
    for ( ; at < ring->at.head; at += size )
    {
        i = take_record(ring, at, &size);
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
        add(f, i);
    }
    EXPLORE_CHECK(at == ring->at.head);
    if ( ring->lost > reported )
        add(f, (struct item){ .id = SIMPLE_DROPPED, .tid = ring->tid,
                              .arg = ring->lost - reported });
}

static void recover(struct found *f)
{
    const struct simple_rings *rings = arena.head;

    f->nr = 0;
    for ( unsigned int i = 0; i < world.nr_file; i++ )
        if ( is_in(rings, &world.file[i]) )
            add(f, world.file[i]);
    for ( unsigned int i = 0; i < rings->nr_rings; i++ )
        add_ring(f, (const struct simple_ring *)ring_memory[i],
                 rings->commit & 1);
}

struct sum
{
    uint64_t events, dropped, without_ring;
    uint64_t after;             /* events in the second file */
};

/*
 * No event is there twice.  Events of a writer are in order (a handler's event
 * can be interrupted by another handler's); without signals, each loss of a
 * ring is at its place.
 */
static struct sum tally(const struct found *f)
{
    uint64_t next[WRITERS] = { 0 }, handled = 0;
    struct sum sum = { .events = 0 };
    const struct item *i;
    unsigned int who, nr;

    for ( i = f->items; i < f->items + f->nr; i++ )
    {
        if ( i->id == SIMPLE_DROPPED )
        {
            *(i->tid ? &sum.dropped : &sum.without_ring) += i->arg;
            continue;
        }
        who = i->id >> 8;
        nr = i->id & 0xff;
        EXPLORE_CHECK(who < WRITERS && (who == HANDLER || i->tid == who + 1));
        EXPLORE_CHECK(who == HANDLER ? !(handled >> nr & 1) : nr >= next[who]);
        EXPLORE_CHECK(!now->has_places || nr == sum.events + sum.dropped);
        handled |= (uint64_t)(who == HANDLER) << nr;
        next[who] = nr + 1;
        sum.events++;
        sum.after += !who && nr >= world.begun_after;
    }
    return sum;
}

static unsigned int begun(void)
{
    return world.writers[0].begun + world.writers[1].begun +
           world.writers[2].begun;
}

static unsigned int done(void)
{
    return world.writers[0].done + world.writers[1].done +
           world.writers[2].done;
}

static unsigned int safe(void)
{
    return world.writers[0].safe + world.writers[1].safe +
           world.writers[2].safe;
}

/*
 * Losses for lack of a ring are recorded in the file only: a kill loses the
 * last of them.
 */
static void check(void)
{
    struct found f;
    struct sum sum;
    uint64_t there;

    check_freed();
    if ( world.is_closing )
        return;
    recover(&f);
    sum = tally(&f);
    there = sum.events + sum.dropped + ut_rings_count_lost();
    EXPLORE_CHECK(there >= safe());
    EXPLORE_CHECK(there <= begun());
    EXPLORE_CHECK(sum.without_ring <= ut_rings_count_lost());
}

/* ---- the threads -------------------------------------------------------- */

static void trace(unsigned int who, uint32_t bytes)
{
    unsigned int nr = world.writers[who].begun++;

    point(who << 8 | nr, bytes);
    world.writers[who].done++;
    if ( who == HANDLER )
        return;
    world.writers[who].safe = world.writers[who].done;
    world.writers[HANDLER].safe = world.writers[HANDLER].done;
}

static void write_events(void *arg)
{
    uintptr_t who = (uintptr_t)arg;

    for ( unsigned int i = 0; i < now->events; i++ )
        trace(who, i % 4 == 3 ? SMALL : now->bytes);
    if ( world.held[who] )
        world.at_end(world.held[who]);
}

static void handler(void)
{
    trace(HANDLER, now->bytes);
}

static void drain(void *arg)
{
    (void)arg;
    for ( unsigned int i = 0; i < now->passes; i++ )
        ut_drain_run_pass(&world.drain);
}

static void drain_and_tend(void *arg)
{
    (void)arg;
    for ( unsigned int i = 0; i < now->passes; i++ )
    {
        ut_drain_run_pass(&world.drain);
        ut_drain_recycle_rings(&world.drain, NULL);
    }
}

/* The rotation of simple-backend.c. */
static void rotate(void *arg)
{
    (void)arg;
    ut_drain_run_pass(&world.drain);
    world.drain.file.inode++;
    world.drain.file.bytes = 0;
    ut_drain_set_file(&world.drain, "f");
    ut_drain_run_pass(&world.drain);
}

/* Closing a file in simple-backend.c, with an unlimited wait. */
static void close_rings(void *arg)
{
    (void)arg;
    world.done_before = done();
    world.is_closing = true;
    ut_rings_set_accepting(false);
    ut_drain_close_rings(&world.drain);
    do
        ut_drain_run_pass(&world.drain);
    while ( !ut_drain_is_idle(&world.drain) );
    ut_drain_run_pass(&world.drain);
    ut_drain_abandon_rings(&world.drain);
    world.drain.arena = NULL;
    ut_drain_recycle_rings(&world.drain, NULL);
    world.is_closed = true;
}

/* ... and opening another. */
static void close_and_open(void *arg)
{
    close_rings(arg);
    world.max_rings = now->rings;
    world.drain.arena = &arena;
    ut_drain_set_file(&world.drain, "f");
    ut_drain_recycle_rings(&world.drain, NULL);
    ut_rings_set_accepting(true);
    world.begun_after = world.writers[0].begun;
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

    memset(&world, 0, sizeof(world));
    memset(arena.head, 0, sizeof(*arena.head));
    for ( unsigned int i = 0; i < RINGS; i++ )
    {
        ring = (struct simple_ring *)ring_memory[i];
        memset(ring, 0, 2 * RING_BYTES);
        ring->mask = RING_BYTES - 1;
        ring->data = RING_BYTES;
    }
    world.max_rings = now->first_rings ? now->first_rings : now->rings;
    ut_rings_reset_in_child(NULL);
    ut_rings_create_key();
    world.drain.file.fd = 0;
    world.drain.file.seekable = true;
    world.drain.file.inode = 1;
    world.drain.file.now.mapped = 1;
    world.drain.arena = &arena;
    ut_drain_set_file(&world.drain, "f");
    ut_drain_recycle_rings(&world.drain, NULL);
    ut_rings_set_accepting(true);
    /* All but the paths. */
    explore_share(arena.head, offsetof(struct simple_rings, committed[0].path));
    explore_share(&arena.head->committed[1],
                  sizeof(arena.head->committed[1]) - SIMPLE_PATH_MAX);
}

static void begin(void)
{
    begin_rings();
    for ( unsigned int i = 0; i < now->rings; i++ )
    {
        explore_share(ring_memory[i], sizeof(struct simple_ring));
        explore_share(ring_memory[i] + RING_BYTES, RING_BYTES);
    }
    world.failures = now->failures;
    for ( uintptr_t i = 0; i < now->writers; i++ )
        explore_spawn(write_events, (void *)i, true);
    explore_spawn(now->drain, NULL, false);
}

static struct sum tally_file(void)
{
    struct found f = { .nr = 0 };

    for ( unsigned int i = 0; i < world.nr_file; i++ )
        add(&f, world.file[i]);
    return tally(&f);
}

/* All writers have ended: after one pass, everything is in the file. */
static void end(void)
{
    struct sum sum;

    world.failures = 0;
    ut_drain_run_pass(&world.drain);
    sum = tally_file();
    EXPLORE_CHECK(sum.events == world.drain.counts.written);
    EXPLORE_CHECK(sum.dropped + sum.without_ring ==
                  world.drain.counts.dropped);
    EXPLORE_CHECK(sum.events + sum.dropped + sum.without_ring == done());
    EXPLORE_CHECK(done() == begun());
    for ( unsigned int i = 0; i < world.nr_rings; i++ )
        EXPLORE_CHECK(world.rings[i].ring->state != SIMPLE_RING_HELD);
}

/*
 * An event that is traced while a file is being closed may or may not be in
 * that file.  Events after the second file was opened are in the second file.
 */
static void end_closed(void)
{
    struct sum sum;
    uint64_t there;

    ut_drain_run_pass(&world.drain);
    sum = tally_file();
    there = sum.events + sum.dropped + sum.without_ring;
    EXPLORE_CHECK(world.is_closed && there >= world.done_before);
    EXPLORE_CHECK(there <= done());
    EXPLORE_CHECK(!world.drain.arena ||
                  sum.after == world.writers[0].begun - world.begun_after);
}

/* ---- the plans ---------------------------------------------------------- */

static const struct row rows[] = {
    { .plan = { "losses, a write fails", begin, check, end },
      .writers = 1, .events = 5, .bytes = BIG, .rings = 1,
      .drain = drain, .passes = 2, .failures = 1, .has_places = true },
    { .plan = { "a signal", begin, check, end, handler, .signals = 1 },
      .writers = 1, .events = 2, .rings = 1, .drain = drain, .passes = 1 },
    { .plan = { "signals nest", begin, check, end, handler, .signals = 2 },
      .writers = 1, .events = 1, .rings = 2, .drain = drain },
    { .plan = { "a signal and losses", begin, check, end, handler,
                .signals = 1 },
      .writers = 1, .events = 3, .bytes = BIG, .rings = 1,
      .drain = drain, .passes = 1 },
    { .plan = { "two writers", begin, check, end },
      .writers = 2, .events = 1, .rings = 2, .drain = drain, .passes = 1 },
    { .plan = { "rings come and go", begin, check, end },
      .writers = 2, .events = 1, .rings = 1, .drain = drain_and_tend,
      .passes = 1 },
    { .plan = { "rotating", begin, check, end },
      .writers = 1, .events = 2, .bytes = BIG, .rings = 1, .drain = rotate },
    { .plan = { "closing", begin, check, end_closed, .late_stores = true },
      .writers = 1, .events = 2, .rings = 2, .drain = close_rings },
    { .plan = { "closing and opening", begin, check, end_closed,
                .late_stores = true },
      .writers = 1, .events = 2, .rings = 2, .first_rings = 1,
      .drain = close_and_open },
    { .plan = { "closing, a signal", begin, check, end_closed, handler,
                .signals = 1 },
      .writers = 1, .events = 1, .rings = 2, .drain = close_rings,
      .is_long = true },
    { .plan = { "many losses, a write fails", begin, check, end },
      .writers = 1, .events = 7, .bytes = BIG, .rings = 1,
      .drain = drain, .passes = 3, .failures = 1, .has_places = true,
      .is_long = true },
    { .plan = { "signals nest, and are drained", begin, check, end, handler,
                .signals = 2 },
      .writers = 1, .events = 1, .rings = 1, .drain = drain, .passes = 1,
      .is_long = true },
    { .plan = { "two writers, a write fails", begin, check, end },
      .writers = 2, .events = 1, .rings = 2, .drain = drain, .passes = 2,
      .failures = 1, .is_long = true },
    { .plan = { "rings come and go, a write fails", begin, check, end },
      .writers = 2, .events = 1, .rings = 1, .drain = drain_and_tend,
      .passes = 2, .failures = 1, .is_long = true },
};

static void play(const struct row *row)
{
    size_t states;

    now = row;
    states = explore(&row->plan);
    printf("%-34s %9zu states\n", row->plan.name, states);
    fflush(stdout);
}

static bool is_wanted(const struct row *row, const char *name)
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

    arena.head = mmap(NULL, sizeof(*arena.head), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for ( i = 0; i < RINGS; i++ )
        ring_memory[i] = map_twice();
    for ( i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        if ( is_wanted(&rows[i], argc > 1 ? argv[1] : NULL) )
        {
            play(&rows[i]);
            any = true;
        }
    return any ? 0 : 2;
}
