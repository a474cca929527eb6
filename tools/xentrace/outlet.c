/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads, one lock.  Bytes of the spool need none: those before
 * `published` are not touched by the one who puts, and those behind it not by
 * the one who writes.
 *
 * The thread is deaf to all signals but SIGUSR2, whose handler does nothing:
 * with it the other one gets it out of a write that does not return, after
 * somebody has insisted on an end.
 */
#include "xentrace/outlet.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/records.h"

#define NUDGE_MS 50     /* how often one who insists is heard */

/* --- the thread ---------------------------------------------------------- */

static void ring_bell(const struct outlet *o)
{
    uint64_t one = 1;
    ssize_t done = write(o->event, &one, sizeof(one));

    (void)done; /* it is full only if nobody has looked for 2^64 times */
}

/* The place behind so many windows from `at` on. */
static uint64_t skip(const struct outlet *o, uint64_t at, uint64_t windows)
{
    struct spool_window w;

    for ( ; windows; windows-- )
    {
        spool_window(&o->spool, at, &w);
        at = w.end;
    }
    return at;
}

static void set_safe(struct outlet *o, uint64_t at)
{
    pthread_mutex_lock(&o->lock);
    o->spool.tail = at;
    pthread_mutex_unlock(&o->lock);
    ring_bell(o);
}

/* What has got into the file by now needs no memory, and is safe. */
static void give_back(struct outlet *o)
{
    uint64_t more = o->writer->safe - o->counted;

    if ( more )
        set_safe(o, skip(o, o->spool.tail, more));
    o->counted += more;
}

/* -z keeps windows back that would make a larger frame. */
static bool keeps_back(const struct outlet *o)
{
    return o->writer->safe != o->writer->given;
}

/* Hand over the windows from here on, as many as one batch takes. */
static int write_some(struct outlet *o, uint64_t *at, uint64_t to,
                      struct err *e)
{
    /* As long as there is room. */
    bool hard = to - o->spool.tail > o->spool.size / 4;
    struct spool_window w;
    int rc = 0;

    for ( unsigned int i = 0; !rc && *at < to && i < WRITER_BATCH / 2; i++ )
    {
        spool_window(&o->spool, *at, &w);
        rc = writer_window(o->writer, w.cpu, w.span, w.nr_spans, e);
        *at = w.end;
    }
    if ( !rc )
        rc = writer_flush(o->writer, hard, e);
    give_back(o);
    return rc;
}

/*
 * There is more to write, from *at to *to; false: there never will be.  Where
 * nothing waited, it may go on elsewhere.
 */
static bool wait_for_more(struct outlet *o, uint64_t *at, uint64_t *to)
{
    bool more;

    pthread_mutex_lock(&o->lock);
    for ( ; ; )
    {
        if ( !keeps_back(o) )
            *at = o->spool.tail;
        if ( o->published != *at || o->ending )
            break;
        pthread_cond_wait(&o->more, &o->lock);
    }
    *to = o->published;
    more = *at != *to;
    pthread_mutex_unlock(&o->lock);
    return more;
}

static int write_until_end(struct outlet *o, struct err *e)
{
    uint64_t at = 0, to = 0;
    int rc = 0;

    while ( !rc && wait_for_more(o, &at, &to) )
        while ( !rc && at < to )
            rc = write_some(o, &at, to, e);
    if ( !rc && keeps_back(o) )
        rc = writer_flush(o->writer, true, e);
    give_back(o);
    return rc;
}

static void *run(void *outlet)
{
    struct outlet *o = outlet;
    struct err e = ERR_INIT;

    write_until_end(o, &e);
    pthread_mutex_lock(&o->lock);
    o->err = e;
    o->ended = true;
    pthread_mutex_unlock(&o->lock);
    ring_bell(o);
    return NULL;
}

static void nothing(int number)
{
    (void)number;
}

/* No SA_RESTART: that is what it is for. */
static int start_thread(struct outlet *o)
{
    struct sigaction act = { .sa_handler = nothing };
    sigset_t all, before;
    int rc;

    sigemptyset(&act.sa_mask);
    if ( sigaction(SIGUSR2, &act, NULL) )
        return -errno;
    sigfillset(&all);
    sigdelset(&all, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = fault_hit(FAULT_ALLOC) ? ENOMEM
                                : pthread_create(&o->thread, NULL, run, o);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -rc;
}

/* --- there and away ------------------------------------------------------ */

int outlet_open(struct outlet *o, struct writer *w, uint64_t bytes,
                struct err *e)
{
    int rc;

    *o = (struct outlet){ .writer = w, .event = -1, .err = ERR_INIT };
    rc = spool_init(&o->spool, bytes, e);
    if ( rc )
        return rc;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->more, NULL);
    o->event = fault_hit(FAULT_OPEN)
               ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = o->event < 0 ? -errno : start_thread(o);
    if ( !rc )
        return 0;
    o->ended = true;
    outlet_close(o);
    return err_sys(e, rc, "cannot start to write");
}

void outlet_close(struct outlet *o)
{
    assert(o->ended);
    if ( o->event >= 0 )
        close(o->event);
    pthread_cond_destroy(&o->more);
    pthread_mutex_destroy(&o->lock);
    spool_fini(&o->spool);
}

/* --- the one who puts ---------------------------------------------------- */

/*
 * What is small shall stay in the cache: where nothing waits, the spool goes
 * on at the start of its memory.
 */
static void begin_again(struct outlet *o)
{
    struct spool *s = &o->spool;

    if ( s->tail != s->head || s->head % s->size == 0 )
        return;
    s->head += s->size - s->head % s->size;
    s->tail = o->published = s->head;
}

static bool has_room(struct outlet *o, uint64_t bytes)
{
    uint64_t waiting;
    bool room;

    pthread_mutex_lock(&o->lock);
    begin_again(o);
    room = !o->ended && spool_has_room(&o->spool, bytes);
    waiting = o->spool.head - o->spool.tail;
    if ( waiting > o->peak )
        o->peak = waiting;
    pthread_mutex_unlock(&o->lock);
    return room;
}

static uint64_t put(void *store, unsigned int cpu, const struct iovec *spans,
                    int nr_spans)
{
    struct outlet *o = store;
    uint64_t bytes = spool_bytes(spans, nr_spans);

    if ( !has_room(o, bytes) )
        return 0;
    spool_put(&o->spool, cpu, spans, nr_spans);
    return o->spool.head;
}

static uint64_t safe(void *store)
{
    struct outlet *o = store;
    uint64_t at;

    pthread_mutex_lock(&o->lock);
    at = o->spool.tail;
    pthread_mutex_unlock(&o->lock);
    return at;
}

struct store outlet_store(struct outlet *o)
{
    return (struct store){
        .put = put, .safe = safe,
        .window_max = spool_window_max(&o->spool), .store = o,
    };
}

void outlet_publish(struct outlet *o)
{
    pthread_mutex_lock(&o->lock);
    if ( o->published != o->spool.head )
    {
        o->published = o->spool.head;
        pthread_cond_signal(&o->more);
    }
    pthread_mutex_unlock(&o->lock);
}

uint64_t outlet_waiting(const struct outlet *outlet)
{
    struct outlet *o = (struct outlet *)outlet; /* a lock is no change */
    uint64_t waiting;

    pthread_mutex_lock(&o->lock);
    waiting = o->spool.head - o->spool.tail;
    pthread_mutex_unlock(&o->lock);
    return waiting;
}

int outlet_ack(struct outlet *o, struct err *e)
{
    uint64_t times;
    ssize_t got = read(o->event, &times, sizeof(times));
    int rc;

    (void)got; /* EAGAIN: nothing new */
    pthread_mutex_lock(&o->lock);
    rc = o->err.code;
    if ( rc && e )
        *e = e->code ? *e : o->err;
    pthread_mutex_unlock(&o->lock);
    return rc;
}

int outlet_end(struct outlet *o, bool (*insisted)(void), struct err *e)
{
    struct pollfd pfd = { .fd = o->event, .events = POLLIN };
    bool ended = false;

    pthread_mutex_lock(&o->lock);
    o->ending = true;
    pthread_cond_signal(&o->more);
    pthread_mutex_unlock(&o->lock);
    while ( !ended )
    {
        poll(&pfd, 1, NUDGE_MS);
        outlet_ack(o, NULL);
        if ( insisted() )
            pthread_kill(o->thread, SIGUSR2);
        pthread_mutex_lock(&o->lock);
        ended = o->ended;
        pthread_mutex_unlock(&o->lock);
    }
    pthread_join(o->thread, NULL);
    return outlet_ack(o, e);
}

void outlet_count(const struct outlet *o, uint64_t *records,
                  unsigned int nr_cpus)
{
    struct spool_window w;

    for ( uint64_t at = o->spool.tail; at < o->spool.head; at = w.end )
    {
        spool_window(&o->spool, at, &w);
        if ( w.cpu < nr_cpus )
            records[w.cpu] += records_count(w.span, w.nr_spans);
    }
}
