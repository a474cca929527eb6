/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovery as described in simple-format.h.  The file of rings is untrusted, so
 * every number is checked against the size of the file first.
 *
 * A process that writes to rings has a lock on the file (fcntl(2)), which ends
 * with the process, and with exec(2).  A process that has closed all of its
 * descriptors has lost the lock, but still maps the file.
 *
 * Events of a ring are in order, so the rings are merged by a heap.
 */
#include "libusertrace/ring-recover.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/file-read.h"

#define MAX_LENGTH (64u << 10)
#define BUFFER_BYTES (256u << 10)
#define MAX_ROTATED 1000u
#define MAX_TRIES 100u

struct ut_rings_part            /* the uncommitted part of a ring */
{
    unsigned char *bytes;
    size_t at, n;
    uint64_t order;             /* time of the next event, or a later time
                                 * before it */
    uint64_t reported_lost, lost, lost_at, tid;
    size_t number;
};

/* ---- the file ------------------------------------------------------------ */

static int read_bytes(const struct ut_rings *r, void *to, size_t nr,
                      uint64_t at)
{
    return file_read_at(r->fd, to, nr, at, -ENODATA);
}

static int report_no_rings(const struct ut_rings *r, const char *why,
                           struct err *e)
{
    return err_set(e, -ENODATA, "%s: %s: give the NAME.rings that a killed "
                   "program left beside its trace NAME", r->name, why);
}

static int check_head(struct ut_rings *r, struct err *e)
{
    struct simple_rings *h = &r->head;

    if ( h->magic != SIMPLE_RINGS_MAGIC )
        return report_no_rings(r, "not a file of rings of this machine", e);
    if ( h->version != SIMPLE_RINGS_VERSION )
        return err_set(e, -EINVAL, "%s: version %u of the rings is not "
                       "supported", r->name, h->version);
    if ( h->header_bytes < sizeof(*h) || h->header_bytes > r->size ||
         h->ring_header < sizeof(struct simple_ring) || !h->ring_bytes ||
         (h->ring_bytes & (h->ring_bytes - 1)) || (h->nr_rings &&
         (h->ring_bytes > r->size ||
          h->nr_rings > (r->size - h->header_bytes) /
                        (h->ring_header + h->ring_bytes))) )
        return report_no_rings(r, "the rings do not fit into the file", e);
    r->side = h->commit & 1;
    h->committed[0].path[SIMPLE_PATH_MAX - 1] = '\0';
    h->committed[1].path[SIMPLE_PATH_MAX - 1] = '\0';
    return 0;
}

static int rings_read_head(struct ut_rings *r, struct err *e)
{
    struct stat st;
    int rc;

    if ( fstat(r->fd, &st) )
        return err_sys(e, -errno, "cannot stat %s", r->name);
    if ( !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(r->head) )
        return report_no_rings(r, "too short for a file of rings", e);
    r->size = st.st_size;
    rc = read_bytes(r, &r->head, sizeof(r->head), 0);
    if ( rc )
        return err_sys(e, rc, "cannot read %s", r->name);
    return check_head(r, e);
}

int ut_rings_open(struct ut_rings *r, const char *name, int flags,
                  struct err *e)
{
    int rc;

    *r = (struct ut_rings){
        .name = name, .fd = fault_open(name, flags | O_CLOEXEC, 0),
    };
    if ( r->fd < 0 )
        return err_sys(e, -errno, "cannot open %s", name);
    rc = rings_read_head(r, e);
    if ( rc )
        ut_rings_close(r);
    return rc;
}

static void free_parts(struct ut_rings *r)
{
    while ( r->nr_parts )
        fault_free(r->parts[--r->nr_parts].bytes);
    fault_free(r->parts);
    r->parts = NULL;
}

void ut_rings_close(struct ut_rings *r)
{
    free_parts(r);
    if ( r->fd >= 0 )
        close(r->fd);
    r->fd = -1;
}

/* ---- the owner ----------------------------------------------------------- */

/* Does the process of the rings map them?  Unknown counts as no. */
static bool is_mapped(const struct ut_rings *r)
{
    char path[PATH_MAX], line[PATH_MAX + 100], *whole = realpath(r->name, NULL);
    bool found = false;
    FILE *maps;

    snprintf(path, sizeof(path), "/proc/%u/maps", r->head.pid);
    maps = fopen(path, "re");
    while ( maps && whole && !found && fgets(line, sizeof(line), maps) )
        found = strstr(line, whole) != NULL;
    if ( maps )
        fclose(maps);
    free(whole);
    return found;
}

int32_t ut_rings_find_owner(const struct ut_rings *r)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if ( !fcntl(r->fd, F_GETLK, &lock) && lock.l_type != F_UNLCK )
        return lock.l_pid > 0 ? lock.l_pid : (int32_t)r->head.pid;
    return is_mapped(r) ? (int32_t)r->head.pid : 0;
}

int ut_rings_claim(struct ut_rings *r)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct stat st;

    if ( ut_rings_find_owner(r) || fcntl(r->fd, F_SETLK, &lock) )
        return -EBUSY;
    if ( fstat(r->fd, &st) || !st.st_nlink )
        return -ENOENT;
    return rings_read_head(r, NULL);
}

/* ---- reading the rings --------------------------------------------------- */

/* The uncommitted part of a ring, contiguous. */
static int read_data(struct ut_rings *r, struct ut_rings_part *p, uint64_t base,
                     uint64_t tail)
{
    size_t room = r->head.ring_bytes, at = tail & (room - 1);
    size_t first = p->n < room - at ? p->n : room - at;
    int rc;

    assert(p->n <= room);
    p->bytes = fault_malloc(p->n);
    if ( !p->bytes )
        return -ENOMEM;
    rc = read_bytes(r, p->bytes, first, base + at);
    return rc ? rc : read_bytes(r, p->bytes + first, p->n - first, base);
}

static bool part_is_empty(const struct ut_rings_part *p)
{
    return !p->n && p->lost <= p->reported_lost;
}

static int read_ring(struct ut_rings *r, size_t i)
{
    uint64_t base = r->head.header_bytes +
                    i * (r->head.ring_header + r->head.ring_bytes);
    struct ut_rings_part *p = &r->parts[r->nr_parts];
    struct simple_ring ring;
    int rc = read_bytes(r, &ring, sizeof(ring), base);

    assert(i < r->head.nr_rings);
    if ( rc )
        return rc;
    *p = (struct ut_rings_part){
        .n = ring.at.head - ring.committed[r->side].tail, .number = i,
        .reported_lost = ring.committed[r->side].reported_lost,
        .lost = ring.lost, .lost_at = ring.lost_at,
        .tid = ring.committed[r->side].tid,
    };
    if ( p->n > r->head.ring_bytes )
    {
        r->unread += r->head.ring_bytes;
        return 0;
    }
    if ( part_is_empty(p) )
        return 0;
    r->nr_parts++;
    return p->n ? read_data(r, p, base + r->head.ring_header,
                            ring.committed[r->side].tail) : 0;
}

static int read_rings(struct ut_rings *r)
{
    int rc = 0;

    free_parts(r);
    r->events = r->lost = r->unread = 0;
    r->parts = fault_calloc(r->head.nr_rings + 1, sizeof(*r->parts));
    if ( !r->parts )
        return -ENOMEM;
    for ( size_t i = 0; i < r->head.nr_rings && !rc; i++ )
        rc = read_ring(r, i);
    return rc;
}

/* A living process may commit meanwhile: then read again. */
static int read_at_rest(struct ut_rings *r, struct err *e)
{
    struct simple_rings again;
    int rc, tries = MAX_TRIES;

    do
    {
        rc = read_rings(r);
        if ( !rc )
            rc = read_bytes(r, &again, sizeof(again), 0);
        if ( rc )
            return err_sys(e, rc, "cannot read %s", r->name);
        if ( again.commit == r->head.commit )
            return 0;
        rc = rings_read_head(r, e);
    } while ( !rc && --tries );

    return rc;
}

/* ---- events -------------------------------------------------------------- */

struct merge
{
    struct ut_rings *rings;
    ut_rings_put_fn *put;       /* NULL: only count */
    void *arg;
    uint64_t tid;               /* announced last */
    int rc;
};

static void put_bytes(struct merge *m, const void *bytes, size_t nr)
{
    if ( m->put && !m->rc )
        m->rc = m->put(m->arg, bytes, nr);
}

static void put_thread(struct merge *m, uint64_t tid)
{
    uint64_t words[2] = { SIMPLE_MAPPING, SIMPLE_THREAD };
    char text[24];
    uint32_t length = snprintf(text, sizeof(text), "%llu",
                               (unsigned long long)tid);

    if ( m->tid == tid )
        return;
    m->tid = tid;
    put_bytes(m, words, sizeof(words));
    put_bytes(m, &length, sizeof(length));
    put_bytes(m, text, length);
}

static void put_lost(struct merge *m, uint64_t tid, uint64_t time, uint64_t nr)
{
    struct simple_head head = {
        .type = SIMPLE_EVENT, .id = SIMPLE_DROPPED, .time = time,
        .length = SIMPLE_MARKER_BYTES - 8, .pid = m->rings->head.pid,
    };

    assert(nr);
    m->rings->lost += nr;
    put_thread(m, tid);
    put_bytes(m, &head, sizeof(head));
    put_bytes(m, &nr, sizeof(nr));
}

/* False: at the end, or the rest is damaged. */
static bool read_event(struct merge *m, struct ut_rings_part *p,
                       struct simple_head *head)
{
    size_t left = p->n - p->at;

    if ( left >= sizeof(*head) )
    {
        memcpy(head, p->bytes + p->at, sizeof(*head));
        if ( head->type == SIMPLE_EVENT && head->length <= MAX_LENGTH &&
             head->length + 8 >= sizeof(*head) && head->length + 8 <= left )
        {
            if ( head->time > p->order )
                p->order = head->time;
            return true;
        }
    }
    m->rings->unread += left;
    p->n = p->at;
    return false;
}

static uint64_t read_marker(const struct ut_rings_part *p,
                            const struct simple_head *head, uint64_t otherwise)
{
    uint64_t value = otherwise;

    if ( head->length + 8 >= SIMPLE_MARKER_BYTES )
        memcpy(&value, p->bytes + p->at + sizeof(*head), sizeof(value));
    return value;
}

static void put_event(struct merge *m, struct ut_rings_part *p,
                      const struct simple_head *head)
{
    uint64_t total;

    switch ( head->id )
    {
    case SIMPLE_THREAD:
        p->tid = read_marker(p, head, p->tid);
        break;
    case SIMPLE_DROPPED:
        total = read_marker(p, head, 0);
        if ( total <= p->reported_lost )
            break;
        put_lost(m, p->tid, head->time, total - p->reported_lost);
        p->reported_lost = total;
        break;
    default:
        put_thread(m, p->tid);
        put_bytes(m, p->bytes + p->at, head->length + 8);
        m->rings->events++;
    }
    p->at += head->length + 8;
}

/* ---- merging ------------------------------------------------------------- */

static bool is_before(const struct ut_rings_part *a,
                      const struct ut_rings_part *b)
{
    return a->order != b->order ? a->order < b->order : a->number < b->number;
}

static void heap_move_down(struct ut_rings_part **heap, size_t nr, size_t at)
{
    struct ut_rings_part *part = heap[at];
    size_t child;

    while ( (child = 2 * at + 1) < nr )
    {
        if ( child + 1 < nr && is_before(heap[child + 1], heap[child]) )
            child++;
        if ( !is_before(heap[child], part) )
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = part;
}

static void merge_heap(struct merge *m, struct ut_rings_part **heap, size_t nr)
{
    struct simple_head head;

    for ( size_t i = nr / 2; i-- > 0; )
        heap_move_down(heap, nr, i);
    while ( nr && !m->rc )
    {
        memcpy(&head, heap[0]->bytes + heap[0]->at, sizeof(head));
        put_event(m, heap[0], &head);
        if ( !read_event(m, heap[0], &head) )
            heap[0] = heap[--nr];
        if ( nr )
            heap_move_down(heap, nr, 0);
    }
}

/* Losses that no event has followed come last. */
static void put_last_losses(struct merge *m)
{
    const struct ut_rings *r = m->rings;
    const struct ut_rings_part *p;
    uint64_t reported = r->head.committed[r->side].reported_lost;

    for ( p = r->parts; p < r->parts + r->nr_parts; p++ )
        if ( p->lost > p->reported_lost )
            put_lost(m, p->tid, p->lost_at, p->lost - p->reported_lost);
    if ( r->head.lost > reported )
        put_lost(m, 0, 0, r->head.lost - reported);
}

int ut_rings_merge(struct ut_rings *r, ut_rings_put_fn *put, void *arg,
                   struct err *e)
{
    struct merge m = {
        .rings = r, .put = put, .arg = arg, .tid = UINT64_MAX,
    };
    struct ut_rings_part **heap;
    struct simple_head head;
    size_t nr = 0;
    int rc = read_at_rest(r, e);

    if ( rc )
        return rc;
    heap = fault_calloc(r->nr_parts + 1, sizeof(*heap));
    if ( !heap )
        return err_sys(e, -ENOMEM, "cannot merge the events of %s", r->name);
    for ( size_t i = 0; i < r->nr_parts; i++ )
        if ( read_event(&m, &r->parts[i], &head) )
            heap[nr++] = &r->parts[i];
    merge_heap(&m, heap, nr);
    put_last_losses(&m);
    fault_free(heap);
    free_parts(r);
    return m.rc ? err_sys(e, m.rc, "cannot write the events of %s", r->name) :
                  0;
}

/* ---- the trace file ------------------------------------------------------ */

const char *ut_rings_trace_path(const struct ut_rings *r)
{
    return r->head.committed[r->side].path;
}

uint64_t ut_rings_trace_bytes(const struct ut_rings *r)
{
    return r->head.committed[r->side].bytes;
}

bool ut_rings_has_file(const struct ut_rings *r)
{
    return *ut_rings_trace_path(r) && r->head.committed[r->side].inode;
}

static bool is_trace(const struct ut_rings *r, int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
           st.st_ino == r->head.committed[r->side].inode;
}

int ut_rings_open_trace(const struct ut_rings *r, int flags)
{
    const char *path = ut_rings_trace_path(r);
    char name[SIMPLE_PATH_MAX + 16];
    int fd;

    for ( unsigned int nr = 0; *path && nr <= MAX_ROTATED; nr++ )
    {
        snprintf(name, sizeof(name), nr ? "%s.%u" : "%s", path, nr);
        fd = fault_open(name, flags | O_CLOEXEC | O_NONBLOCK, 0);
        if ( fd < 0 && errno != ENOENT )
            return -errno;
        /* A kill in the middle of renaming leaves a gap in the numbers. */
        if ( fd < 0 && nr > 1 )
            break;
        if ( fd >= 0 && is_trace(r, fd) )
            return fd;
        if ( fd >= 0 )
            close(fd);
    }
    return -ENOENT;
}

/* ---- completing the trace file ------------------------------------------- */

struct trace
{
    int fd;
    uint64_t bytes;
    size_t used;
    char *buffer;
};

static int flush_trace(struct trace *t)
{
    size_t done = 0;
    ssize_t n;

    while ( done < t->used )
    {
        n = fault_pwrite(t->fd, t->buffer + done, t->used - done,
                         t->bytes + done);
        if ( n < 0 && errno == EINTR )
            continue;
        if ( n <= 0 )
            return n ? -errno : -EIO;
        done += n;
    }
    t->bytes += done;
    t->used = 0;
    return 0;
}

static int put_to_trace(void *arg, const void *bytes, size_t nr)
{
    struct trace *t = arg;
    int rc = BUFFER_BYTES - t->used < nr ? flush_trace(t) : 0;

    assert(nr <= BUFFER_BYTES);
    if ( rc )
        return rc;
    memcpy(t->buffer + t->used, bytes, nr);
    t->used += nr;
    return 0;
}

/* A root process must not truncate a file by an accident of numbers. */
static bool has_trace_header(const struct trace *t)
{
    uint64_t header[2];
    struct stat st;

    return !fstat(t->fd, &st) && st.st_uid == geteuid() &&
           (uint64_t)st.st_size >= t->bytes &&
           pread(t->fd, header, sizeof(header), 0) == sizeof(header) &&
           header[0] == SIMPLE_HEADER_ID && header[1] == SIMPLE_MAGIC;
}

static int append_events(struct ut_rings *r, struct trace *t, struct err *e)
{
    uint64_t before = t->bytes;
    int rc;

    if ( ftruncate(t->fd, before) )
        return err_sys(e, -errno, "%.150s", ut_rings_trace_path(r));
    rc = ut_rings_merge(r, put_to_trace, t, e);
    if ( !rc )
        rc = flush_trace(t);
    if ( rc && ftruncate(t->fd, before) )
        rc = -errno;
    return rc ? err_sys(e, rc, "%.150s", ut_rings_trace_path(r)) : 0;
}

int ut_rings_complete_trace(struct ut_rings *r, struct err *e)
{
    struct trace t = {
        .fd = ut_rings_open_trace(r, O_RDWR),
        .bytes = ut_rings_trace_bytes(r),
    };
    int rc;

    if ( t.fd < 0 )
        return err_sys(e, t.fd, "%.150s", ut_rings_trace_path(r));
    t.buffer = fault_malloc(BUFFER_BYTES);
    rc = !t.buffer ? -ENOMEM : has_trace_header(&t) ? 0 : -EINVAL;
    if ( rc )
        err_sys(e, rc, "%.150s", ut_rings_trace_path(r));
    else
        rc = append_events(r, &t, e);
    fault_free(t.buffer);
    close(t.fd);
    return rc;
}

/* ---- removing ------------------------------------------------------------ */

/* Remove `link` only if it refers to these rings, not to newer ones. */
static void remove_link(const char *link, const char *whole)
{
    char target[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof(target) - 1);

    if ( n < 0 )
        return;
    target[n] = '\0';
    if ( !strcmp(target, whole) )
        unlink(link);
}

int ut_rings_remove(const struct ut_rings *r)
{
    char link[SIMPLE_PATH_MAX + 8], *whole = realpath(r->name, NULL);
    int rc = !whole || unlink(whole) ? -errno : 0;

    if ( !rc )
    {
        snprintf(link, sizeof(link), "%s.rings", ut_rings_trace_path(r));
        remove_link(link, whole);
        remove_link(r->name, whole);
    }
    free(whole);
    return rc;
}
