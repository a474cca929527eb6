/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of chunks, and three things to do with each:
 *
 *     take     the next records, which need the order: a slice of the trace,
 *              and who runs where.  One thread at a time
 *     make     the text.  As many threads as there are
 *     put      it into the output.  One thread at a time
 *
 *           made, or being made           taken           free
 *     - - |-----------------------|-----------------|- - - - - - - -
 *       written                 begun             taken
 *
 * Any thread does whatever is to be done next.  But who takes goes on to take
 * until others have enough to make, since all that is needed for it is in that
 * one's cache; and nobody waits for a turn to write, but leaves a text for
 * who is at it.  Taking is more than a quarter of the work, so a fifth thread
 * would be idle.
 */
#include "xenalyze/lines/pipeline.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/lines/record-filter.h"

#define MAX_THREADS 4u
#define FOLLOW_MS 50

/*
 * So many chunks are taken ahead for each other thread: few, since what is used
 * again late has left the other thread's cache, but enough that neither waits
 * for the other all the time.  Two threads, times as fast as one
 * (tests/bench/dump; twice, and once):
 *
 *     pcpus                     4          128
 *     7 of 4,096 records    1.7 1.7     1.3 1.5
 *     4 of 2,048                1.8         1.7
 */
#define AHEAD 4u
#define MAX_CHUNKS ((AHEAD + 2) * MAX_THREADS)

/* Each in cache lines of its own: who takes writes beside who makes. */
struct slot
{
    _Alignas(128) struct chunk chunk;
    bool made;
};

struct press
{
    const struct print_job *job;
    unsigned int nr_threads, nr_slots;
    struct slot slots[MAX_CHUNKS];
    pthread_mutex_t lock;
    pthread_cond_t change;
    /* Of who takes. */
    struct xt_batch batch;
    size_t at;                  /* in it */
    /* All below under the lock. */
    uint64_t taken, begun, written;     /* chunks */
    pthread_t taker;            /* the last one */
    bool taking, putting;
    bool dry;                   /* there was no more, for the moment */
    bool end;
    int rc;                     /* the first that went wrong */
    struct err err;
};

static struct slot *slot_of(struct press *p, uint64_t number)
{
    return &p->slots[number % p->nr_slots];
}

static void give_up(struct press *p, int rc, const struct err *e)
{
    if ( !p->rc )
    {
        p->rc = rc;
        p->err = *e;
    }
    p->end = true;
}

static void give_up_on(struct press *p, int rc, const char *what)
{
    struct err e = ERR_INIT;

    give_up(p, err_sys(&e, rc, "%s", what), &e);
}

/* --- taking --------------------------------------------------------------- */

/* What is left of the batch goes into so many chunks, all alike. */
static struct xt_batch share(const struct press *p)
{
    struct xt_batch part = p->batch;
    size_t left = part.nr - p->at;
    size_t chunks = (left + CHUNK_ITEMS - 1) / CHUNK_ITEMS;

    part.nr = p->at + (left + chunks - 1) / chunks;
    return part;
}

/* Fill a chunk.  1; 0: nothing more comes; -EAGAIN: not now; or -errno. */
static int fill(struct press *p, struct chunk *c, struct err *e)
{
    const struct print_job *job = p->job;
    struct xt_batch part;
    bool end = false;
    ssize_t nr;
    int rc;

    do
    {
        if ( p->at == p->batch.nr )
        {
            p->at = p->batch.nr = 0;
            rc = sieve_next(job->sieve, &p->batch, e);
            if ( rc <= 0 )
                return rc;
        }
        part = share(p);
        chunk_begin(c, &part);
        nr = job->style->take(job->state, c, &part, p->at, &end);
        if ( nr < 0 )
            return err_sys(e, nr, "cannot print the records");
        p->at += nr;
        if ( job->progress && nr )
            job->progress(job->progress_arg, p->batch.items[p->at - 1].time);
    } while ( !c->nr && !c->fresh && !end );
    return c->nr || c->fresh;
}

/*
 * At the end of a file that grows: all that was taken is written, since nobody
 * waits longer than for the next look at the file.
 */
static void wait_for_more(struct press *p)
{
    fflush(p->job->out);
    poll(NULL, 0, FOLLOW_MS);
}

static void take(struct press *p)
{
    struct slot *s = slot_of(p, p->taken);
    struct err e = ERR_INIT;
    bool dry = p->dry;
    int rc;

    p->taking = true;
    p->taker = pthread_self();
    pthread_mutex_unlock(&p->lock);
    if ( dry )
        wait_for_more(p);
    s->made = false;
    rc = fill(p, &s->chunk, &e);
    pthread_mutex_lock(&p->lock);
    p->taking = false;
    p->dry = rc == -EAGAIN && p->job->follow;
    if ( rc > 0 )
        p->taken++;
    else if ( !rc )
        p->end = true;
    else if ( !p->dry )
        give_up(p, rc, &e);
}

/* --- making and putting -------------------------------------------------- */

static void make(struct press *p)
{
    struct slot *s = slot_of(p, p->begun++);

    pthread_mutex_unlock(&p->lock);
    p->job->style->write(p->job->state, &s->chunk);
    pthread_mutex_lock(&p->lock);
    s->made = true;
}

static void put(struct press *p)
{
    const struct chunk *c = &slot_of(p, p->written)->chunk;
    int rc = 0;

    p->putting = true;
    if ( c->no_memory )
        give_up_on(p, -ENOMEM, "cannot print the records");
    if ( !p->rc )
    {
        pthread_mutex_unlock(&p->lock);
        if ( fwrite(c->text, 1, c->used, p->job->out) != c->used )
            rc = -errno;
        pthread_mutex_lock(&p->lock);
    }
    if ( rc )
        give_up_on(p, rc, "cannot write the records");
    p->written++;
    p->putting = false;
}

/* --- what is next -------------------------------------------------------- */

static bool can_take(const struct press *p)
{
    return !p->taking && !p->end && p->taken - p->written < p->nr_slots &&
           (!p->dry || p->written == p->taken);
}

/* Is there so much to make that who takes had better help? */
static bool has_enough(const struct press *p)
{
    uint64_t waiting = p->taken - p->begun;

    return waiting && (!pthread_equal(p->taker, pthread_self()) ||
                       waiting >= AHEAD * (p->nr_threads - 1));
}

/* One thing, with the lock held before and behind it.  False: all is done. */
static bool do_next(struct press *p)
{
    if ( p->written < p->begun && !p->putting && slot_of(p, p->written)->made )
        put(p);
    else if ( can_take(p) && !has_enough(p) )
        take(p);
    else if ( p->begun < p->taken )
        make(p);
    else if ( p->end && p->written == p->taken )
        return false;
    else
    {
        pthread_cond_wait(&p->change, &p->lock);
        return true;
    }
    pthread_cond_broadcast(&p->change);
    return true;
}

static void *work(void *arg)
{
    struct press *p = arg;

    pthread_mutex_lock(&p->lock);
    while ( do_next(p) )
        ;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* --- all of it ------------------------------------------------------------ */

static int init(struct press *p)
{
    struct xt_trace_bounds bounds;
    unsigned int nr = p->job->threads;

    xt_trace_bounds(p->job->trace, &bounds);
    p->nr_threads = nr < MAX_THREADS ? nr : MAX_THREADS;
    p->nr_slots = nr > 1 ? (AHEAD + 2) * p->nr_threads : 1;
    for ( unsigned int i = 0; i < p->nr_slots; i++ )
        if ( chunk_init(&p->slots[i].chunk, nr > 1 && !bounds.exact) )
            return -ENOMEM;
    return 0;
}

/* With threads beside this one, as many as can be had: work is work. */
static void run(struct press *p)
{
    pthread_t threads[MAX_THREADS];
    unsigned int nr = 0;

    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->change, NULL);
    while ( nr + 1 < p->nr_threads && !fault_hit(FAULT_OPEN) &&
            !pthread_create(&threads[nr], NULL, work, p) )
        nr++;
    work(p);
    while ( nr )
        pthread_join(threads[--nr], NULL);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->lock);
}

int print_run(const struct print_job *job, struct err *e)
{
    struct press p = { .job = job, .err = ERR_INIT };

    assert(job->threads);
    if ( init(&p) )
        give_up_on(&p, -ENOMEM, "cannot print the records");
    else
        run(&p);
    for ( unsigned int i = 0; i < p.nr_slots; i++ )
        chunk_fini(&p.slots[i].chunk);
    if ( p.rc && e && !e->code )
        *e = p.err;
    return p.rc;
}
