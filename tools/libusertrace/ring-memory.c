/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory for rings.  The bytes of a ring are mapped twice, one copy behind the
 * other, so an event that wraps around the end is contiguous:
 *
 *     header | data | data again
 *
 * File space is allocated before it is mapped.  In a sparse file, a full disk
 * would be a SIGBUS inside a trace point of the program.
 */
#define _GNU_SOURCE             /* memfd_create */
#include "libusertrace/thread-ring.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/*
 * Rings of a killed process behind an older link are lost, together with the
 * trace file that is overwritten now.
 */
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

static void drop_names(struct ut_arena *a)
{
    if ( a->link )
        unlink(a->link);
    if ( a->path )
        unlink(a->path);
}

void ut_arena_unmap(struct ut_arena *a)
{
    if ( a->head )
        munmap(a->head, a->head->header_bytes);
    if ( a->fd >= 0 )
        close(a->fd);
    fault_free(a->path);
    fault_free(a->link);
    fault_free(a);
}

void ut_arena_close(struct ut_arena *a)
{
    drop_names(a);
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

/* ---- one ring ----------------------------------------------------------- */

static int map_ring(struct ut_arena *a, off_t at, struct simple_ring **ring)
{
    size_t bytes = a->head->ring_bytes, whole = a->page + 2 * bytes;
    char *base = fault_mmap(NULL, whole, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if ( base == MAP_FAILED )
        return -errno;
    if ( mmap(base, a->page + bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, a->fd, at) == MAP_FAILED ||
         mmap(base + a->page + bytes, bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, a->fd, at + a->page) == MAP_FAILED )
    {
        munmap(base, whole);
        return -errno;
    }
    *ring = (struct simple_ring *)base;
    (*ring)->mask = bytes - 1;
    (*ring)->data = a->page;
    (*ring)->pid = a->head->pid;
    return 0;
}

int ut_ring_new(struct ut_arena *a, struct ut_ring **ring, struct err *e)
{
    struct ut_ring *r = fault_calloc(1, sizeof(*r));
    uint32_t nr = a->head->nr_rings;
    size_t size = a->page + a->head->ring_bytes;
    off_t at = a->head->header_bytes + (off_t)nr * size;
    int rc = -ENOMEM;

    if ( r && nr < UT_RINGS_MAX )
        rc = fault_hit(FAULT_WRITE) ? -ENOSPC :
             -posix_fallocate(a->fd, at, size);
    if ( !rc )
        rc = map_ring(a, at, &r->ring);
    if ( rc )
    {
        fault_free(r);
        return err_sys(e, rc, "cannot create a ring for another thread");
    }
    r->arena = a;
    __atomic_store_n(&a->head->nr_rings, nr + 1, __ATOMIC_RELEASE);
    *ring = r;
    return 0;
}

void ut_ring_free(struct ut_ring *r)
{
    size_t bytes = r->ring->mask + 1;

    munmap(r->ring, r->ring->data + 2 * bytes);
    fault_free(r);
}
