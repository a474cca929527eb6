/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read each pcpu separately, in threads: the fast way through a file.
 *
 * Time is divided into EPOCHS.  In each epoch the threads read all pcpus up to
 * its end; then the changes queued by the pcpus are sorted and applied to the
 * global machine.  The length of an epoch adapts to some thousands of changes:
 * these are sorted in the cache, and no queue grows long.
 *
 * Thread 0 applies the changes of one epoch while the other threads read the
 * next epoch; if thread 0 is late, the reader of the epoch's last slice sorts
 * the changes of many pcpus.  Each pcpu is assigned to a thread, so that the
 * states of its vcpus stay in one processor's cache; a thread that has finished
 * its own pcpus takes slices of the remaining ones.  So the facts of a pcpu are
 * in order, but not all in the same shard.
 *
 * With few pcpus an epoch is divided into SLICES, since at the end of an epoch
 * all threads wait for the last one.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/engine/barrier.h"
#include "xenalyze/engine/engine-private.h"
#include "xenalyze/engine/merge-changes.h"

/*
 * Changes in an epoch: few enough to be sorted in the cache, but enough of
 * each pcpu to pay for loading its state into the cache, and enough to make
 * waits of threads for each other rare.
 */
#define MIN_CHANGES 8192u
#define CHANGES_PER_PCPU 256u
#define MAX_CHANGES 32768u

#define FIRST_EPOCH_CYCLES 16384u /* cycles */

#define MIN_SLICES 16u          /* of all pcpus together, per epoch */

/* Written for each record, so aligned: no false sharing of cache lines. */
struct reader
{
    _Alignas(CACHELINE_PAIR) struct pcpu *p;
    struct xt_walk walk;
    struct xt_record next;      /* if has_next: first record after the epoch */
    bool has_next, done;
    struct xt_correction clock;
    uint64_t offset;            /* added to time stamps */
    uint64_t steady_to;         /* last time stamp with this offset, if the
                                   clock drifts */
    uint64_t bytes;             /* of all windows of the pcpu */
    unsigned int thread;        /* assigned thread */
    atomic_uint progress;       /* slices read, times 2; odd while a thread
                                   reads the next one */
    struct changes left;        /* previous epoch's; memory is reused */
};

struct team
{
    struct analysis *a;
    struct arena arena;         /* of the readers */
    struct reader *readers;     /* by pcpu */
    struct reader **by_size;
    unsigned int nr_readers;
    size_t target;              /* changes in an epoch */
    unsigned int slices;        /* of an epoch */
    unsigned int epoch;         /* from 1 */
    bool first_needs_help;      /* thread 0 has one pcpu */
    atomic_bool is_applying;    /* changes: thread 0 does not yet read */
    uint64_t from, limit;       /* of the epoch, both in it */
    uint64_t stop;              /* records behind this time are not read */
    size_t nr_changes;          /* queued in the epoch */
    bool is_muted;              /* the epoch emits no facts ... */
    bool changes_are_muted;     /* ... and its predecessor emitted none */
    enum span_bound changes_bound;      /* the next one of all changes that
                                           have been applied */
    bool over;
    struct barrier barrier;
    pthread_mutex_t gate;       /* locked until all threads exist */
    unsigned int threads;       /* numbered so far; protected by the gate */
    struct change_merge merges[2];      /* by epoch */
    atomic_uint unread;         /* slices of the epoch left to be read */
    int sort_rc;                /* result of begin_merge() */
    int rc;
};

/* --- a pcpu, up to the end of the epoch ----------------------------------- */

/*
 * Is the time stamp of the next record damaged?  The decision, like all
 * conclusions, must not depend on the end of the epoch, which depends on the
 * number of threads.
 */
static inline bool is_damaged(const struct reader *r, uint64_t time)
{
    const struct xt_walk *w = &r->walk;

    return time < r->p->time ||
           (xt_step_is_far(r->p->time, time) &&
            !xt_step_is_credible(w->context.index, w->cursor.entry, w->at,
                                 w->end, time));
}

/* Handle a LOST record ahead of time: the loss began before the record. */
static void preview_loss(struct reader *r, const struct xt_record *next,
                         uint64_t limit)
{
    uint64_t first = xt_field_load(next, XT_AT(lost_records, first_tsc));
    uint64_t from = first + xt_correction_offset(&r->clock, first);

    if ( from <= limit && from <= next->tsc + r->offset )
        pcpu_begin_loss(r->p, from);
}

/* Records may be missing in front of this one, which has a time stamp. */
COLD
static void cross_gap(struct reader *r, const struct xt_record *next,
                      uint64_t time, uint64_t limit)
{
    struct xt_cursor *c = &r->walk.cursor;
    struct pcpu *p = r->p;
    uint64_t from = p->time > c->gap_from ? p->time : c->gap_from;

    debug_assert(c->gap);
    if ( from < time && from <= limit )
        pcpu_begin_gap(p, from);
    if ( time > limit )
        return;
    c->gap = false;
    if ( p->in_gap )
        pcpu_end_gap(p, next, time);
}

/*
 * Records may be missing behind the pcpu's last one.  False: that is so only
 * after the epoch, which a record of this time without an effect postpones.
 */
COLD
static bool end_in_gap(struct reader *r, uint64_t limit)
{
    const struct xt_cursor *c = &r->walk.cursor;

    debug_assert(c->gap && c->entry == XT_NOWHERE);
    r->has_next = c->gap_from > limit;
    r->next = (struct xt_record){ .has_tsc = true,
                                  .tsc = c->gap_from - r->offset };
    if ( !r->has_next && r->p->begun )
        pcpu_begin_gap(r->p, c->gap_from);
    return !r->has_next;
}

/* The next record comes late: in the epoch, or after it. */
COLD
static void note_silence(struct reader *r, const struct xt_record *next,
                         uint64_t tsc, uint64_t limit)
{
    pcpu_begin_silence(r->p, tsc, pcpu_record_was_idle(next));
    if ( r->p->is_silent && tsc <= limit )
        pcpu_end_silence(r->p, tsc);
}

COLD
static void update_offset(struct reader *r, uint64_t tsc)
{
    debug_assert(r->clock.period);
    r->offset = xt_correction_offset(&r->clock, tsc);
    r->steady_to = xt_correction_end(&r->clock, tsc);
    debug_assert(tsc <= r->steady_to);
}

/* The end of the loop for common records, which uses one offset. */
static inline uint64_t find_steady_limit(const struct reader *r,
                                         uint64_t limit)
{
    uint64_t steady_to = r->steady_to + r->offset;

    return r->clock.period && steady_to < limit ? steady_to : limit;
}

/* The time of the next record.  False: the record is after the epoch. */
static inline bool find_next_time(struct reader *r,
                                  const struct xt_record *next,
                                  uint64_t limit, uint64_t *time)
{
    uint64_t tsc;

    *time = r->p->time;
    debug_assert(*time <= limit);
    if ( !xt_record_is_timed(next) )
        return true;
    if ( r->clock.period )
        update_offset(r, next->tsc);
    tsc = next->tsc + r->offset;
    if ( is_damaged(r, tsc) )
    {
        xt_walk_note_backward(&r->walk, next->payload);
        return true;
    }
    *time = tsc;
    if ( r->walk.cursor.gap )
        cross_gap(r, next, tsc, limit);
    if ( next->event == TRC_LOST_RECORDS )
        preview_loss(r, next, limit);
    else if ( tsc - r->p->time > PCPU_JUMP )
        note_silence(r, next, tsc, limit);
    return tsc <= limit;
}

/*
 * The loop for the common case: records of any class but GEN, in order of time,
 * without jumps, up to the end of the epoch, and with enough bytes left in the
 * window for any record.  Returns the address of the first other record.
 */
static const unsigned char *read_common_records(struct reader *r,
                                                const unsigned char *at,
                                                uint64_t limit)
{
    const struct record_row *rows = pcpu_rows(), *row;
    const unsigned char *end = r->walk.end, *next;
    const uint64_t offset = r->offset;
    struct pcpu *p = r->p;
    struct xt_record record;

    for ( ; end - at >= (ptrdiff_t)XT_RECORD_MAX_BYTES; at = next )
    {
        uint32_t event = TRC_HD_TO_EVENT(xt_load32(at));

        row = &rows[record_row_index(event)];
        if ( row->fast )
        {
            next = row->fast(p, at, end, offset, limit);
            if ( next != at )
                continue;
        }
        if ( !xt_event_is_of_xen(event) )
            break;
        next = pcpu_next_record(p, &record, at, offset, limit);
        if ( !next )
            break;
        pcpu_handle_record(p, row, &record, next - at);
    }
    return at;
}

/* The pcpu has records behind `stop`, and stays in its state until then. */
COLD
static void end_at_stop(struct reader *r, uint64_t stop)
{
    if ( r->p->begun && r->p->time < stop )
        r->p->time = stop;
    r->has_next = false;
    r->done = true;
    pcpu_end(r->p);
}

/* The record at the end of a loss has its size. */
static void end_loss_behind_stop(struct pcpu *p, const struct xt_record *next,
                                 uint64_t time)
{
    if ( p->in_gap )
        pcpu_end_gap(p, next, time);
    if ( p->loss_begun )
        pcpu_record(p, next, time);
}

static void read_pcpu(struct reader *r, uint64_t limit, uint64_t stop)
{
    const unsigned char *at = r->walk.at;
    struct xt_record next = r->next;
    bool has_next = r->has_next && r->walk.cursor.entry != XT_NOWHERE;
    uint64_t time;

    for ( ; has_next || xt_walk_next_at(&r->walk, &at, &next);
          has_next = false )
    {
        if ( !find_next_time(r, &next, limit, &time) )
        {
            r->next = next;
            r->has_next = true;
            if ( limit < stop )
                return;
            end_loss_behind_stop(r->p, &next, time);
            end_at_stop(r, stop);
            return;
        }
        pcpu_record(r->p, &next, time);
        if ( r->p->begun && !r->walk.cursor.gap && !r->p->has_snapshot )
            r->walk.at = at = read_common_records(r, at,
                                                  find_steady_limit(r, limit));
    }
    r->has_next = false;
    if ( r->walk.cursor.gap && !end_in_gap(r, limit) )
    {
        if ( limit == stop )
            end_at_stop(r, stop);
        return;
    }
    r->done = true;
    pcpu_end(r->p);
}

static uint64_t find_slice_end(const struct team *t, unsigned int slice)
{
    debug_assert(slice < t->slices && t->from <= t->limit);
    return slice + 1 == t->slices
           ? t->limit
           : t->from + (t->limit - t->from) / t->slices * (slice + 1);
}

static void read_slice(struct team *t, struct reader *r, unsigned int slice,
                       unsigned int thread)
{
    struct shard *s = &t->a->shards[thread];

    if ( r->done )
        return;
    debug_assert(slice < t->slices && thread < t->a->nr_shards);
    r->p->emit = t->is_muted ? &s->muted : &s->emit;
    fact_queue_begin(&s->queue, r->p, t->epoch);
    r->p->scratch = &s->scratch[t->epoch % 2];
    read_pcpu(r, find_slice_end(t, slice), t->stop);
    xt_walk_pause(&r->walk);
}

/* All slices of the epoch have been read. */
static void begin_merge(struct team *t)
{
    struct change_merge *m = &t->merges[t->epoch % 2];

    for ( unsigned int i = 0; i < t->nr_readers; i++ )
        change_merge_add(m, &t->readers[i].p->changes);
    t->sort_rc = atomic_load(&t->is_applying) ? change_merge_prepare(m) : 0;
}

/*
 * Claim and read the next slice of this pcpu.  False: none is left, or another
 * thread holds it.
 */
static bool read_next_slice(struct team *t, struct reader *r,
                            unsigned int thread)
{
    unsigned int progress = atomic_load(&r->progress);
    unsigned int done = progress / 2, before = (t->epoch - 1) * t->slices;

    debug_assert(done >= before && done <= before + t->slices);
    if ( done == before + t->slices || progress % 2 ||
         !atomic_compare_exchange_strong(&r->progress, &progress,
                                         progress + 1) )
        return false;
    read_slice(t, r, done - before, thread);
    atomic_store(&r->progress, progress + 2);
    if ( atomic_fetch_sub(&t->unread, 1) == 1 )
        begin_merge(t);
    return true;
}

/* Read a slice of the only pcpu of thread 0. */
static bool help_first_thread(struct team *t, unsigned int thread)
{
    unsigned int i = 0;

    while ( i < t->nr_readers && t->readers[i].thread )
        i++;
    return i < t->nr_readers && read_next_slice(t, &t->readers[i], thread);
}

/*
 * Read the thread's own pcpus in turn; then those of other threads, from the
 * end of the array.  Thread 0 begins later.  If thread 0 has one pcpu, of which
 * only one slice at a time can be read, little would be left at the end: then
 * the other threads take slices at once.  With more pcpus early help costs more
 * than waiting, since changes move from one processor's cache to another's.
 */
static void read_epoch(struct team *t, unsigned int thread)
{
    bool any;

    do
    {
        any = false;
        for ( unsigned int i = 0; i < t->nr_readers; i++ )
            if ( t->readers[i].thread == thread )
                any |= read_next_slice(t, &t->readers[i], thread);
        if ( thread && t->first_needs_help && atomic_load(&t->is_applying) )
            any |= help_first_thread(t, thread);
    }
    while ( any );
    do
    {
        any = false;
        for ( unsigned int i = t->nr_readers; i-- > 0; )
            if ( t->readers[i].thread != thread )
                any |= read_next_slice(t, &t->readers[i], thread);
    }
    while ( any );
}

/* --- changes -------------------------------------------------------------- */

/* All threads have read the epoch: take the changes from the machines. */
static int end_epoch(struct team *t)
{
    int rc = t->sort_rc;

    assert(!atomic_load(&t->unread));
    t->nr_changes = 0;
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        struct reader *r = &t->readers[i];
        struct changes empty = r->left;

        rc = rc ? rc : r->p->changes.failed ? -ENOMEM
                                            : segment_enter(t->a, r->p);
        assert(atomic_load(&r->progress) == 2 * t->epoch * t->slices);
        r->left = r->p->changes;
        r->p->changes = empty;
        r->p->changes.nr = 0;
        t->nr_changes += r->left.nr;
    }
    return rc;
}

/* Apply the changes of the previous epoch. */
static int apply_changes(struct team *t)
{
    int rc = change_merge_apply(&t->merges[(t->epoch - 1) % 2],
                                &t->a->global);

    atomic_store(&t->is_applying, false);
    for ( unsigned int i = 0; i < t->a->nr_shards; i++ )
        arena_reset(&t->a->shards[i].scratch[(t->epoch - 1) % 2]);
    return rc;
}

/* Time of the earliest unread record.  False: all has been read. */
static bool find_earliest(const struct team *t, uint64_t *time)
{
    bool any = false;

    *time = UINT64_MAX;
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        const struct reader *r = &t->readers[i];

        any |= !r->done;
        /* Nothing is left of the epoch, so the next one begins later. */
        assert(r->done ||
               (r->has_next && r->next.tsc + r->offset > t->limit));
        if ( !r->done && r->has_next && r->next.tsc + r->offset < *time )
            *time = r->next.tsc + r->offset;
    }
    return any;
}

static size_t choose_target(const struct team *t)
{
    size_t target = (size_t)t->nr_readers * CHANGES_PER_PCPU;

    if ( t->a->nr_shards > 1 || target > MAX_CHANGES )
        return MAX_CHANGES;
    return target > MIN_CHANGES ? target : MIN_CHANGES;
}

static unsigned int choose_slices(const struct team *t)
{
    return t->a->nr_shards > 1 && t->nr_readers
           ? (MIN_SLICES + t->nr_readers - 1) / t->nr_readers : 1;
}

static uint64_t adapt_length(const struct team *t, uint64_t length)
{
    if ( t->nr_changes > 2 * t->target )
        return length / 2 ? length / 2 : 1;
    return t->nr_changes < t->target / 2 && length < UINT64_C(1) << 60
           ? length * 2 : length;
}

/* --- threads -------------------------------------------------------------- */

static void *run_worker(void *arg)
{
    struct team *t = arg;
    unsigned int thread;

    pthread_mutex_lock(&t->gate);
    thread = ++t->threads;
    pthread_mutex_unlock(&t->gate);
    assert(thread < t->a->nr_shards);
    for ( ; ; )
    {
        barrier_wait(&t->barrier);
        if ( t->over )
            return NULL;
        read_epoch(t, thread);
        barrier_wait(&t->barrier);
    }
}

/*
 * Changes of the last epoch are muted if its local facts are.  After the last
 * muted change, states in progress are emitted, since they may last until the
 * span.
 */
static void mute_changes(struct team *t)
{
    struct analysis *a = t->a;
    bool were_muted = t->changes_are_muted;

    assert(!t->is_muted || a->options->bounded);
    t->changes_are_muted = t->is_muted;
    if ( t->is_muted && !were_muted )
        a->global.emit = emit_mute(&a->global_emit);
    if ( t->is_muted || !were_muted )
        return;
    a->global.emit = a->global_emit;
    if ( a->facts_from < a->options->from )
        global_emit_states(&a->global, a->facts_from - 1);
}

/* The epochs before the last one have been applied. */
static void reach_changes(struct team *t, enum span_bound last_bound)
{
    assert(t->changes_bound <= last_bound);
    for ( ; t->changes_bound < last_bound; t->changes_bound++ )
        span_reach_changes(t->a, t->changes_bound);
}

/* An epoch ends before the next bound of the span. */
static uint64_t find_epoch_end(const struct team *t, uint64_t length)
{
    uint64_t end = t->stop - t->from < length ? t->stop : t->from + length;
    uint64_t bound = t->a->bound;

    assert(bound > t->from || bound == UINT64_MAX);
    return end < bound || bound == UINT64_MAX ? end : bound - 1;
}

static void run_epochs(struct team *t, uint64_t first)
{
    uint64_t length = FIRST_EPOCH_CYCLES, next = first;

    assert(t->slices && t->target);
    do
    {
        t->epoch++;
        mute_changes(t);
        reach_changes(t, t->a->next_bound);
        span_reach(t->a, next);
        t->is_muted = span_is_muted(t->a);
        t->from = next < t->stop ? next : t->stop;
        t->limit = find_epoch_end(t, length);
        atomic_store(&t->is_applying, true);
        atomic_store(&t->unread, t->nr_readers * t->slices);
        barrier_wait(&t->barrier);
        t->rc = apply_changes(t);
        read_epoch(t, 0);
        barrier_wait(&t->barrier);
        t->rc = t->rc ? t->rc : end_epoch(t);
        segment_progress(t->a, t->limit);
        length = adapt_length(t, length);
    }
    while ( !t->rc && find_earliest(t, &next) );
    t->epoch++;
    mute_changes(t);
    reach_changes(t, t->a->next_bound);
    t->rc = t->rc ? t->rc : apply_changes(t);
    t->a->global.emit = t->a->global_emit;
}

static int compare_bytes(const void *a, const void *b)
{
    const struct reader *const *x = a, *const *y = b;

    if ( (*x)->bytes != (*y)->bytes )
        return (*x)->bytes < (*y)->bytes ? 1 : -1;
    return *x < *y ? -1 : *x > *y;
}

/* Assign readers, the largest first, to the thread with the smallest load. */
static void assign_readers(struct team *t, unsigned int nr_threads)
{
    uint64_t loads[ANALYZE_MAX_THREADS] = { 0 };
    unsigned int least = 0;

    if ( !t->nr_readers )
        return;
    assert(nr_threads && nr_threads <= t->a->nr_shards);
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
        t->by_size[i] = &t->readers[i];
    qsort(t->by_size, t->nr_readers, sizeof(*t->by_size), compare_bytes);
    for ( unsigned int i = 0; i < t->nr_readers; i++ )
    {
        struct reader *r = t->by_size[i];

        for ( unsigned int k = 0; k < nr_threads; k++ )
            least = loads[k] < loads[least] ? k : least;
        assert(least < nr_threads);
        r->thread = least;
        loads[least] += r->bytes;
    }
    t->first_needs_help = t->nr_readers <= nr_threads;
}

/* Start worker threads; fewer are fine.  The caller is thread 0. */
static int run_team(struct team *t, uint64_t first)
{
    pthread_t threads[ANALYZE_MAX_THREADS];
    unsigned int nr = 0;

    pthread_mutex_init(&t->gate, NULL);
    pthread_mutex_lock(&t->gate);
    while ( nr + 1 < t->a->nr_shards &&
            !pthread_create(&threads[nr], NULL, run_worker, t) )
        nr++;
    barrier_init(&t->barrier, nr + 1);
    assign_readers(t, nr + 1);
    pthread_mutex_unlock(&t->gate);
    run_epochs(t, first);
    t->over = true;
    barrier_wait(&t->barrier);
    while ( nr )
        pthread_join(threads[--nr], NULL);
    barrier_fini(&t->barrier);
    pthread_mutex_destroy(&t->gate);
    return t->rc;
}

/* --- segments ------------------------------------------------------------- */

static uint64_t count_bytes(const struct xt_walk *w, unsigned int cpu)
{
    const struct xt_index *index = w->context.index;
    uint64_t n = cpu < index->nr_cpus ? index->cpus[cpu].first : XT_NOWHERE;
    uint64_t bytes = 0;

    for ( ; n != XT_NOWHERE; n = xt_index_get_entry(index, n)->next )
        bytes += xt_index_get_entry(index, n)->size;
    return bytes;
}

static int open_readers(struct team *t, unsigned int nr)
{
    t->readers = arena_array(&t->arena, nr ? nr : 1, sizeof(*t->readers),
                             _Alignof(struct reader));
    t->by_size = arena_array(&t->arena, nr ? nr : 1, sizeof(*t->by_size),
                             _Alignof(struct reader *));
    if ( !t->readers || !t->by_size || change_merge_init(&t->merges[0], nr) ||
         change_merge_init(&t->merges[1], nr) )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < nr; cpu++ )
    {
        struct reader *r = &t->readers[t->nr_readers];

        xt_trace_begin_walk(t->a->trace, cpu, &r->walk);
        r->clock = xt_index_correction(r->walk.context.index, cpu);
        r->offset = r->clock.offset;
        r->bytes = count_bytes(&r->walk, cpu);
        r->p = r->bytes ? segment_pcpu(t->a, cpu) : NULL;
        if ( r->p )
            t->nr_readers++;
        else
            xt_trace_end_walk(t->a->trace, &r->walk);
        if ( r->bytes && !r->p )
            return -ENOMEM;
    }
    return 0;
}

static int read_segment(struct analysis *a, struct err *e)
{
    struct team t = { .a = a, .stop = a->stop };
    uint64_t first, last;
    unsigned int nr;
    int rc = xt_trace_cpus(a->trace, &nr, e);

    rc = rc ? rc : xt_trace_span(a->trace, &first, &last, e);
    if ( rc )
        return rc;
    arena_init(&t.arena, 0);
    rc = segment_begin(a, first > last ? 0 : first, nr);
    rc = rc ? rc : open_readers(&t, nr);
    /* A segment has the time of its begin, also behind the span. */
    if ( first <= last && t.stop < first )
        t.stop = first;
    t.target = choose_target(&t);
    t.slices = choose_slices(&t);
    rc = rc ? rc : run_team(&t, first);
    for ( unsigned int i = 0; i < t.nr_readers; i++ )
    {
        xt_trace_end_walk(a->trace, &t.readers[i].walk);
        free(t.readers[i].left.items);
    }
    arena_fini(&t.arena);
    change_merge_fini(&t.merges[0]);
    change_merge_fini(&t.merges[1]);
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
