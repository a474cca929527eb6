/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A pass merges the rings by the time of the events.  A run of events of one
 * ring, up to the earliest time in any other ring, is copied without a new
 * comparison: with one thread, a pass is a single run.
 *
 * Ring space is given back only when its events are committed to the file.
 * Both become true in one store (simple-format.h), so a kill at any point
 * leaves either both or neither.
 *
 * A failed write rolls back the uncommitted part of the pass.  The rings stay
 * full, trace points count their losses, and the next pass tries again.
 */
#include "libusertrace/event-drain.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libusertrace/registry.h"

static const char *data_at(const struct ut_ring *r, uint64_t at)
{
    return (const char *)r->ring + r->ring->data + (at & r->ring->mask);
}

static struct simple_head head_at(const struct ut_ring *r)
{
    struct simple_head head;

    memcpy(&head, data_at(r, r->at), sizeof(head));
    return head;
}

/* Not a marker. */
static bool is_event(const struct simple_head *head)
{
    return head->id != SIMPLE_DROPPED && head->id != SIMPLE_THREAD;
}

/* ---- commit -------------------------------------------------------------- */

static void commit_ring(struct ut_ring *r)
{
    uint64_t side;

    r->committed_at = r->at;
    r->committed_lost = r->reported_lost;
    r->committed_tid = r->tid;
    if ( !r->arena->head )
        return;
    side = ~r->arena->head->commit & 1;
    r->ring->committed[side].tail = r->at;
    r->ring->committed[side].reported_lost = r->reported_lost;
    r->ring->committed[side].tid = r->tid;
}

static void rollback_ring(struct ut_ring *r)
{
    debug_assert(r->committed_at <= r->at);
    debug_assert(r->committed_lost <= r->reported_lost);
    r->at = r->committed_at;
    r->reported_lost = r->committed_lost;
    r->tid = r->committed_tid;
}

/* After a kill, the stores of the process are visible in program order. */
static void commit_arena(struct ut_drain *d)
{
    struct simple_rings *head = d->arena->head;
    uint64_t side = ~head->commit & 1;

    head->committed[side].bytes = d->file.bytes;
    head->committed[side].reported_lost = d->reported_without_ring;
    __atomic_store_n(&head->commit, head->commit + 1, __ATOMIC_RELEASE);
}

void ut_drain_set_arena(struct ut_drain *d, struct ut_arena *a)
{
    d->arena = a;
    d->reported_without_ring = d->committed_without_ring = 0;
}

/*
 * Fill both sides in turn, so that the valid side always describes a single
 * file.
 */
void ut_drain_set_file(struct ut_drain *d, const char *path)
{
    struct simple_rings *head = d->arena->head;

    assert(!d->pending && !d->pending_lost);
    assert(strlen(path) < SIMPLE_PATH_MAX);
    for ( int i = 0; i < 2; i++ )
    {
        uint64_t side = ~head->commit & 1;

        for ( struct ut_ring *r = d->rings; r; r = r->next )
            commit_ring(r);
        head->committed[side].inode = d->file.inode;
        memcpy(head->committed[side].path, path, strlen(path) + 1);
        commit_arena(d);
    }
}

static void count_committed(struct ut_drain *d)
{
    d->counts.written += d->pending;
    d->counts.dropped += d->pending_lost;
    d->pending = d->pending_lost = 0;
}

/*
 * The release of tail pairs with the acquire in ring-write.c, update_limit().
 */
static int commit_pass(struct ut_drain *d)
{
    uint64_t before = d->file.bytes;
    int rc = ut_file_write(&d->file);

    d->counts.bytes += d->file.bytes - before;
    if ( rc && d->file.seekable )
    {
        d->counts.failed_writes++;
        for ( struct ut_ring *r = d->rings; r; r = r->next )
            rollback_ring(r);
        d->reported_without_ring = d->committed_without_ring;
        d->pending = d->pending_lost = 0;
        return rc;
    }
    for ( struct ut_ring *r = d->rings; r; r = r->next )
        commit_ring(r);
    d->committed_without_ring = d->reported_without_ring;
    if ( d->arena )
        commit_arena(d);
    for ( struct ut_ring *r = d->rings; r; r = r->next )
        __atomic_store_n(&r->ring->tail, r->at, __ATOMIC_RELEASE);
    ut_rings_wake_threads();
    count_committed(d);
    d->counts.failed_writes += rc != 0;
    return rc;
}

static int buffer_make_room(struct ut_drain *d, size_t bytes)
{
    return ut_file_has_room(&d->file, bytes) ? 0 : commit_pass(d);
}

/* ---- events to the file -------------------------------------------------- */

static void put_dropped(struct ut_drain *d, uint32_t tid, uint64_t time,
                        uint64_t nr)
{
    struct simple_head head = {
        .type = SIMPLE_EVENT, .id = SIMPLE_DROPPED, .time = time,
        .length = SIMPLE_MARKER_BYTES - 8, .pid = d->pid,
    };

    ut_file_put_thread(&d->file, tid);
    ut_file_put_bytes(&d->file, &head, sizeof(head));
    ut_file_put_bytes(&d->file, &nr, sizeof(nr));
    d->pending_lost += nr;
}

/*
 * A marker holds the total of losses; part of the total may have been reported
 * already.
 */
static void drain_marker(struct ut_drain *d, struct ut_ring *r,
                         const struct simple_head *head)
{
    uint64_t total;

    memcpy(&total, data_at(r, r->at + sizeof(*head)), sizeof(total));
    if ( total > r->reported_lost )
    {
        put_dropped(d, r->tid, head->time, total - r->reported_lost);
        r->reported_lost = total;
    }
}

static void drain_thread_marker(struct ut_ring *r)
{
    memcpy(&r->tid, data_at(r, r->at + sizeof(struct simple_head)),
           sizeof(r->tid));
}

static int drain_event(struct ut_drain *d, struct ut_ring *r)
{
    struct simple_head head = head_at(r);
    size_t size = head.length + sizeof(head.type);
    int rc = buffer_make_room(d, size + UT_FILE_NOTE_MAX);

    if ( rc )
        return rc;
    if ( head.id == SIMPLE_DROPPED )
        drain_marker(d, r, &head);
    else if ( head.id == SIMPLE_THREAD )
        drain_thread_marker(r);
    else
    {
        ut_file_put_thread(&d->file, r->tid);
        ut_file_put_bytes(&d->file, data_at(r, r->at), size);
        d->pending++;
    }
    r->at += size;
    return 0;
}

/*
 * The active ring with the earliest event, and in *until the earliest time in
 * any other ring.  Rings without further events leave the list.
 */
static struct ut_ring *find_earliest(struct ut_drain *d, uint64_t *until)
{
    struct ut_ring **at = &d->active, *first = NULL, *r;

    *until = UINT64_MAX;
    while ( (r = *at) != NULL )
    {
        if ( r->at >= r->end )
        {
            *at = r->next_active;
            continue;
        }
        if ( !first || r->time < first->time )
        {
            *until = first ? first->time : UINT64_MAX;
            first = r;
        }
        else if ( r->time < *until )
            *until = r->time;
        at = &r->next_active;
    }
    return first;
}

/* Load the time of the ring's next event, if any. */
static void load_time(struct ut_ring *r)
{
    if ( r->at < r->end )
        r->time = head_at(r).time;
}

static int drain_run(struct ut_drain *d, struct ut_ring *r, uint64_t until)
{
    int rc = 0;

    while ( !rc && r->at < r->end && r->time <= until )
    {
        rc = drain_event(d, r);
        load_time(r);
    }
    return rc;
}

/*
 * Report losses that no event has followed yet.  Load `lost` before `head`: if
 * `head` has not moved, the losses are later than all events read.
 */
static int put_losses(struct ut_drain *d, struct ut_ring *r)
{
    uint64_t lost = __atomic_load_n(&r->ring->lost, __ATOMIC_ACQUIRE);
    uint64_t head = __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
    int rc;

    if ( r->stale || lost == r->reported_lost || head != r->at )
        return 0;
    rc = buffer_make_room(d, SIMPLE_MARKER_BYTES + UT_FILE_NOTE_MAX);
    if ( rc )
        return rc;
    put_dropped(d, r->tid, __atomic_load_n(&r->ring->lost_at, __ATOMIC_RELAXED),
                lost - r->reported_lost);
    r->reported_lost = lost;
    return 0;
}

static uint64_t count_lost_without_ring(const struct ut_drain *d)
{
    return d->arena ? __atomic_load_n(&d->arena->head->lost, __ATOMIC_RELAXED) :
                      d->reported_without_ring;
}

static int put_losses_without_ring(struct ut_drain *d)
{
    uint64_t lost = count_lost_without_ring(d);
    struct timespec t;
    int rc;

    if ( lost == d->reported_without_ring )
        return 0;
    rc = buffer_make_room(d, SIMPLE_MARKER_BYTES + UT_FILE_NOTE_MAX);
    if ( rc )
        return rc;
    clock_gettime(CLOCK_MONOTONIC, &t);
    put_dropped(d, 0, (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec,
                lost - d->reported_without_ring);
    d->reported_without_ring = lost;
    return 0;
}

/* ---- a pass -------------------------------------------------------------- */

static void add_ring(struct ut_drain *d, struct ut_ring *r)
{
    r->next = d->rings;
    r->link = &d->rings;
    if ( r->next )
        r->next->link = &r->next;
    d->rings = r;
    r->arena->nr_known++;
}

static void remove_ring(struct ut_ring *r)
{
    assert(*r->link == r && r->arena->nr_known);
    *r->link = r->next;
    if ( r->next )
        r->next->link = r->link;
    r->arena->nr_known--;
}

/* The acquire pairs with the release in ring-memory.c, push_new(). */
static void adopt_new_rings(struct ut_drain *d)
{
    struct ut_ring *r;

    if ( !d->arena )
        return;
    r = __atomic_exchange_n(&d->arena->new_rings, NULL, __ATOMIC_ACQUIRE);
    for ( ; r; r = r->next_new )
        add_ring(d, r);
}

/*
 * The acquire pairs with the release in trace/simple.h,
 * usertrace_simple_end().
 */
static void snapshot_heads(struct ut_drain *d)
{
    struct ut_ring **last = &d->active;

    adopt_new_rings(d);
    for ( struct ut_ring *r = d->rings; r; r = r->next )
    {
        r->end = r->stale ? r->at :
                 __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
        if ( r->end == r->at )
            continue;
        load_time(r);
        *last = r;
        last = &r->next_active;
    }
    *last = NULL;
}

/* After the snapshot: every event in the snapshot is registered by now. */
static int put_new_mappings(struct ut_drain *d)
{
    uint32_t nr = ut_count_events();
    int rc;

    if ( nr == d->file.now.mapped )
        return 0;
    rc = ut_file_put_events(&d->file, nr);
    return rc ? rc : commit_pass(d);
}

int ut_drain_run_pass(struct ut_drain *d)
{
    struct ut_ring *r;
    uint64_t until;
    int rc;

    assert(d->file.fd >= 0);
    snapshot_heads(d);
    rc = put_new_mappings(d);
    if ( !rc && d->active )
        ut_file_put_clock(&d->file);
    while ( !rc && (r = find_earliest(d, &until)) != NULL )
        rc = drain_run(d, r, until);
    for ( r = d->rings; r && !rc; r = r->next )
        rc = put_losses(d, r);
    if ( !rc )
        rc = put_losses_without_ring(d);
    return rc ? rc : d->file.used ? commit_pass(d) : 0;
}

void ut_drain_peek_records(struct ut_drain *d, ut_record_fn *show, void *arg)
{
    struct simple_head head;
    struct ut_ring *r;
    uint64_t until;
    size_t bytes;

    snapshot_heads(d);
    while ( (r = find_earliest(d, &until)) != NULL )
    {
        head = head_at(r);
        bytes = head.length + sizeof(head.type);
        if ( is_event(&head) )
            show(data_at(r, r->at), bytes, arg);
        r->at += bytes;
        load_time(r);
    }
    for ( r = d->rings; r; r = r->next )
        rollback_ring(r);
}

/* ---- rings that come and go ---------------------------------------------- */

static uint32_t ring_state(const struct ut_ring *r)
{
    return __atomic_load_n(&r->ring->state, __ATOMIC_ACQUIRE);
}

/*
 * The thread has released the ring, and all events are in the file or stale.
 */
static bool ring_is_spent(const struct ut_ring *r)
{
    return ring_state(r) == SIMPLE_RING_RELEASED &&
           (r->stale ||
            (r->at == r->ring->at.head && r->reported_lost == r->ring->lost));
}

static void reset_ring(struct ut_ring *r)
{
    r->ring->at.reserved = r->ring->at.head;
    r->ring->at.limit = 0;
    r->ring->marked = r->ring->lost;
    r->ring->state = SIMPLE_RING_FREE;
}

static void recycle_ring(struct ut_ring *r)
{
    if ( !ring_is_spent(r) )
        return;
    if ( r->is_closed )
    {
        remove_ring(r);
        ut_ring_free(r);
        return;
    }
    reset_ring(r);
    ut_ring_push(&r->arena->free_rings, r);
}

struct ring_counts
{
    unsigned int nr_free, held;
};

static struct ring_counts count_rings(const struct ut_drain *d)
{
    struct ring_counts c = { .held = 0 };

    for ( const struct ut_ring *r = d->rings; r; r = r->next )
    {
        uint32_t state = ring_state(r);

        c.nr_free += !r->is_closed && state == SIMPLE_RING_FREE;
        c.held += !r->is_closed && state == SIMPLE_RING_HELD;
    }
    return c;
}

/*
 * One ring is ready at first, for a child that calls exec(2) soon.  An error
 * may have happened to a thread meanwhile.
 */
static int create_free_rings(struct ut_drain *d, struct ring_counts *c)
{
    struct ut_ring *r;
    int rc = 0;

    while ( c->nr_free < 1 + c->held && c->nr_free < UT_RINGS_READY )
    {
        rc = ut_ring_create(d->arena, &r);
        if ( rc )
            break;
        ut_ring_push(&d->arena->free_rings, r);
        c->nr_free++;
    }
    rc = __atomic_exchange_n(&d->arena->create_error, 0, __ATOMIC_RELAXED);
    adopt_new_rings(d);
    return rc;
}

/* A ring that the drain does not know takes no part in commits. */
static void commit_both_sides(struct ut_ring *r)
{
    uint64_t valid = r->arena->head->commit & 1;

    r->ring->committed[!valid] = r->ring->committed[valid];
}

/*
 * Trim a free ring, and forget it until a thread allocates its memory again.
 * A ring with events that its last thread left behind is drained by the next
 * pass instead, and becomes free again; so is a ring that the drain does not
 * know yet, which has a thread's marker.  False: there is no free ring, or the
 * file system cannot return memory.
 */
static bool trim_ring(struct ut_arena *a)
{
    struct ut_ring *r = ut_ring_pop(a, &a->free_rings);

    if ( !r )
        return false;
    r->ring->state = SIMPLE_RING_RELEASED;
    if ( !ring_is_spent(r) )
        return true;
    debug_assert(r->committed_at == r->at);
    reset_ring(r);
    if ( ut_ring_trim(r) )
    {
        ut_ring_push(&a->free_rings, r);
        return false;
    }
    remove_ring(r);
    commit_both_sides(r);
    r->ring->state = SIMPLE_RING_TRIMMED;
    ut_ring_push(&a->trimmed_rings, r);
    return true;
}

void ut_drain_trim_rings(struct ut_drain *d, unsigned int keep)
{
    unsigned int nr = d->least_free;

    assert(d->arena);
    while ( nr > keep && trim_ring(d->arena) )
        nr--;
    d->least_free = count_rings(d).nr_free;
}

static int report_create_error(int rc, struct err *e)
{
    if ( rc == -EUSERS )
        return err_set(e, rc, "%u threads have a ring, and another begins to "
                       "trace", UT_RINGS_MAX);
    return err_sys(e, rc, "cannot create a ring for another thread");
}

int ut_drain_recycle_rings(struct ut_drain *d, struct err *e)
{
    struct ut_ring *r, *next;
    struct ring_counts c;
    int rc = 0;

    for ( r = d->rings; r; r = next )
    {
        next = r->next;
        recycle_ring(r);
    }
    c = count_rings(d);
    if ( d->arena )
        rc = create_free_rings(d, &c);
    d->counts.rings = c.held;
    if ( c.nr_free < d->least_free )
        d->least_free = c.nr_free;
    return rc ? report_create_error(rc, e) : 0;
}

/* Pairs with ring-write.c, ring_is_closed(). */
static void close_ring(struct ut_ring *r)
{
    __atomic_store_n(&r->ring->closed, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&r->ring->at.limit, 0, __ATOMIC_SEQ_CST);
    r->is_closed = true;
}

/* Free and trimmed rings are freed as rings that threads have released. */
static void release_unused(struct ut_drain *d)
{
    struct ut_arena *a = d->arena;
    struct ut_ring *r;

    while ( (r = ut_ring_pop(a, &a->free_rings)) != NULL )
        r->ring->state = SIMPLE_RING_RELEASED;
    while ( (r = ut_ring_pop(a, &a->trimmed_rings)) != NULL )
    {
        r->ring->state = SIMPLE_RING_RELEASED;
        add_ring(d, r);
    }
}

void ut_drain_close_rings(struct ut_drain *d)
{
    struct ut_ring *r;

    adopt_new_rings(d);
    if ( d->arena )
        release_unused(d);
    for ( r = d->rings; r; r = r->next )
        if ( !r->is_closed )
            close_ring(r);
}

bool ut_drain_is_idle(const struct ut_drain *d)
{
    for ( const struct ut_ring *r = d->rings; r; r = r->next )
        if ( !r->stale && ring_state(r) == SIMPLE_RING_HELD &&
             (__atomic_load_n(&r->ring->at.reserved, __ATOMIC_RELAXED) !=
              r->at || __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE) !=
              r->at) )
            return false;
    return true;
}

/* Count events that were not drained, and losses that were not reported. */
static uint64_t count_unwritten(struct ut_ring *r)
{
    uint64_t nr = __atomic_load_n(&r->ring->lost, __ATOMIC_ACQUIRE) -
                  r->reported_lost;
    uint64_t end = __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
    struct simple_head head;

    for ( ; r->at < end; r->at += head.length + sizeof(head.type) )
    {
        head = head_at(r);
        nr += is_event(&head);
    }
    return nr;
}

uint64_t ut_drain_count_unreported(const struct ut_drain *d)
{
    uint64_t nr = count_lost_without_ring(d) - d->reported_without_ring;

    for ( const struct ut_ring *r = d->rings; r; r = r->next )
        nr += r->stale ? 0 : __atomic_load_n(&r->ring->lost, __ATOMIC_ACQUIRE) -
                             r->reported_lost;
    return nr;
}

uint64_t ut_drain_abandon_rings(struct ut_drain *d)
{
    uint64_t lost = count_lost_without_ring(d);
    uint64_t nr = lost - d->reported_without_ring;

    for ( struct ut_ring *r = d->rings; r; r = r->next )
    {
        nr += r->stale ? 0 : count_unwritten(r);
        r->stale = true;
    }
    d->reported_without_ring = lost;
    d->counts.dropped += nr;
    return nr;
}

void ut_drain_free_in_child(struct ut_drain *d)
{
    struct ut_ring *r;

    adopt_new_rings(d);
    if ( d->arena )
    {
        while ( (r = ut_ring_pop(d->arena, &d->arena->trimmed_rings)) != NULL )
            add_ring(d, r);
        ut_arena_unmap(d->arena);
    }
    while ( (r = d->rings) != NULL )
    {
        remove_ring(r);
        ut_ring_free(r);
    }
    ut_drain_set_arena(d, NULL);
}
