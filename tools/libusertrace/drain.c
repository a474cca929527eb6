/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A pass merges the rings by the time of the events.  What a ring has in a
 * row before the next one's time is copied in a row: with one thread that is
 * all of it.
 *
 * What was read is given back only when it counts in the file (commit), and
 * both become true in one store (simple-format.h): whoever is killed in
 * between leaves either both or neither.
 *
 * A failed write undoes the pass as far as it was not committed.  The rings
 * stay full, trace points count what they lose, and the next pass tries again.
 */
#include "libusertrace/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/fault.h"
#include "libusertrace/registry.h"

static const char *place(const struct ut_ring *r, uint64_t at)
{
    return (const char *)r->ring + r->ring->data + (at & r->ring->mask);
}

static struct simple_head head_at(const struct ut_ring *r)
{
    struct simple_head head;

    memcpy(&head, place(r, r->at), sizeof(head));
    return head;
}

/* ---- commit -------------------------------------------------------------- */

static void keep_ring(struct ut_ring *r)
{
    uint64_t side;

    r->kept_at = r->at;
    r->kept_told = r->told;
    if ( !r->arena )
        return;
    side = ~r->arena->head->commit & 1;
    r->ring->done[side].tail = r->at;
    r->ring->done[side].told = r->told;
}

static void undo_ring(struct ut_ring *r)
{
    r->at = r->kept_at;
    r->told = r->kept_told;
}

/* A killed process's stores are there in the order of the program. */
static void keep_arena(struct ut_drain *d)
{
    struct simple_rings *head = d->arena->head;
    uint64_t side = ~head->commit & 1;

    head->done[side].bytes = d->file.bytes;
    __atomic_store_n(&head->commit, head->commit + 1, __ATOMIC_RELEASE);
}

/* Both sides, in turn, so that whichever counts is all of one file. */
void ut_drain_note_file(struct ut_drain *d, const char *path)
{
    struct simple_rings *head = d->arena->head;

    for ( int i = 0; i < 2; i++ )
    {
        uint64_t side = ~head->commit & 1;

        for ( struct ut_ring *r = d->rings; r; r = r->next )
            keep_ring(r);
        head->done[side].inode = d->file.inode;
        memcpy(head->done[side].path, path, strlen(path) + 1);
        keep_arena(d);
    }
}

static void count(struct ut_drain *d)
{
    d->counts.written += d->pending;
    d->counts.dropped += d->pending_lost;
    d->pending = d->pending_lost = 0;
}

/* The release of tail is for the acquire in ring-write.c, look_for_room(). */
static int commit(struct ut_drain *d)
{
    uint64_t before = d->file.bytes;
    int rc = ut_file_write(&d->file);

    d->counts.bytes += d->file.bytes - before;
    if ( rc && d->file.seekable )
    {
        d->counts.failed_writes++;
        for ( struct ut_ring *r = d->rings; r; r = r->next )
            undo_ring(r);
        d->told_without_ring = d->kept_without_ring;
        d->pending = d->pending_lost = 0;
        return rc;
    }
    for ( struct ut_ring *r = d->rings; r; r = r->next )
        keep_ring(r);
    d->kept_without_ring = d->told_without_ring;
    if ( d->arena )
        keep_arena(d);
    for ( struct ut_ring *r = d->rings; r; r = r->next )
        __atomic_store_n(&r->ring->tail, r->at, __ATOMIC_RELEASE);
    count(d);
    d->counts.failed_writes += rc != 0;
    return rc;
}

static int make_room(struct ut_drain *d, size_t bytes)
{
    return ut_file_has_room(&d->file, bytes) ? 0 : commit(d);
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
    ut_file_put(&d->file, &head, sizeof(head));
    ut_file_put(&d->file, &nr, sizeof(nr));
    d->pending_lost += nr;
}

/* A marker has the total; of that, some may have been told already. */
static void take_marker(struct ut_drain *d, struct ut_ring *r,
                        const struct simple_head *head)
{
    uint64_t total;

    memcpy(&total, place(r, r->at + sizeof(*head)), sizeof(total));
    if ( total > r->told )
    {
        put_dropped(d, r->ring->tid, head->time, total - r->told);
        r->told = total;
    }
}

static int take_one(struct ut_drain *d, struct ut_ring *r)
{
    struct simple_head head = head_at(r);
    size_t size = head.length + sizeof(head.type);
    int rc = make_room(d, size + UT_FILE_NOTE_MAX);

    if ( rc )
        return rc;
    if ( head.id == SIMPLE_DROPPED )
        take_marker(d, r, &head);
    else
    {
        ut_file_put_thread(&d->file, r->ring->tid);
        ut_file_put(&d->file, place(r, r->at), size);
        d->pending++;
    }
    r->at += size;
    return 0;
}

/* The ring with the earliest event, and until when it is alone. */
static struct ut_ring *find_first(const struct ut_drain *d, uint64_t *until)
{
    struct ut_ring *first = NULL;
    uint64_t time, first_time = UINT64_MAX;

    *until = UINT64_MAX;
    for ( struct ut_ring *r = d->rings; r; r = r->next )
    {
        if ( r->at >= r->end )
            continue;
        time = head_at(r).time;
        if ( !first || time < first_time )
        {
            *until = first_time;
            first = r;
            first_time = time;
        }
        else if ( time < *until )
            *until = time;
    }
    return first;
}

static int take_run(struct ut_drain *d, struct ut_ring *r, uint64_t until)
{
    int rc = 0;

    while ( !rc && r->at < r->end && head_at(r).time <= until )
        rc = take_one(d, r);
    return rc;
}

/*
 * Losses that no event followed yet.  First what was lost, then the head: if
 * it has not moved, the losses came after all that was read.
 */
static int tell_losses(struct ut_drain *d, struct ut_ring *r)
{
    uint64_t lost = __atomic_load_n(&r->ring->lost, __ATOMIC_ACQUIRE);
    uint64_t head = __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
    int rc;

    if ( r->stale || lost == r->told || head != r->at )
        return 0;
    rc = make_room(d, SIMPLE_MARKER_BYTES + UT_FILE_NOTE_MAX);
    if ( rc )
        return rc;
    put_dropped(d, r->ring->tid,
                __atomic_load_n(&r->ring->lost_at, __ATOMIC_RELAXED),
                lost - r->told);
    r->told = lost;
    return 0;
}

static int tell_losses_without_ring(struct ut_drain *d)
{
    uint64_t lost = ut_rings_lost();
    struct timespec t;
    int rc;

    if ( lost == d->told_without_ring )
        return 0;
    rc = make_room(d, SIMPLE_MARKER_BYTES + UT_FILE_NOTE_MAX);
    if ( rc )
        return rc;
    clock_gettime(CLOCK_MONOTONIC, &t);
    put_dropped(d, 0, (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec,
                lost - d->told_without_ring);
    d->told_without_ring = lost;
    return 0;
}

/* ---- a pass -------------------------------------------------------------- */

/* The acquire is for the release in ring-write.c, leave(). */
static bool take_snapshot(struct ut_drain *d)
{
    bool any = false;

    for ( struct ut_ring *r = d->rings; r; r = r->next )
    {
        r->end = r->stale ? r->at :
                 __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
        any |= r->end != r->at;
    }
    return any;
}

/* After the snapshot: whatever is in it has been registered. */
static int name_events(struct ut_drain *d)
{
    uint32_t nr = ut_nr_events();
    int rc;

    if ( nr == d->file.now.mapped )
        return 0;
    rc = ut_file_put_events(&d->file, nr);
    return rc ? rc : commit(d);
}

int ut_drain_pass(struct ut_drain *d)
{
    bool any = take_snapshot(d);
    struct ut_ring *r;
    uint64_t until;
    int rc = name_events(d);

    if ( !rc && any )
        ut_file_put_clock(&d->file);
    while ( !rc && (r = find_first(d, &until)) != NULL )
        rc = take_run(d, r, until);
    for ( r = d->rings; r && !rc; r = r->next )
        rc = tell_losses(d, r);
    if ( !rc )
        rc = tell_losses_without_ring(d);
    return rc ? rc : d->file.used ? commit(d) : 0;
}

void ut_drain_peek(struct ut_drain *d,
                   void (*show)(const char *record, size_t bytes, void *arg),
                   void *arg)
{
    struct simple_head head;
    struct ut_ring *r;
    uint64_t until;
    size_t bytes;

    take_snapshot(d);
    while ( (r = find_first(d, &until)) != NULL )
    {
        head = head_at(r);
        bytes = head.length + sizeof(head.type);
        if ( head.id != SIMPLE_DROPPED )
            show(place(r, r->at), bytes, arg);
        r->at += bytes;
    }
    for ( r = d->rings; r; r = r->next )
        undo_ring(r);
}

/* ---- rings that come and go ---------------------------------------------- */

static uint32_t state_of(const struct ut_ring *r)
{
    return __atomic_load_n(&r->ring->state, __ATOMIC_ACQUIRE);
}

/* Its thread is gone, and all of it is in the file (or never will be). */
static bool is_spent(const struct ut_ring *r)
{
    return state_of(r) == SIMPLE_RING_DONE &&
           (r->stale ||
            (r->at == r->ring->at.head && r->told == r->ring->lost));
}

static void renew(struct ut_ring *r)
{
    r->ring->at.reserved = r->ring->at.head;
    r->ring->at.limit = 0;
    r->ring->marked = r->ring->lost;
    r->ring->state = SIMPLE_RING_FREE;
}

/* A ring in the pool is FREE too: `offered` tells them apart. */
static void tend_ring(struct ut_ring **at)
{
    struct ut_ring *r = *at;

    if ( is_spent(r) && !r->arena )
    {
        *at = r->next;
        ut_ring_free(r);
        return;
    }
    if ( is_spent(r) )
    {
        renew(r);
        r->offered = false;
    }
    if ( !r->offered && r->arena && state_of(r) == SIMPLE_RING_FREE )
        r->offered = ut_ring_offer(r->ring);
}

int ut_drain_tend(struct ut_drain *d, struct err *e)
{
    struct ut_ring **at = &d->rings, *r;
    int rc = 0;

    while ( *at )
    {
        r = *at;
        tend_ring(at);
        if ( *at == r )
            at = &r->next;
    }
    while ( d->arena && ut_rings_wanted() && !rc )
    {
        rc = ut_ring_new(d->arena, &r, e);
        if ( rc )
            break;
        r->next = d->rings;
        d->rings = r;
        r->offered = ut_ring_offer(r->ring);
    }
    d->counts.rings = 0;
    for ( r = d->rings; r; r = r->next )
        d->counts.rings += state_of(r) == SIMPLE_RING_HELD;
    return rc;
}

/* A pair with ring-write.c, is_closed(). */
static void close_ring(struct ut_ring *r)
{
    __atomic_store_n(&r->ring->closed, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&r->ring->at.limit, 0, __ATOMIC_SEQ_CST);
    r->arena = NULL;
}

void ut_drain_close_rings(struct ut_drain *d)
{
    struct ut_ring *r;
    struct simple_ring *ring;

    while ( (ring = ut_ring_withdraw()) != NULL )
        ring->state = SIMPLE_RING_DONE;
    for ( r = d->rings; r; r = r->next )
    {
        if ( !r->offered )
            r->ring->state = SIMPLE_RING_DONE;
        close_ring(r);
    }
}

bool ut_drain_is_quiet(const struct ut_drain *d)
{
    for ( const struct ut_ring *r = d->rings; r; r = r->next )
        if ( !r->stale && state_of(r) == SIMPLE_RING_HELD &&
             (__atomic_load_n(&r->ring->at.reserved, __ATOMIC_RELAXED) !=
              r->at || __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE) !=
              r->at) )
            return false;
    return true;
}

/* Events that were read by nobody, and losses that were told to nobody. */
static uint64_t rest_of(struct ut_ring *r)
{
    uint64_t nr = __atomic_load_n(&r->ring->lost, __ATOMIC_ACQUIRE) - r->told;
    uint64_t end = __atomic_load_n(&r->ring->at.head, __ATOMIC_ACQUIRE);
    struct simple_head head;

    for ( ; r->at < end; r->at += head.length + sizeof(head.type) )
    {
        head = head_at(r);
        nr += head.id != SIMPLE_DROPPED;
    }
    return nr;
}

uint64_t ut_drain_give_up(struct ut_drain *d)
{
    uint64_t lost = ut_rings_lost(), nr = lost - d->told_without_ring;

    for ( struct ut_ring *r = d->rings; r; r = r->next )
    {
        nr += r->stale ? 0 : rest_of(r);
        r->stale = true;
    }
    d->told_without_ring = lost;
    d->counts.dropped += nr;
    return nr;
}

void ut_drain_forget(struct ut_drain *d)
{
    struct ut_ring *r;

    while ( (r = d->rings) != NULL )
    {
        d->rings = r->next;
        ut_ring_free(r);
    }
    if ( d->arena )
        ut_arena_forget(d->arena);
    d->arena = NULL;
    d->told_without_ring = d->kept_without_ring = 0;
}
