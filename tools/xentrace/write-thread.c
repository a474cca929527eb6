/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two threads and one lock.  The bytes of the queue need no lock: the
 * collecting thread does not touch bytes before `published`, and the writing
 * thread does not touch bytes behind `published`.
 *
 * The thread blocks all signals but SIGUSR2, whose handler does nothing: the
 * signal interrupts a write that blocks, after the user has forced a stop.
 */
#include "xentrace/write-thread.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/fault.h"
#include "xentrace/record-scan.h"

#define FORCE_POLL_MS 50     /* poll interval for a forced stop */

/* --- the writing thread --------------------------------------------------- */

static void notify_collector(const struct write_thread *t)
{
    uint64_t one = 1;
    ssize_t done = write(t->event_fd, &one, sizeof(one));

    (void)done; /* fails only after 2^64 writes without a read */
}

/* The position behind `windows` windows, counted from `at`. */
static uint64_t skip_windows(const struct write_thread *t, uint64_t at,
                             uint64_t windows)
{
    struct window_fifo_entry w;

    for ( ; windows; windows-- )
    {
        window_fifo_get(&t->fifo, at, &w);
        at = w.end;
    }
    return at;
}

static void set_safe_position(struct write_thread *t, uint64_t at)
{
    bool notify;

    pthread_mutex_lock(&t->lock);
    assert(t->fifo.tail <= at && at <= t->published);
    t->fifo.tail = at;
    notify = t->collector_waits;
    t->collector_waits = false;
    pthread_mutex_unlock(&t->lock);
    t->plan.safe(t->plan.arg);
    if ( notify )
        notify_collector(t);
}

/* Release the queue memory of windows that the writer has put into the file. */
static void release_written(struct write_thread *t)
{
    uint64_t windows = t->writer->nr_safe - t->released_windows;

    assert(t->released_windows <= t->writer->nr_safe);
    if ( windows )
        set_safe_position(t, skip_windows(t, t->fifo.tail, windows));
    t->released_windows += windows;
}

/* The compressor buffers windows to make larger frames. */
static bool holds_windows_back(const struct write_thread *t)
{
    assert(t->writer->nr_safe <= t->writer->nr_given);
    return t->writer->nr_safe != t->writer->nr_given;
}

/* Write one batch of windows, and move *at behind them. */
static int write_windows(struct write_thread *t, uint64_t *at, uint64_t to,
                         struct err *e)
{
    /* Flush the compressor before the queue becomes full. */
    bool hard = to - t->fifo.tail > t->fifo.size / 4;
    struct window_fifo_entry w;
    int rc = 0;

    assert(*at < to);
    for ( unsigned int i = 0; !rc && *at < to && i < WRITER_BATCH / 2; i++ )
    {
        window_fifo_get(&t->fifo, *at, &w);
        rc = writer_window(t->writer, w.cpu, w.span, w.nr_spans, e);
        *at = w.end;
    }
    if ( !rc )
        rc = writer_flush(t->writer, hard, e);
    release_written(t);
    return rc;
}

/*
 * Wait for windows in [*at, *to); false: the queue has ended.  The collecting
 * thread may have moved the positions of an empty queue.
 */
static bool wait_for_windows(struct write_thread *t, uint64_t *at, uint64_t *to)
{
    bool more;

    pthread_mutex_lock(&t->lock);
    for ( ; ; )
    {
        if ( !holds_windows_back(t) )
            *at = t->fifo.tail;
        assert(*at <= t->published);
        if ( t->published != *at || t->ending )
            break;
        pthread_cond_wait(&t->published_cond, &t->lock);
    }
    *to = t->published;
    more = *at != *to;
    pthread_mutex_unlock(&t->lock);
    return more;
}

/* Until the first windows are published, the writer is the collector's. */
static void wait_for_first_window(struct write_thread *t)
{
    pthread_mutex_lock(&t->lock);
    while ( !t->published && !t->ending )
        pthread_cond_wait(&t->published_cond, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static int write_until_end(struct write_thread *t, struct err *e)
{
    uint64_t at = 0, to = 0;
    int rc = 0;

    wait_for_first_window(t);
    while ( !rc && wait_for_windows(t, &at, &to) )
        while ( !rc && at < to )
            rc = write_windows(t, &at, to, e);
    if ( !rc && holds_windows_back(t) )
        rc = writer_flush(t->writer, true, e);
    release_written(t);
    return rc;
}

static void *write_thread_main(void *write_thread)
{
    struct write_thread *t = write_thread;
    struct err e = ERR_INIT;

    write_until_end(t, &e);
    pthread_mutex_lock(&t->lock);
    t->err = e;
    t->ended = true;
    pthread_mutex_unlock(&t->lock);
    notify_collector(t);
    return NULL;
}

static void handle_wake_signal(int number)
{
    (void)number;
}

/* Without SA_RESTART, because the signal has to interrupt a write. */
static int start_thread(struct write_thread *t)
{
    struct sigaction act = { .sa_handler = handle_wake_signal };
    sigset_t all, before;
    int rc;

    sigemptyset(&act.sa_mask);
    if ( sigaction(SIGUSR2, &act, NULL) )
        return -errno;
    sigfillset(&all);
    sigdelset(&all, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = fault_hit(FAULT_ALLOC) ? ENOMEM
                                : pthread_create(&t->thread, NULL,
                                                 write_thread_main, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -rc;
}

/* --- open and close ------------------------------------------------------- */

int write_thread_open(struct write_thread *t, struct writer *w,
                      const struct write_thread_plan *plan, struct err *e)
{
    int rc;

    assert(plan->safe);
    *t = (struct write_thread){
        .writer = w, .plan = *plan, .event_fd = -1, .err = ERR_INIT,
    };
    rc = window_fifo_init(&t->fifo, plan->bytes, e);
    if ( rc )
        return rc;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->published_cond, NULL);
    t->event_fd = fault_hit(FAULT_OPEN)
                  ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = t->event_fd < 0 ? -errno : start_thread(t);
    if ( !rc )
        return 0;
    t->ended = true;
    write_thread_close(t);
    return err_sys(e, rc, "cannot start the write thread");
}

void write_thread_close(struct write_thread *t)
{
    assert(t->ended);
    if ( t->event_fd >= 0 )
        close(t->event_fd);
    pthread_cond_destroy(&t->published_cond);
    pthread_mutex_destroy(&t->lock);
    window_fifo_fini(&t->fifo);
}

/* --- the collecting thread ------------------------------------------------ */

/*
 * Restart an empty queue at the beginning of its memory: small queues then stay
 * in the cache.
 */
static void rewind_fifo(struct write_thread *t)
{
    struct window_fifo *s = &t->fifo;

    assert(s->tail <= s->head);
    if ( s->tail != s->head || s->head % s->size == 0 )
        return;
    s->head += s->size - s->head % s->size;
    assert(s->head % s->size == 0);
    s->tail = t->published = s->head;
}

static bool check_room(struct write_thread *t, uint64_t bytes)
{
    uint64_t waiting;
    bool room;

    pthread_mutex_lock(&t->lock);
    rewind_fifo(t);
    room = !t->ended && window_fifo_has_room(&t->fifo, bytes);
    t->collector_waits |= !room;
    waiting = t->fifo.head - t->fifo.tail;
    if ( waiting > t->peak )
        t->peak = waiting;
    pthread_mutex_unlock(&t->lock);
    return room;
}

static uint64_t write_thread_put(void *arg, unsigned int cpu,
                                 const struct iovec *spans, int nr_spans)
{
    struct write_thread *t = arg;
    uint64_t bytes = window_fifo_span_bytes(spans, nr_spans);

    if ( !check_room(t, bytes) )
        return 0;
    window_fifo_put(&t->fifo, cpu, spans, nr_spans);
    return t->fifo.head;
}

static uint64_t write_thread_get_safe(void *arg)
{
    struct write_thread *t = arg;
    uint64_t at;

    pthread_mutex_lock(&t->lock);
    at = t->fifo.tail;
    pthread_mutex_unlock(&t->lock);
    return at;
}

struct window_sink write_thread_sink(struct write_thread *t)
{
    return (struct window_sink){
        .put = write_thread_put, .safe = write_thread_get_safe,
        .window_max = window_fifo_window_max(&t->fifo), .arg = t,
    };
}

void write_thread_publish(struct write_thread *t)
{
    bool more;

    pthread_mutex_lock(&t->lock);
    assert(t->published <= t->fifo.head);
    more = t->published != t->fifo.head;
    t->published = t->fifo.head;
    pthread_mutex_unlock(&t->lock);
    /* Without the lock, which the thread would have to wait for. */
    if ( more )
        pthread_cond_signal(&t->published_cond);
}

uint64_t write_thread_pending_bytes(const struct write_thread *const_t)
{
    /* Only the lock is written to. */
    struct write_thread *t = (struct write_thread *)const_t;
    uint64_t waiting;

    pthread_mutex_lock(&t->lock);
    waiting = t->fifo.head - t->fifo.tail;
    pthread_mutex_unlock(&t->lock);
    return waiting;
}

int write_thread_ack(struct write_thread *t, struct err *e)
{
    uint64_t times;
    ssize_t got = read(t->event_fd, &times, sizeof(times));
    int rc;

    (void)got; /* EAGAIN: no event */
    pthread_mutex_lock(&t->lock);
    rc = t->err.code;
    if ( rc && e )
        *e = e->code ? *e : t->err;
    pthread_mutex_unlock(&t->lock);
    return rc;
}

int write_thread_end(struct write_thread *t, bool (*is_forced)(void),
                     struct err *e)
{
    struct pollfd pfd = { .fd = t->event_fd, .events = POLLIN };
    bool ended = false;

    pthread_mutex_lock(&t->lock);
    assert(!t->ending);
    t->ending = true;
    pthread_cond_signal(&t->published_cond);
    pthread_mutex_unlock(&t->lock);
    while ( !ended )
    {
        poll(&pfd, 1, FORCE_POLL_MS);
        write_thread_ack(t, NULL);
        if ( is_forced() )
            pthread_kill(t->thread, SIGUSR2);
        pthread_mutex_lock(&t->lock);
        ended = t->ended;
        pthread_mutex_unlock(&t->lock);
    }
    pthread_join(t->thread, NULL);
    return write_thread_ack(t, e);
}

void write_thread_count(const struct write_thread *t,
                        struct scan_counts *counts, unsigned int nr_cpus)
{
    struct window_fifo_entry w;

    assert(t->ended);
    for ( uint64_t at = t->fifo.tail; at < t->fifo.head; at = w.end )
    {
        window_fifo_get(&t->fifo, at, &w);
        if ( w.cpu < nr_cpus )
            scan_add(&counts[w.cpu], w.span, w.nr_spans);
    }
}
