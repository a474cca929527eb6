/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each pcpu by itself: the fast way through a file.
 *
 * Time is cut into EPOCHS.  In each, threads take pcpus up to its end; what
 * these leave about others is put in order and goes to the scene.  An epoch is
 * as long as some thousands of such changes take to come together: they are
 * sorted in the cache, and nothing has to be kept for long.
 *
 * Thread 0 gives the changes of one epoch to the scene while the others have
 * begun with the next.  A pcpu belongs to a thread, so that what is known of
 * its vcpus stays in one processor's cache; who has done his own helps the
 * others.  So facts of a pcpu come in order, but not all in the same shard.
 *
 * Of few pcpus an epoch is taken in PARTS, since at its end all wait for the
 * last one.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/engine/engine-private.h"
#include "xenalyze/engine/merge-changes.h"

/*
 * Changes in an epoch: few enough to be sorted in the cache, but so many of
 * each pcpu that it is worth fetching what is known of it, and so many that
 * threads seldom wait for each other.
 */
#define LEAST 8192u
#define OF_A_PCPU 256u
#define MOST 32768u

#define FIRST_LENGTH 16384u     /* cycles */

#define SHARES 16u              /* parts of all pcpus together, or more */

/* Each is written to all the time, so threads must not share a line of them. */
struct reader
{
    _Alignas(ANALYZE_ALONE) struct pcpu *p;
    struct xt_walk walk;
    struct xt_record next;      /* if has_next: the one behind the epoch */
    bool has_next, done;
    uint64_t offset;            /* to be added to its time stamps */
    uint64_t bytes;             /* of all its windows */
    unsigned int thread;        /* whose it is */
    atomic_uint steps;          /* twice the parts that are done; and 1, if
                                   somebody is at the next one */
    struct changes left;        /* by it, in the epoch before */
};

struct team
{
    struct analysis *a;
    struct arena arena;         /* of the readers */
    struct reader *readers;
    unsigned int nr_readers;
    size_t target;              /* changes in an epoch */
    unsigned int parts;         /* of an epoch */
    unsigned int epoch;         /* from 1 */
    uint64_t from, limit;       /* of the epoch, both in it */
    size_t nr_changes;          /* that it has left */
    bool over;
    pthread_barrier_t barrier;
    pthread_mutex_t gate;       /* closed until all are there */
    unsigned int threads;       /* that have come through it */
    struct settle settle;
    int rc;
};

/* --- a pcpu, up to the end of the epoch ----------------------------------- */

/*
 * The next one is much later.  If the one behind that is not, it is alone: a
 * damaged time stamp, which must not hold up all that follows.
 *
 * When an epoch ends has no part in this, nor in anything else that is
 * concluded: it depends on the number of threads.
 */
static bool is_alone(const struct reader *r, uint64_t next)
{
    const unsigned char *at = r->walk.at;
    struct xt_record ahead;
    size_t size;

    for ( unsigned int n = 16; n; n-- )
    {
        size = xt_record_decode(&ahead, at, r->walk.end);
        if ( !size || !xt_record_is_possible(&ahead) )
            return false;
        if ( xt_record_is_timed(&ahead) )
            return ahead.tsc < next &&
                   ahead.tsc + r->offset >= r->p->time;
        at += size;
    }
    return false;
}

/* Of the trace itself: no time, or one that says when it begins. */
static void heed_loss(struct reader *r, const struct xt_record *next,
                      uint64_t limit)
{
    uint64_t from = xt_load64(next->payload + 8) + r->offset;

    if ( from <= limit && from <= next->tsc + r->offset )
        pcpu_begin_loss(r->p, from);
}

/* When the next record was.  False: not in this epoch. */
static inline bool time_of_next(struct reader *r, const struct xt_record *next,
                                uint64_t limit, uint64_t *time)
{
    uint64_t tsc = next->tsc + r->offset;
    bool timed = next->has_tsc;

    if ( next->event >> TRC_CLS_SHIFT == TRC_GEN >> TRC_CLS_SHIFT )
    {
        timed = xt_record_is_timed(next);
        if ( next->event == TRC_LOST_RECORDS )
            heed_loss(r, next, limit);
    }
    *time = r->p->time;
    if ( !timed || tsc <= *time ||
         (tsc - *time > PCPU_JUMP && is_alone(r, next->tsc)) )
        return true;
    *time = tsc;
    return tsc <= limit;
}

static void read_pcpu(struct reader *r, uint64_t limit)
{
    const unsigned char *at = r->walk.at;
    struct xt_record next = r->next;
    bool has_next = r->has_next;
    uint64_t time;

    for ( ; has_next || xt_walk_next_at(&r->walk, &at, &next);
          has_next = false )
    {
        if ( !time_of_next(r, &next, limit, &time) )
        {
            r->next = next;
            r->has_next = true;
            return;
        }
        pcpu_record(r->p, &next, time);
        if ( next.event >> TRC_CLS_SHIFT == TRC_HVM >> TRC_CLS_SHIFT )
            r->walk.at = at = hvm_entryexit_fast(r->p, at, r->walk.end,
                                                 r->offset, limit);
        else if ( next.event >> TRC_SUBCLS_SHIFT ==
                  TRC_SCHED_MIN >> TRC_SUBCLS_SHIFT )
            r->walk.at = at = runstate_fast(r->p, at, r->walk.end, r->offset,
                                            limit);
    }
    r->has_next = false;
    r->done = true;
    pcpu_end(r->p);
}

static uint64_t end_of_part(const struct team *t, unsigned int part)
{
    return part + 1 == t->parts
           ? t->limit : t->from + (t->limit - t->from) / t->parts * (part + 1);
}

static void read_part(struct team *t, struct reader *r, unsigned int part,
                      unsigned int thread)
{
    struct shard *s = &t->a->shards[thread];

    if ( r->done )
        return;
    r->p->emit = &s->emit;
    r->p->scratch = &s->scratch[t->epoch % 2];
    read_pcpu(r, end_of_part(t, part));
    xt_walk_pause(&r->walk);
}

/* The next part.  False: there is none, or somebody else is at it. */
static bool take_part(struct team *t, struct reader *r, unsigned int thread)
{
    unsigned int steps = atomic_load(&r->steps);
    unsigned int done = steps / 2, before = (t->epoch - 1) * t->parts;

    if ( done == before + t->parts || steps % 2 ||
         !atomic_compare_exchange_strong(&r->steps, &steps, steps + 1) )
        return false;
    read_part(t, r, done - before, thread);
    atomic_store(&r->steps, steps + 2);
    return true;
}

/* One's own in turns; then the others', from their end. */
static void read_epoch(struct team *t, unsigned int thread)
{
    bool any;

    do
    {
        any = false;
        for ( unsigned int i = 0; i < t->nr_readers; i++ )
            if ( t->readers[i].thread == thread )
                any |= take_part(t, &t->readers[i], thread);
    }
    while ( any );
    do
    {
        any = false;
        for ( unsigned int i = t->nr_readers; i-- > 0; )
            if ( t->readers[i].thread != thread )
                any |= take_part(t, &t->readers[i], thread);
    }
    while ( any );
}

/* --- what they leave ------------------------------------------------------ */

/* All threads have read: what they leave is taken from the machines. */
static int end_epoch(struct team *t)
{
    int rc = 0;

    t->nr_changes = 0;
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        struct reader *r = &t->readers[i];
        struct changes empty = r->left;

        rc = rc ? rc : r->p->changes.failed ? -ENOMEM
                                            : segment_enter(t->a, r->p);
        r->left = r->p->changes;
        r->p->changes = empty;
        r->p->changes.nr = 0;
        t->nr_changes += r->left.nr;
    }
    return rc;
}

/* What the epoch before has left. */
static int settle_epoch(struct team *t)
{
    int rc = settle_all(&t->settle, &t->a->global);

    for ( unsigned int i = 0; i < t->a->nr_shards; i++ )
        arena_reset(&t->a->shards[i].scratch[(t->epoch - 1) % 2]);
    return rc;
}

/* The earliest record that is still to come; false: there is none. */
static bool earliest(const struct team *t, uint64_t *time)
{
    bool any = false;

    *time = UINT64_MAX;
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        const struct reader *r = &t->readers[i];

        any |= !r->done;
        if ( !r->done && r->has_next && r->next.tsc + r->offset < *time )
            *time = r->next.tsc + r->offset;
    }
    return any;
}

static size_t choose_target(const struct team *t)
{
    size_t target = (size_t)t->nr_readers * OF_A_PCPU;

    if ( t->a->nr_shards > 1 || target > MOST )
        return MOST;
    return target > LEAST ? target : LEAST;
}

static unsigned int choose_parts(const struct team *t)
{
    return t->a->nr_shards > 1 && t->nr_readers
           ? (SHARES + t->nr_readers - 1) / t->nr_readers : 1;
}

static uint64_t new_length(const struct team *t, uint64_t length)
{
    if ( t->nr_changes > 2 * t->target )
        return length / 2 ? length / 2 : 1;
    return t->nr_changes < t->target / 2 && length < UINT64_C(1) << 60
           ? length * 2 : length;
}

/* --- threads -------------------------------------------------------------- */

static void *work(void *arg)
{
    struct team *t = arg;
    unsigned int thread;

    pthread_mutex_lock(&t->gate);
    thread = ++t->threads;
    pthread_mutex_unlock(&t->gate);
    for ( ; ; )
    {
        pthread_barrier_wait(&t->barrier);
        if ( t->over )
            return NULL;
        read_epoch(t, thread);
        pthread_barrier_wait(&t->barrier);
    }
}

static void run_epochs(struct team *t, uint64_t first)
{
    uint64_t length = FIRST_LENGTH, next = first;

    do
    {
        t->epoch++;
        t->from = next;
        t->limit = next + length < next ? UINT64_MAX : next + length;
        pthread_barrier_wait(&t->barrier);
        t->rc = settle_epoch(t);
        read_epoch(t, 0);
        pthread_barrier_wait(&t->barrier);
        t->rc = t->rc ? t->rc : end_epoch(t);
        segment_progress(t->a, t->limit);
        length = new_length(t, length);
    }
    while ( !t->rc && earliest(t, &next) );
    t->epoch++;
    t->rc = t->rc ? t->rc : settle_epoch(t);
}

static int by_bytes(const void *a, const void *b)
{
    const struct reader *x = a, *y = b;

    return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct reader *x = a, *y = b;

    return x->p->id < y->p->id ? -1 : x->p->id > y->p->id;
}

/* The largest first, each to whoever has least.  Then they stay in place. */
static void deal(struct team *t, unsigned int nr_threads)
{
    uint64_t loads[ANALYZE_MAX_THREADS] = { 0 };
    unsigned int least = 0;

    if ( !t->nr_readers )
        return;
    qsort(t->readers, t->nr_readers, sizeof(*t->readers), by_bytes);
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        struct reader *r = &t->readers[i];

        for ( unsigned int k = 0; k < nr_threads; k++ )
            least = loads[k] < loads[least] ? k : least;
        r->thread = least;
        loads[least] += r->bytes;
    }
    qsort(t->readers, t->nr_readers, sizeof(*t->readers), by_id);
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
        t->settle.queues[t->settle.nr_queues++] = &t->readers[i].left;
}

/* As many threads as can be had; one is this one. */
static int run_team(struct team *t, uint64_t first)
{
    pthread_t threads[ANALYZE_MAX_THREADS];
    unsigned int nr = 0;

    pthread_mutex_init(&t->gate, NULL);
    pthread_mutex_lock(&t->gate);
    while ( nr + 1 < t->a->nr_shards &&
            !pthread_create(&threads[nr], NULL, work, t) )
        nr++;
    t->rc = -pthread_barrier_init(&t->barrier, NULL, nr + 1);
    assert(!t->rc);
    deal(t, nr + 1);
    pthread_mutex_unlock(&t->gate);
    run_epochs(t, first);
    t->over = true;
    pthread_barrier_wait(&t->barrier);
    while ( nr )
        pthread_join(threads[--nr], NULL);
    pthread_barrier_destroy(&t->barrier);
    pthread_mutex_destroy(&t->gate);
    return t->rc;
}

/* --- segments ------------------------------------------------------------- */

static uint64_t bytes_of(const struct xt_walk *w, unsigned int cpu)
{
    const struct xt_index *index = w->reading.index;
    uint64_t n = cpu < index->nr_cpus ? index->lines[cpu].first : XT_NOWHERE;
    uint64_t bytes = 0;

    for ( ; n != XT_NOWHERE; n = xt_index_get_entry(index, n)->next )
        bytes += xt_index_get_entry(index, n)->size;
    return bytes;
}

static int open_readers(struct team *t, unsigned int nr)
{
    t->readers = arena_array(&t->arena, nr ? nr : 1, sizeof(*t->readers),
                             _Alignof(struct reader));
    t->settle.queues = arena_array(&t->arena, nr ? nr : 1,
                                   sizeof(*t->settle.queues), 8);
    if ( !t->readers || !t->settle.queues )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < nr; cpu++ )
    {
        struct reader *r = &t->readers[t->nr_readers];

        xt_trace_begin_walk(t->a->trace, cpu, &r->walk);
        r->offset = xt_trace_offset(t->a->trace, cpu);
        r->bytes = bytes_of(&r->walk, cpu);
        if ( !r->bytes )
            continue;
        r->p = segment_pcpu(t->a, cpu);
        if ( !r->p )
            return -ENOMEM;
        t->nr_readers++;
    }
    return 0;
}

static int read_segment(struct analysis *a, struct err *e)
{
    struct team t = { .a = a };
    uint64_t first, last;
    unsigned int nr;
    int rc = xt_trace_cpus(a->trace, &nr, e);

    rc = rc ? rc : xt_trace_span(a->trace, &first, &last, e);
    if ( rc )
        return rc;
    arena_init(&t.arena, 0);
    rc = segment_begin(a, first > last ? 0 : first, nr);
    rc = rc ? rc : open_readers(&t, nr);
    t.target = choose_target(&t);
    t.parts = choose_parts(&t);
    rc = rc ? rc : run_team(&t, first);
    for ( unsigned int i = 0; i < t.nr_readers; i++ )
    {
        xt_trace_end_walk(a->trace, &t.readers[i].walk);
        free(t.readers[i].left.items);
    }
    arena_fini(&t.arena);
    settle_fini(&t.settle);
    return rc ? rc : segment_end(a, e);
}

int analyze_by_pcpu(struct analysis *a, struct err *e)
{
    int rc = 1;

    while ( rc > 0 )
    {
        rc = read_segment(a, e);
        rc = rc ? rc : xt_trace_next_segment(a->trace, e);
    }
    return rc;
}
