/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovery as described in libusertrace/simple-format.h: the committed part of
 * the trace file, then the events of all rings, merged by time.  The file of
 * rings is untrusted, so every number is checked against the file size first.
 */
#include "simpletrace/recover.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/fault.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/out.h"
#include "tracetool/vec.h"

#define MAX_LENGTH (64u << 10)
#define COPY (256u << 10)

_Static_assert(COPY <= ST_OUT_MAX, "a copied part is one request");

struct found                    /* an event of a ring */
{
    uint64_t order;             /* its time, or a later time before it */
    size_t number;              /* sequence number */
    const unsigned char *bytes;
    size_t size;
    uint32_t tid;
};

struct recovery
{
    const char *name;           /* of the file of rings */
    unsigned char *image;       /* contents of the file */
    size_t size;
    struct simple_rings head;
    unsigned int side;
    struct arena arena;
    struct tt_vec found;        /* struct found */
    struct st_recovered *done;
};

static int report_no_rings(const struct recovery *r, const char *why,
                           struct err *e)
{
    return err_set(e, -EINVAL, "%s: %s: give the NAME.rings that a killed "
                   "program left beside its trace NAME", r->name, why);
}

static int read_image(struct recovery *r, int fd, struct err *e)
{
    struct stat st;
    ssize_t n;
    size_t at = 0;

    if ( fstat(fd, &st) )
        return err_sys(e, -errno, "cannot stat %s", r->name);
    if ( !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(r->head) )
        return report_no_rings(r, "too short for a file of rings", e);
    r->size = st.st_size;
    r->image = fault_malloc(r->size);
    if ( !r->image )
        return err_sys(e, -ENOMEM, "cannot read %s", r->name);
    do
    {
        n = fault_pread(fd, r->image + at, r->size - at, at);
        at += n > 0 ? n : 0;
    } while ( (n > 0 && at < r->size) || (n < 0 && errno == EINTR) );

    if ( n < 0 )
        return err_sys(e, -errno, "cannot read %s", r->name);
    r->size = at;
    if ( at < sizeof(r->head) )
        return report_no_rings(r, "too short for a file of rings", e);
    return 0;
}

static int check_head(struct recovery *r, struct err *e)
{
    const struct simple_rings *h = &r->head;
    size_t each;

    memcpy(&r->head, r->image, sizeof(r->head));
    if ( h->magic != SIMPLE_RINGS_MAGIC )
        return report_no_rings(r, "not a file of rings of this machine", e);
    if ( h->version != SIMPLE_RINGS_VERSION )
        return err_set(e, -EINVAL, "%s: version %u of the rings is not "
                       "supported", r->name, h->version);
    each = h->ring_header + h->ring_bytes;
    if ( h->header_bytes < sizeof(*h) || h->header_bytes > r->size ||
         h->ring_header < sizeof(struct simple_ring) ||
         h->ring_bytes > r->size || !h->ring_bytes ||
         (h->ring_bytes & (h->ring_bytes - 1)) ||
         h->nr_rings > (r->size - h->header_bytes) / each )
        return report_no_rings(r, "the rings do not fit into the file", e);
    r->side = h->commit & 1;
    r->head.committed[0].path[SIMPLE_PATH_MAX - 1] = '\0';
    r->head.committed[1].path[SIMPLE_PATH_MAX - 1] = '\0';
    return 0;
}

static int keep_found(struct recovery *r, const unsigned char *bytes,
                      size_t size, uint64_t order, uint32_t tid)
{
    struct found *f = tt_vec_add(&r->arena, &r->found, sizeof(*f));

    if ( !f )
        return -ENOMEM;
    *f = (struct found){ .order = order, .number = r->found.nr, .bytes = bytes,
                         .size = size, .tid = tid };
    return 0;
}

static int keep_lost(struct recovery *r, const struct simple_ring *ring,
                     uint64_t nr, uint64_t time, uint64_t order)
{
    struct simple_head head = {
        .type = SIMPLE_EVENT, .id = SIMPLE_DROPPED, .time = time,
        .length = SIMPLE_MARKER_BYTES - 8, .pid = ring->pid,
    };
    unsigned char *bytes = arena_alloc(&r->arena, SIMPLE_MARKER_BYTES, 8);

    assert(nr);
    if ( !bytes )
        return -ENOMEM;
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + sizeof(head), &nr, sizeof(nr));
    r->done->lost += nr;
    return keep_found(r, bytes, SIMPLE_MARKER_BYTES, order, ring->tid);
}

/* The uncommitted part of a ring, contiguous; NULL: no memory. */
static unsigned char *unwrap_data(struct recovery *r, const unsigned char *data,
                                  uint64_t tail, size_t n)
{
    size_t room = r->head.ring_bytes, at = tail & (room - 1);
    size_t first = n < room - at ? n : room - at;
    unsigned char *bytes = arena_alloc(&r->arena, n, 8);

    assert(n <= room);
    if ( bytes )
    {
        memcpy(bytes, data + at, first);
        memcpy(bytes + first, data, n - first);
    }
    return bytes;
}

struct walk
{
    const struct simple_ring *ring;
    uint64_t reported_lost, order;
};

static int keep_event(struct recovery *r, struct walk *w,
                      const unsigned char *bytes,
                      const struct simple_head *head)
{
    uint64_t total, reported_lost = w->reported_lost;

    if ( head->time > w->order )
        w->order = head->time;
    if ( head->id != SIMPLE_DROPPED )
    {
        r->done->events++;
        return keep_found(r, bytes, head->length + 8, w->order, w->ring->tid);
    }
    if ( head->length + 8 < SIMPLE_MARKER_BYTES )
        return 0;
    memcpy(&total, bytes + sizeof(*head), sizeof(total));
    if ( total <= reported_lost )
        return 0;
    w->reported_lost = total;
    return keep_lost(r, w->ring, total - reported_lost, head->time, w->order);
}

static int walk_events(struct recovery *r, struct walk *w,
                       const unsigned char *bytes, size_t n)
{
    struct simple_head head;
    size_t at = 0;
    int rc = 0;

    while ( !rc && n - at >= sizeof(head) )
    {
        memcpy(&head, bytes + at, sizeof(head));
        if ( head.type != SIMPLE_EVENT || head.length > MAX_LENGTH ||
             head.length + 8 < sizeof(head) || head.length + 8 > n - at )
            break;
        rc = keep_event(r, w, bytes + at, &head);
        at += head.length + 8;
    }
    assert(at <= n);
    r->done->unread += n - at;
    return rc;
}

static int read_ring(struct recovery *r, size_t i)
{
    const unsigned char *base = r->image + r->head.header_bytes +
                                i * (r->head.ring_header + r->head.ring_bytes);
    struct simple_ring ring;
    struct walk w = { .ring = &ring };
    uint64_t tail, n;
    unsigned char *bytes;
    int rc;

    assert(i < r->head.nr_rings);
    memcpy(&ring, base, sizeof(ring));
    tail = ring.committed[r->side].tail;
    w.reported_lost = ring.committed[r->side].reported_lost;
    n = ring.at.head - tail;
    if ( n > r->head.ring_bytes )
    {
        r->done->unread += r->head.ring_bytes;
        return 0;
    }
    bytes = unwrap_data(r, base + r->head.ring_header, tail, n);
    rc = bytes ? walk_events(r, &w, bytes, n) : -ENOMEM;
    if ( !rc && ring.lost > w.reported_lost )
        rc = keep_lost(r, &ring, ring.lost - w.reported_lost, ring.lost_at,
                       UINT64_MAX);
    return rc;
}

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return x->order != y->order ? (x->order < y->order ? -1 : 1) :
           x->number < y->number ? -1 : x->number > y->number;
}

static int read_rings(struct recovery *r, struct err *e)
{
    int rc = 0;

    for ( size_t i = 0; i < r->head.nr_rings && !rc; i++ )
        rc = read_ring(r, i);
    if ( rc )
        return err_sys(e, rc, "cannot store the events of %s", r->name);
    if ( r->found.nr )
        qsort(r->found.items, r->found.nr, sizeof(struct found), compare_found);
    return 0;
}

/* Open the trace that the rings name, or its name after a rotation. */
static int open_trace(struct recovery *r, struct err *e)
{
    char path[SIMPLE_PATH_MAX + 2];
    uint64_t inode = r->head.committed[r->side].inode;
    struct stat st;
    int fd;

    for ( int rotated = 0; rotated < 2; rotated++ )
    {
        snprintf(path, sizeof(path), "%s%s", r->head.committed[r->side].path,
                 rotated ? ".1" : "");
        fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
        if ( fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
             st.st_ino == inode )
            return fd;
        if ( fd >= 0 )
            close(fd);
    }
    return err_set(e, -ENOENT, "the trace of %s, %.100s, does not exist: put "
                   "it back", r->name,
                   r->head.committed[r->side].path);
}

static int copy_trace(struct recovery *r, struct st_out *out, struct err *e)
{
    uint64_t left = r->head.committed[r->side].bytes;
    int fd = open_trace(r, e);
    ssize_t n;

    if ( fd < 0 )
        return fd;
    while ( left )
    {
        n = fault_read(fd, st_out_need(out, COPY), left < COPY ? left : COPY);
        if ( n < 0 && errno == EINTR )
            continue;
        if ( n <= 0 )
            break;
        out->at += n;
        left -= n;
    }
    r->done->missing = left;
    n = left && n < 0 ? err_sys(e, -errno, "cannot read the trace of %s",
                                r->name) : 0;
    close(fd);
    return n;
}

static void put_thread(struct st_out *out, uint32_t tid)
{
    uint64_t words[2] = { SIMPLE_MAPPING, SIMPLE_THREAD };
    char text[16];
    uint32_t n = snprintf(text, sizeof(text), "%u", tid);

    st_out_bytes(out, (const char *)words, sizeof(words));
    st_out_bytes(out, (const char *)&n, sizeof(n));
    st_out_bytes(out, text, n);
}

static void put_ring_events(struct recovery *r, struct st_out *out)
{
    const struct found *f = r->found.items;

    for ( size_t i = 0; i < r->found.nr; i++ )
    {
        assert(!i || compare_found(&f[i - 1], &f[i]) < 0);
        if ( !i || f[i].tid != f[i - 1].tid )
            put_thread(out, f[i].tid);
        st_out_bytes(out, (const char *)f[i].bytes, f[i].size);
    }
}

static int write_trace(struct recovery *r, const char *path, struct err *e)
{
    char *temporary = arena_alloc(&r->arena, strlen(path) + sizeof(".XXXXXX"),
                                  1);
    struct st_out out = { .fd = -1 };
    int fd, rc;

    if ( !temporary )
        return err_sys(e, -ENOMEM, "cannot write %s", path);
    sprintf(temporary, "%s.XXXXXX", path);
    fd = fault_hit(FAULT_OPEN) ? -1 : mkstemp(temporary);
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot write %s", path);
    rc = st_out_init(&out, fd, e);
    if ( !rc )
        rc = copy_trace(r, &out, e);
    if ( !rc )
        put_ring_events(r, &out);
    if ( st_out_fini(&out, e) && !rc )
        rc = out.failed;
    if ( close(fd) && !rc )
        rc = err_sys(e, -errno, "cannot write %s", path);
    if ( !rc && rename(temporary, path) )
        rc = err_sys(e, -errno, "cannot write %s", path);
    if ( rc )
        unlink(temporary);
    return rc;
}

int st_recover_trace(const char *rings, const char *out,
                     struct st_recovered *done, struct err *e)
{
    struct recovery r = { .name = rings, .done = done };
    int fd = fault_open(rings, O_RDONLY | O_CLOEXEC, 0), rc;

    *done = (struct st_recovered){ .events = 0 };
    if ( fd < 0 )
        return err_sys(e, -errno, "cannot open %s", rings);
    arena_init(&r.arena, 1u << 16);
    rc = read_image(&r, fd, e);
    if ( !rc )
        rc = check_head(&r, e);
    if ( !rc )
        rc = read_rings(&r, e);
    if ( !rc )
        rc = write_trace(&r, out, e);
    close(fd);
    fault_free(r.image);
    arena_fini(&r.arena);
    return rc;
}
