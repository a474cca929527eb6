/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two sources that read files: a mapped regular file, and a stream.  Both
 * are one struct, since a file becomes a stream where mapping fails.
 *
 * In a mapping, any number of cursors can read at their own offsets, which the
 * order in time needs.  Readers that use each byte once copy it instead, by
 * xt_source_peek() (window-bytes.h).
 */
#include "libxentrace/source-file.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/sigbus-guard.h"

/* Small beside the page cache, large beside the cost of faults. */
#define FORGET_EVERY (16u << 20)

struct file_source
{
    struct xt_source source;    /* first: the public part */
    int fd;                     /* owned */
    int guard;                  /* guard of the mapping */
    bool follow;
    uint64_t at;                /* offset of read() in a mapping */
    _Atomic uint64_t used;      /* bytes read since the last release, by any
                                   thread */
    unsigned char head[XT_SOURCE_HEAD]; /* read to identify the kind */
    size_t nr_head, at_head;    /* bytes in head, and delivered again */
};

static struct file_source *file_source_of(struct xt_source *s)
{
    return (struct file_source *)s;
}

/* --- a mapped file -------------------------------------------------------- */

static ssize_t mapped_read(struct xt_source *s, void *to, size_t room,
                           struct err *e)
{
    struct file_source *p = file_source_of(s);
    size_t left = s->size - p->at, n = room < left ? room : left;

    (void)e;
    assert(p->at <= s->size);
    memcpy(to, s->map + p->at, n);
    p->at += n;
    return n;
}

static int mapped_seek(struct xt_source *s, uint64_t at, struct err *e)
{
    if ( at > s->size )
        return err_at(e, -EINVAL, at, "%s ends before", s->name);
    file_source_of(s)->at = at;
    return 0;
}

static void mapped_close(struct xt_source *s)
{
    struct file_source *p = file_source_of(s);

    assert(s->map && s->size);
    guard_remove(p->guard);
    munmap((void *)s->map, s->size);
    close(p->fd);
    free(p);
}

static const struct xt_source_ops mapped_ops = {
    .read = mapped_read, .seek = mapped_seek, .close = mapped_close,
};

/* --- a stream ------------------------------------------------------------- */

static size_t head_read(struct file_source *p, void *to, size_t room)
{
    size_t left = p->nr_head - p->at_head, n = room < left ? room : left;

    assert(p->at_head <= p->nr_head);
    memcpy(to, p->head + p->at_head, n);
    p->at_head += n;
    return n;
}

static ssize_t stream_read(struct xt_source *s, void *to, size_t room,
                           struct err *e)
{
    struct file_source *p = file_source_of(s);
    ssize_t got;

    if ( p->at_head < p->nr_head )
        return head_read(p, to, room);
    do
        got = fault_read(p->fd, to, room);
    while ( got < 0 && errno == EINTR );
    if ( got < 0 && errno != EAGAIN )
        return err_sys(e, -errno, "cannot read %s", s->name);
    if ( got < 0 || (!got && p->follow) )
        return -EAGAIN;
    return got;
}

static void stream_close(struct xt_source *s)
{
    close(file_source_of(s)->fd);
    free(s);
}

static const struct xt_source_ops stream_ops = {
    .read = stream_read, .close = stream_close,
};

/* Fill the head, unless the input is shorter. */
static int load_head(struct file_source *p, struct err *e)
{
    ssize_t got = 1;

    p->at_head = p->nr_head = 0;
    while ( got > 0 && p->nr_head < sizeof(p->head) )
    {
        p->at_head = p->nr_head;        /* append to the head */
        got = stream_read(&p->source, p->head + p->nr_head,
                          sizeof(p->head) - p->nr_head, e);
        if ( got > 0 )
            p->nr_head += got;
    }
    assert(p->nr_head <= sizeof(p->head));
    p->at_head = 0;
    return got < 0 && got != -EAGAIN ? got : 0;
}

/* --- opening -------------------------------------------------------------- */

/* False if the file has to be read as a stream. */
static bool map_file(struct file_source *p, uint64_t size)
{
    void *at;

    if ( !size || size > SIZE_MAX )
        return false;
    at = fault_mmap(NULL, size, PROT_READ, MAP_PRIVATE, p->fd, 0);
    if ( at == MAP_FAILED )
        return false;
    p->guard = guard_add(at, size, p->fd);
    if ( p->guard < 0 )
    {
        munmap(at, size);
        return false;
    }
    p->source.ops = &mapped_ops;
    p->source.map = at;
    p->source.size = size;
    return true;
}

/*
 * A descriptor that is not at its beginning (the shell read from it, say) is
 * read from there, so it is not mapped.  Files of /proc are regular with a size
 * of 0: an empty file is read as a stream, too.
 */
static int prepare_source(struct file_source *p, unsigned int flags,
                          struct err *e)
{
    struct stat st;

    if ( fstat(p->fd, &st) )
        return err_sys(e, -errno, "cannot look at %s", p->source.name);
    if ( S_ISDIR(st.st_mode) )
        return err_sys(e, -EISDIR, "cannot read %s", p->source.name);
    p->follow = (flags & XT_SOURCE_FOLLOW) && S_ISREG(st.st_mode);
    if ( S_ISREG(st.st_mode) && !flags && !lseek(p->fd, 0, SEEK_CUR) &&
         map_file(p, st.st_size) )
        return 0;
    p->source.ops = &stream_ops;
    p->source.size = XT_SIZE_UNKNOWN;
    return load_head(p, e);
}

int xt_source_file_open(struct xt_source **s, int fd, const char *name,
                        unsigned int flags, struct err *e)
{
    struct file_source *p = fault_calloc(1, sizeof(*p));
    int rc;

    assert(fd >= 0 && name);
    *s = NULL;
    if ( !p )
    {
        close(fd);
        return err_sys(e, -ENOMEM, "cannot read %s", name);
    }
    p->fd = fd;
    xt_source_set_name(&p->source, name);
    rc = prepare_source(p, flags, e);
    if ( rc )
        stream_close(&p->source);
    else
        *s = &p->source;
    return rc;
}

size_t xt_source_file_head(const struct xt_source *s,
                           const unsigned char **head)
{
    const struct file_source *p = (const struct file_source *)s;

    if ( s->map )
    {
        *head = s->map;
        return s->size < XT_SOURCE_HEAD ? s->size : XT_SOURCE_HEAD;
    }
    *head = p->head;
    return p->nr_head;
}

uint64_t xt_source_truncated_at(const struct xt_source *s)
{
    return s->ops == &mapped_ops
           ? guard_hit_at(((const struct file_source *)s)->guard) : UINT64_MAX;
}

/* Without this, some systems read megabytes ahead of each fault. */
void xt_source_set_sparse(struct xt_source *s, bool sparse)
{
    if ( s->ops == &mapped_ops )
        madvise((void *)s->map, s->size, sparse ? MADV_RANDOM : MADV_NORMAL);
}

void xt_source_prefetch(struct xt_source *s, uint64_t at, uint64_t size)
{
    uint64_t from = at & -(uint64_t)sysconf(_SC_PAGESIZE);

    if ( s->ops == &mapped_ops && at < s->size )
        madvise((void *)(s->map + from),
                size < s->size - at ? at + size - from : s->size - from,
                MADV_WILLNEED);
}

bool xt_source_peek(const struct xt_source *s, uint64_t at, void *to,
                    size_t size)
{
    const struct file_source *p = (const struct file_source *)s;

    return s->ops == &mapped_ops && at <= s->size && s->size - at >= size &&
           fault_pread(p->fd, to, size, at) == (ssize_t)size;
}

void xt_source_count_used(struct xt_source *s, uint64_t bytes)
{
    struct file_source *p = file_source_of(s);

    if ( s->ops != &mapped_ops )
        return;
    if ( atomic_fetch_add(&p->used, bytes) + bytes < FORGET_EVERY )
        return;
    atomic_store(&p->used, 0);
    madvise((void *)s->map, s->size, MADV_DONTNEED);
}
