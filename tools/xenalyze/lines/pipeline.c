/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of chunks with three stages:
 *
 *     read     the next records, and the state that depends on their order.
 *              One thread at a time
 *     format   the text.  Any number of threads
 *     write    the text to the output.  One thread at a time
 *
 *           formatted or in work        read            free
 *     - - |-----------------------|-----------------|- - - - - - - -
 *       nr_written            nr_begun           nr_read
 *
 * Each thread does whichever stage is due.  The reading thread keeps reading
 * until the others have enough to format, since the state for reading is in its
 * cache.  No thread waits for its turn to write: a finished text is left to the
 * thread that writes already.  Reading is more than a quarter of the work, so a
 * fifth thread would be idle.
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
 * Chunks to read ahead for each other thread.  A chunk that is formatted late
 * has left the cache of the other thread, so there are few; but enough that
 * neither thread waits for the other all the time.  Speed of two threads, as a
 * multiple of one (tests/bench/dump; two runs, and one):
 *
 *     pcpus                     4          128
 *     7 of 4,096 records    1.7 1.7     1.3 1.5
 *     4 of 2,048                1.8         1.7
 */
#define AHEAD 4u
#define MAX_CHUNKS ((AHEAD + 2) * MAX_THREADS)

/* Slots share no cache line: neighbours are read and formatted at once. */
struct slot
{
    _Alignas(128) struct chunk chunk;
    bool formatted;
};

struct pipeline
{
    const struct pipeline_job *job;
    unsigned int nr_threads, nr_slots;
    struct slot slots[MAX_CHUNKS];
    pthread_mutex_t lock;
    pthread_cond_t change;
    /* Used by the reading thread only. */
    struct xt_batch batch;
    size_t at;                  /* index of the next record in the batch */
    /* All below under the lock. */
    uint64_t nr_read, nr_begun, nr_written;     /* chunks */
    pthread_t reader;           /* the last one */
    bool reading, writing;
    bool drained;               /* a growing file has no more for the moment */
    bool end;
    int rc;                     /* the first failure */
    struct err err;
};

static struct slot *slot_at(struct pipeline *p, uint64_t number)
{
    return &p->slots[number % p->nr_slots];
}

static void pipeline_fail(struct pipeline *p, int rc, const struct err *e)
{
    assert(rc < 0);
    if ( !p->rc )
    {
        p->rc = rc;
        p->err = *e;
    }
    p->end = true;
}

static void pipeline_fail_sys(struct pipeline *p, int rc, const char *verb,
                              const char *what)
{
    struct err e = ERR_INIT;

    pipeline_fail(p, err_sys(&e, rc, "cannot %s %s", verb,
                             what ? what : "the records"), &e);
}

/* --- reading -------------------------------------------------------------- */

/* The records for one chunk: the rest of the batch in chunks of equal size. */
static struct xt_batch equal_part(const struct pipeline *p)
{
    struct xt_batch part = p->batch;
    size_t left = part.nr - p->at;
    size_t chunks = (left + CHUNK_ITEMS - 1) / CHUNK_ITEMS;

    assert(left);
    part.nr = p->at + (left + chunks - 1) / chunks;
    return part;
}

/* Fill a chunk.  1; 0: end; -EAGAIN: nothing at the moment; or -errno. */
static int fill_chunk(struct pipeline *p, struct chunk *c, struct err *e)
{
    const struct pipeline_job *job = p->job;
    struct xt_batch part;
    ssize_t nr;
    int rc;

    do
    {
        if ( p->at == p->batch.nr )
        {
            p->at = p->batch.nr = 0;
            rc = record_filter_next(job->source, &p->batch, e);
            if ( rc <= 0 )
                return rc;
        }
        part = equal_part(p);
        chunk_begin(c, &part);
        nr = job->style->read(job->state, c, &part, p->at);
        if ( nr < 0 )
            return err_sys(e, nr, "cannot print the records");
        p->at += nr;
        assert(p->at <= part.nr);
        if ( job->progress && nr )
            job->progress(job->progress_arg, p->batch.items[p->at - 1].time);
    } while ( !c->nr && !c->fresh && !c->nr_inserts );
    return c->nr || c->fresh || c->nr_inserts;
}

/*
 * At the end of a growing file, before looking for more: by now all records
 * read have been written, so the reader of the text sees them at once.
 */
static void wait_for_growth(struct pipeline *p)
{
    fflush(p->job->out);
    poll(NULL, 0, FOLLOW_MS);
}

static void read_next(struct pipeline *p)
{
    struct slot *s = slot_at(p, p->nr_read);
    struct err e = ERR_INIT;
    bool drained = p->drained;
    int rc;

    assert(!p->reading && p->nr_read - p->nr_written < p->nr_slots);
    p->reading = true;
    p->reader = pthread_self();
    pthread_mutex_unlock(&p->lock);
    if ( drained )
        wait_for_growth(p);
    s->formatted = false;
    rc = fill_chunk(p, &s->chunk, &e);
    pthread_mutex_lock(&p->lock);
    p->reading = false;
    p->drained = rc == -EAGAIN && p->job->follow;
    if ( rc > 0 )
        p->nr_read++;
    else if ( !rc )
        p->end = true;
    else if ( !p->drained )
        pipeline_fail(p, rc, &e);
}

/* --- formatting and writing ----------------------------------------------- */

static void format_next(struct pipeline *p)
{
    struct slot *s = slot_at(p, p->nr_begun++);

    assert(!s->formatted);
    pthread_mutex_unlock(&p->lock);
    p->job->style->format(p->job->state, &s->chunk);
    pthread_mutex_lock(&p->lock);
    s->formatted = true;
}

static void write_next(struct pipeline *p)
{
    const struct chunk *c = &slot_at(p, p->nr_written)->chunk;
    int rc = 0;

    assert(!p->writing && c->used <= c->room);
    p->writing = true;
    if ( c->no_memory )
        pipeline_fail_sys(p, -ENOMEM, "print", NULL);
    if ( !p->rc )
    {
        pthread_mutex_unlock(&p->lock);
        if ( fwrite(c->text, 1, c->used, p->job->out) != c->used )
            rc = -errno;
        pthread_mutex_lock(&p->lock);
    }
    if ( rc )
        pipeline_fail_sys(p, rc, "write", p->job->output);
    p->nr_written++;
    p->writing = false;
}

/* --- the choice of the next stage ----------------------------------------- */

static bool can_read(const struct pipeline *p)
{
    return !p->reading && !p->end &&
           p->nr_read - p->nr_written < p->nr_slots &&
           (!p->drained || p->nr_written == p->nr_read);
}

static bool can_write(struct pipeline *p)
{
    return p->nr_written < p->nr_begun && !p->writing &&
           slot_at(p, p->nr_written)->formatted;
}

/* True if this thread should format: the reader only if far ahead. */
static bool has_backlog(const struct pipeline *p)
{
    uint64_t backlog = p->nr_read - p->nr_begun;

    return backlog && (!pthread_equal(p->reader, pthread_self()) ||
                       backlog >= AHEAD * (p->nr_threads - 1));
}

/* Run one stage.  The lock is held before and after.  False: all is done. */
static bool run_stage(struct pipeline *p)
{
    assert(p->nr_written <= p->nr_begun && p->nr_begun <= p->nr_read &&
           p->nr_read - p->nr_written <= p->nr_slots);
    if ( can_write(p) )
        write_next(p);
    else if ( can_read(p) && !has_backlog(p) )
        read_next(p);
    else if ( p->nr_begun < p->nr_read )
        format_next(p);
    else if ( p->end && p->nr_written == p->nr_read )
        return false;
    else
    {
        pthread_cond_wait(&p->change, &p->lock);
        return true;
    }
    pthread_cond_broadcast(&p->change);
    return true;
}

static void *run_worker(void *arg)
{
    struct pipeline *p = arg;

    pthread_mutex_lock(&p->lock);
    while ( run_stage(p) )
        ;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* --- all threads ---------------------------------------------------------- */

static int init_slots(struct pipeline *p)
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

/* This thread is a worker, too, so threads that cannot be had are no error. */
static void run_workers(struct pipeline *p)
{
    pthread_t threads[MAX_THREADS];
    unsigned int nr = 0;

    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->change, NULL);
    while ( nr + 1 < p->nr_threads && !fault_hit(FAULT_OPEN) &&
            !pthread_create(&threads[nr], NULL, run_worker, p) )
        nr++;
    run_worker(p);
    while ( nr )
        pthread_join(threads[--nr], NULL);
    assert(p->end && !p->reading && !p->writing && p->nr_written == p->nr_read);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->lock);
}

int pipeline_run(const struct pipeline_job *job, struct err *e)
{
    struct pipeline p = { .job = job, .err = ERR_INIT };

    assert(job->threads && job->source && job->out);
    if ( init_slots(&p) )
        pipeline_fail_sys(&p, -ENOMEM, "print", NULL);
    else
        run_workers(&p);
    for ( unsigned int i = 0; i < p.nr_slots; i++ )
        chunk_fini(&p.slots[i].chunk);
    if ( p.rc && e && !e->code )
        *e = p.err;
    return p.rc;
}
