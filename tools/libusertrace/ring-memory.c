/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for rings.  The bytes of a ring are mapped twice, one copy behind the
 * other, so an event that wraps around the end is contiguous:
 *
 *     header | data | data again
 *
 * File space is allocated before a thread gets the ring.  In a sparse file, a
 * full disk would be a SIGBUS inside a trace point of the program.
 *
 * A trimmed ring keeps its header and its mappings; its data is a hole in the
 * file until a thread allocates the space again.
 *
 * A thread creates its ring in a trace point, possibly in a signal handler: so
 * creation takes no lock and allocates no memory of the heap.
 */
#define _GNU_SOURCE             /* memfd_create, fallocate */
#include "libusertrace/thread-ring.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* ---- the file ------------------------------------------------------------ */

/*
 * Make the path absolute: the process may change its working directory before
 * it unlinks the file.
 */
static void make_whole(struct ut_arena *a)
{
    char *whole = realpath(a->path, NULL), *copy = NULL;

    if ( whole )
        copy = fault_strdup(whole);
    free(whole);
    if ( !copy )
        return;
    fault_free(a->path);
    a->path = copy;
}

/*
 * The kernel releases this lock when the process ends or calls exec(2): see
 * ut_rings_find_owner().
 */
static void lock_file(int fd)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    fcntl(fd, F_SETLK, &lock);
}

/*
 * Create a file of a new name, from pid and time.  O_EXCL protects files of
 * other processes.
 */
static int open_named(struct ut_arena *a, const char *folder)
{
    struct timespec now;
    size_t room = strlen(folder) + 80;
    int rc;

    assert(a->fd < 0 && !a->path);
    a->path = fault_malloc(room);
    if ( !a->path )
        return -ENOMEM;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(a->path, room, "%s/usertrace-%d-%llx%08lx.rings", folder,
             (int)getpid(), (long long)now.tv_sec, (long)now.tv_nsec);
    a->fd = fault_open(a->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
                       O_NOFOLLOW, 0600);
    if ( a->fd >= 0 )
    {
        lock_file(a->fd);
        make_whole(a);
        return 0;
    }
    rc = -errno;
    fault_free(a->path);
    a->path = NULL;
    return rc;
}

static int open_nameless(struct ut_arena *a)
{
    a->fd = fault_hit(FAULT_OPEN) ? -1 :
            memfd_create("usertrace", MFD_CLOEXEC);
    return a->fd < 0 ? -errno : 0;
}

static void make_link(struct ut_arena *a, const char *link)
{
    char *name = fault_strdup(link);

    assert(a->path && !a->link);
    if ( !name )
        return;
    unlink(name);
    if ( symlink(a->path, name) )
        fault_free(name);
    else
        a->link = name;
}

static int map_head(struct ut_arena *a, size_t bytes)
{
    size_t size = round_up(sizeof(*a->head), a->page);
    void *head;
    int rc = fault_hit(FAULT_WRITE) ? ENOSPC :
             posix_fallocate(a->fd, 0, size);

    assert(bytes && !(bytes & (bytes - 1)));
    if ( rc )
        return -rc;
    head = fault_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
    if ( head == MAP_FAILED )
        return -errno;
    a->head = head;
    a->head->version = SIMPLE_RINGS_VERSION;
    a->head->pid = getpid();
    a->head->header_bytes = size;
    a->head->ring_header = a->page;
    a->head->ring_bytes = bytes;
    a->head->magic = SIMPLE_RINGS_MAGIC;
    return 0;
}

/*
 * The table is large, so calloc() maps new pages, which take no memory until a
 * ring uses them.
 */
static int allocate_table(struct ut_arena *a)
{
    a->rings = fault_calloc(UT_RINGS_MAX, sizeof(*a->rings));
    return a->rings ? 0 : -ENOMEM;
}

void ut_arena_unlink(struct ut_arena *a)
{
    if ( a->link )
        unlink(a->link);
    if ( a->path )
        unlink(a->path);
}

static void arena_free_unused(struct ut_arena *a)
{
    assert(!a->head);
    if ( !a->is_closed || a->nr_known )
        return;
    fault_free(a->rings);
    fault_free(a);
}

void ut_arena_unmap(struct ut_arena *a)
{
    assert(!a->is_closed);
    if ( a->head )
        munmap(a->head, a->head->header_bytes);
    a->head = NULL;
    if ( a->fd >= 0 )
        close(a->fd);
    a->fd = -1;
    fault_free(a->path);
    fault_free(a->link);
    a->path = a->link = NULL;
    a->is_closed = true;
    arena_free_unused(a);
}

void ut_arena_close(struct ut_arena *a)
{
    ut_arena_unlink(a);
    ut_arena_unmap(a);
}

int ut_arena_open(struct ut_arena **arena, const char *folder,
                  const char *link, size_t bytes, struct err *e)
{
    struct ut_arena *a = fault_calloc(1, sizeof(*a));
    int rc = -ENOMEM;

    if ( a )
    {
        a->fd = -1;
        a->page = sysconf(_SC_PAGESIZE);
        rc = folder ? open_named(a, folder) : open_nameless(a);
        if ( !rc )
            rc = allocate_table(a);
        if ( !rc )
            rc = map_head(a, round_up(bytes, a->page));
        if ( !rc && link && a->path )
            make_link(a, link);
        if ( rc )
            ut_arena_close(a);
    }
    if ( rc )
        return err_sys(e, rc, "cannot create rings in %.100s",
                       folder ? folder : "a file without a name");
    *arena = a;
    return 0;
}

/* ---- one ring ------------------------------------------------------------ */

static int map_ring(struct ut_arena *a, off_t at, struct simple_ring **ring)
{
    size_t bytes = a->head->ring_bytes, whole = a->page + 2 * bytes;
    char *base = fault_mmap(NULL, whole, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int rc;

    if ( base == MAP_FAILED )
        return -errno;
    if ( mmap(base, a->page + bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, a->fd, at) == MAP_FAILED ||
         mmap(base + a->page + bytes, bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, a->fd, at + a->page) == MAP_FAILED )
    {
        rc = -errno;
        munmap(base, whole);
        return rc;
    }
    *ring = (struct simple_ring *)base;
    return 0;
}

/* A file beyond RLIMIT_FSIZE would be a SIGXFSZ. */
static int allocate_space(struct ut_arena *a, off_t at, size_t size)
{
    struct rlimit limit;

    if ( fault_hit(FAULT_WRITE) )
        return -ENOSPC;
    if ( !getrlimit(RLIMIT_FSIZE, &limit) && at + size > limit.rlim_cur )
        return -EFBIG;
    return -posix_fallocate(a->fd, at, size);
}

/* The offset of a ring in the file */
static off_t ring_offset(const struct ut_arena *a, uint32_t nr)
{
    return a->head->header_bytes +
           (off_t)nr * (a->page + a->head->ring_bytes);
}

static int create_ring(struct ut_arena *a, uint32_t nr,
                       struct simple_ring **ring)
{
    off_t at = ring_offset(a, nr);
    int rc = allocate_space(a, at, a->page + a->head->ring_bytes);

    if ( !rc )
        rc = map_ring(a, at, ring);
    if ( rc )
        return rc;
    (*ring)->mask = a->head->ring_bytes - 1;
    (*ring)->data = a->page;
    (*ring)->pid = a->head->pid;
    (*ring)->number = nr;
    return 0;
}

/* A ring below `nr` may not be finished yet: then it is zeros in the file. */
static void raise_nr_rings(struct simple_rings *head, uint32_t nr)
{
    uint32_t before = __atomic_load_n(&head->nr_rings, __ATOMIC_RELAXED);

    while ( before < nr &&
            !__atomic_compare_exchange_n(&head->nr_rings, &before, nr, false,
                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED) )
        ;
}

static void push_new(struct ut_arena *a, struct ut_ring *r)
{
    r->next_new = __atomic_load_n(&a->new_rings, __ATOMIC_RELAXED);
    while ( !__atomic_compare_exchange_n(&a->new_rings, &r->next_new, r, false,
                                         __ATOMIC_RELEASE, __ATOMIC_RELAXED) )
        ;
}

/* The number of a ring that could not be created is used again. */
static int create_numbered(struct ut_arena *a, struct ut_ring **ring)
{
    uint32_t nr = __atomic_load_n(&a->nr_numbers, __ATOMIC_RELAXED), next;
    int rc;

    do
        if ( nr >= UT_RINGS_MAX )
            return -EUSERS;
    while ( !__atomic_compare_exchange_n(&a->nr_numbers, &nr, nr + 1, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED) );
    *ring = &a->rings[nr];
    rc = create_ring(a, nr, &(*ring)->ring);
    if ( rc )
    {
        next = nr + 1;
        __atomic_compare_exchange_n(&a->nr_numbers, &next, nr, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return rc;
    }
    (*ring)->arena = a;
    raise_nr_rings(a->head, nr + 1);
    push_new(a, *ring);
    return 0;
}

/* The data of a trimmed ring has no contents to keep. */
static int allocate_trimmed(struct ut_arena *a, struct ut_ring *r)
{
    int rc = allocate_space(a, ring_offset(a, r->ring->number) + a->page,
                            a->head->ring_bytes);

    if ( rc )
    {
        ut_ring_push(&a->trimmed_rings, r);
        return rc;
    }
    __atomic_store_n(&r->ring->state, SIMPLE_RING_FREE, __ATOMIC_RELAXED);
    push_new(a, r);
    return 0;
}

static int allocate_ring(struct ut_arena *a, struct ut_ring **ring)
{
    *ring = ut_ring_pop(a, &a->trimmed_rings);
    return *ring ? allocate_trimmed(a, *ring) : create_numbered(a, ring);
}

int ut_ring_create(struct ut_arena *a, struct ut_ring **ring)
{
    sigset_t all, before;
    int rc = __atomic_load_n(&a->create_error, __ATOMIC_RELAXED);

    if ( rc )
        return rc;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = allocate_ring(a, ring);
    if ( rc )
        __atomic_store_n(&a->create_error, rc, __ATOMIC_RELAXED);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int ut_ring_trim(struct ut_ring *r)
{
    struct ut_arena *a = r->arena;
    off_t at = ring_offset(a, r->ring->number) + a->page;

    assert(a->fd >= 0 && r->ring->at.head == r->ring->at.reserved);
    if ( fault_hit(FAULT_WRITE) )
        return -ENOSPC;
    return fallocate(a->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                     a->head->ring_bytes) ? -errno : 0;
}

void ut_ring_free(struct ut_ring *r)
{
    struct ut_arena *a = r->arena;

    munmap(r->ring, r->ring->data + 2 * (r->ring->mask + 1));
    if ( a->is_closed )
        arena_free_unused(a);
}
