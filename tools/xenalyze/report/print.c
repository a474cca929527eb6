/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each thread goes round:
 *
 *     lock  ->  take some records  ->  unlock  ->  make their text
 *        ->  wait for its turn  ->  write  ->  let the next one write
 *
 * Under the lock is only what needs the order: fetching the next slice of the
 * trace, and following who runs where.  That is about a third of the work, so
 * more than three threads are idle.
 */
#include "xenalyze/report/print.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/report/sieve.h"

#define MAX_THREADS 64u
#define FOLLOW_MS 50

struct press
{
    const struct print_job *job;
    bool copy;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    /* All below under the lock. */
    struct xt_batch batch;
    size_t at;                  /* in it */
    uint64_t taken, written;    /* chunks */
    bool end;
    int rc;                     /* the first that went wrong */
    struct err err;
};

static void give_up(struct press *p, int rc, const char *what)
{
    if ( !p->rc )
        p->rc = err_sys(&p->err, rc, "%s", what);
    p->end = true;
}

/* --- taking --------------------------------------------------------------- */

/* More to take: 1; 0 at the end; -EAGAIN: not now; or -errno. */
static int refill(struct press *p)
{
    if ( p->at < p->batch.nr )
        return 1;
    p->at = 0;
    p->batch.nr = 0;
    return sieve_next(p->job->sieve, &p->batch, &p->err);
}

/*
 * At the end of a file that grows: all that was taken gets written first, since
 * nobody waits longer than for the next look at the file.
 */
static void wait_for_more(struct press *p)
{
    pthread_mutex_unlock(&p->lock);
    fflush(p->job->out);
    poll(NULL, 0, FOLLOW_MS);
    pthread_mutex_lock(&p->lock);
}

/*
 * What is left of the batch goes into so many chunks, all alike: with a small
 * one behind each large one, threads that take turns wait for each other.
 */
static struct xt_batch share(const struct press *p)
{
    struct xt_batch part = p->batch;
    size_t left = part.nr - p->at;
    size_t chunks = (left + CHUNK_ITEMS - 1) / CHUNK_ITEMS;

    part.nr = p->at + (left + chunks - 1) / chunks;
    return part;
}

/* Fill a chunk, with the lock held.  False: nothing more comes. */
static bool take(struct press *p, struct chunk *c)
{
    const struct print_job *job = p->job;
    struct xt_batch part;
    ssize_t nr;
    int rc;

    while ( !p->end )
    {
        rc = refill(p);
        if ( rc == -EAGAIN && job->follow )
        {
            wait_for_more(p);
            continue;
        }
        if ( rc <= 0 )
        {
            p->end = true;
            if ( rc < 0 && !p->rc )
                p->rc = rc;
            break;
        }
        part = share(p);
        chunk_begin(c, &part);
        nr = job->style->take(job->state, c, &part, p->at, &p->end);
        if ( nr < 0 )
        {
            give_up(p, nr, "cannot print the records");
            break;
        }
        p->at += nr;
        if ( job->progress && nr )
            job->progress(job->progress_arg, p->batch.items[p->at - 1].time);
        if ( c->nr || c->fresh )
            return true;
    }
    return false;
}

/* --- writing -------------------------------------------------------------- */

static int put(FILE *out, const struct chunk *c)
{
    return fwrite(c->text, 1, c->used, out) == c->used ? 0 : -errno;
}

/* The text of chunk `number`, when those before it are out. */
static void write_in_turn(struct press *p, const struct chunk *c,
                          uint64_t number)
{
    int rc = 0;

    pthread_mutex_lock(&p->lock);
    while ( p->written != number )
        pthread_cond_wait(&p->turn, &p->lock);
    if ( c->no_memory )
        give_up(p, -ENOMEM, "cannot print the records");
    if ( !p->rc )
    {
        /* Only this thread gets here until `written` says so. */
        pthread_mutex_unlock(&p->lock);
        rc = put(p->job->out, c);
        pthread_mutex_lock(&p->lock);
    }
    if ( rc )
        give_up(p, rc, "cannot write the records");
    p->written++;
    pthread_cond_broadcast(&p->turn);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *arg)
{
    struct press *p = arg;
    uint64_t number = 0;
    struct chunk c;
    bool more;

    if ( chunk_init(&c, p->copy) )
    {
        pthread_mutex_lock(&p->lock);
        give_up(p, -ENOMEM, "cannot print the records");
        pthread_mutex_unlock(&p->lock);
        return NULL;
    }
    for ( ; ; )
    {
        pthread_mutex_lock(&p->lock);
        more = take(p, &c);
        if ( more )
            number = p->taken++;
        pthread_mutex_unlock(&p->lock);
        if ( !more )
            break;
        p->job->style->write(p->job->state, &c);
        write_in_turn(p, &c, number);
    }
    chunk_fini(&c);
    return NULL;
}

/* --- all of it ------------------------------------------------------------ */

/* Threads beside this one, as many as can be had: work is work. */
static unsigned int start(struct press *p, pthread_t *threads)
{
    unsigned int nr = 0, most = p->job->threads - 1;

    most = most < MAX_THREADS ? most : MAX_THREADS;
    while ( nr < most && !fault_hit(FAULT_OPEN) &&
            !pthread_create(&threads[nr], NULL, work, p) )
        nr++;
    return nr;
}

int print_run(const struct print_job *job, struct err *e)
{
    struct press p = { .job = job, .err = ERR_INIT };
    pthread_t threads[MAX_THREADS];
    struct xt_trace_bounds bounds;
    unsigned int nr;

    assert(job->threads);
    xt_trace_bounds(job->trace, &bounds);
    p.copy = job->threads > 1 && !bounds.exact;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.turn, NULL);
    nr = start(&p, threads);
    work(&p);
    while ( nr )
        pthread_join(threads[--nr], NULL);
    pthread_cond_destroy(&p.turn);
    pthread_mutex_destroy(&p.lock);
    if ( p.rc && e && !e->code )
        *e = p.err;
    return p.rc;
}
