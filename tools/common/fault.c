/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state has file scope, because it belongs to the process as a whole (its
 * memory, its disk); a struct would have to be passed to every malloc.
 *
 * The fast path tests `state`.  The initial state is UNASKED, so the first
 * fault point of the process reads the environment: no constructor is needed,
 * and each copy of this file (in a program, in a shared library) reads $FAULT.
 * UNASKED and ARMED share the slow path.
 *
 *              first hit, no $FAULT
 *     UNASKED ----------------------> OFF
 *        |     first hit, $FAULT       ^  |
 *        +-----------> ARMED           |  |
 *                        |  disarm     |  | arm
 *                        +-------------+  |
 *                        ^----------------+
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/fault.h"

enum { UNASKED, OFF, ARMED };

struct plan
{
    _Atomic uint64_t first;     /* number of the first failing call; 0: none */
    _Atomic uint64_t last;      /* ... and of the last one */
    _Atomic uint64_t count;
    _Atomic uint64_t fired;
};

static const struct
{
    const char *name;
    int code;                   /* errno of the failing call; 0: it is short */
} kinds[FAULT_KINDS] = {
    [FAULT_ALLOC]       = { "alloc", ENOMEM },
    [FAULT_OPEN]        = { "open", EMFILE },
    [FAULT_READ]        = { "read", EIO },
    [FAULT_WRITE]       = { "write", ENOSPC },
    [FAULT_MMAP]        = { "mmap", ENOMEM },
    [FAULT_INTERRUPT]   = { "interrupt", EINTR },
    [FAULT_SHORT_READ]  = { "short-read", 0 },
    [FAULT_SHORT_WRITE] = { "short-write", 0 },
    [FAULT_TMPFILE]     = { "tmpfile", EOPNOTSUPP },
};

static _Atomic int state = UNASKED;
static struct plan plans[FAULT_KINDS];
static _Atomic int64_t blocks;  /* counted only while ARMED */

static void arm_kind(enum fault_kind kind, uint64_t first, uint64_t last)
{
    struct plan *plan = &plans[kind];

    assert(kind < FAULT_KINDS && first <= last);
    atomic_store(&plan->count, 0);
    atomic_store(&plan->fired, 0);
    atomic_store(&plan->first, first);
    atomic_store(&plan->last, last);
    if ( kind == FAULT_ALLOC )
        atomic_store(&blocks, 0);
    atomic_store(&state, ARMED);
}

void fault_arm(enum fault_kind kind, uint64_t n)
{
    arm_kind(kind, n, n);
}

void fault_arm_from(enum fault_kind kind, uint64_t n)
{
    arm_kind(kind, n, n != 0 ? UINT64_MAX : 0);
}

void fault_disarm(void)
{
    unsigned int i;

    for ( i = 0; i < FAULT_KINDS; i++ )
        arm_kind(i, 0, 0);
    atomic_store(&state, OFF);
}

struct item
{
    enum fault_kind kind;
    uint64_t n;
    bool onward;
};

static int find_kind(const char *name, size_t len, enum fault_kind *kind)
{
    unsigned int i;

    for ( i = 0; i < FAULT_KINDS; i++ )
        if ( strlen(kinds[i].name) == len &&
             !strncmp(kinds[i].name, name, len) )
        {
            *kind = i;
            return 0;
        }

    return -EINVAL;
}

/* Parse "KIND:N" or "KIND:N+"; *text moves to the comma or the end. */
static int parse_item(const char **text, struct item *item)
{
    const char *colon = *text + strcspn(*text, ":,");
    char *end;

    if ( *colon != ':' || colon[1] < '1' || colon[1] > '9' ||
         find_kind(*text, colon - *text, &item->kind) )
        return -EINVAL;

    errno = 0;
    item->n = strtoull(colon + 1, &end, 10);
    item->onward = *end == '+';
    end += item->onward;
    *text = end;
    return errno == 0 && (*end == ',' || *end == '\0') ? 0 : -EINVAL;
}

/* If `apply` is false, check the syntax only. */
static int walk_items(const char *text, bool apply)
{
    struct item item;

    for ( ; ; text++ )
    {
        if ( parse_item(&text, &item) )
            return -EINVAL;
        if ( apply && item.onward )
            fault_arm_from(item.kind, item.n);
        else if ( apply )
            fault_arm(item.kind, item.n);
        if ( *text == '\0' )
            return 0;
    }
}

int fault_arm_text(const char *text, struct err *e)
{
    if ( walk_items(text, false) )
        return err_set(e, -EINVAL, FAULT_ENV "=%s: not understood; it is "
                       "KIND:N or KIND:N+, more of them after a comma, "
                       "such as alloc:3,write:1+", text);

    return walk_items(text, true);
}

int fault_arm_env(struct err *e)
{
    const char *text = getenv(FAULT_ENV);
    int unasked = UNASKED;

    if ( text != NULL && *text != '\0' )
        return fault_arm_text(text, e);

    atomic_compare_exchange_strong(&state, &unasked, OFF);
    return 0;
}

uint64_t fault_count(enum fault_kind kind)
{
    assert(kind < FAULT_KINDS);
    return atomic_load(&plans[kind].count);
}

uint64_t fault_fired(enum fault_kind kind)
{
    assert(kind < FAULT_KINDS);
    return atomic_load(&plans[kind].fired);
}

static bool hit_slow(enum fault_kind kind)
{
    struct plan *plan = &plans[kind];
    uint64_t n;

    assert(kind < FAULT_KINDS);
    if ( atomic_load(&state) == UNASKED && fault_arm_env(NULL) )
        fault_disarm();
    if ( atomic_load(&state) != ARMED )
        return false;

    n = atomic_fetch_add(&plan->count, 1) + 1;
    if ( n < atomic_load(&plan->first) || n > atomic_load(&plan->last) )
        return false;

    atomic_fetch_add(&plan->fired, 1);
    if ( kinds[kind].code != 0 )
        errno = kinds[kind].code;
    return true;
}

static bool is_off(void)
{
    int now = atomic_load_explicit(&state, memory_order_relaxed);

    return __builtin_expect(now == OFF, 1);
}

bool fault_hit(enum fault_kind kind)
{
    return is_off() ? false : hit_slow(kind);
}

int64_t fault_blocks(void)
{
    return atomic_load(&blocks);
}

/* Count a block that is allocated (+1) or freed (-1), unless NULL. */
static void *count_block(void *block, int step)
{
    if ( !is_off() && block != NULL )
        atomic_fetch_add(&blocks, step);
    return block;
}

void *fault_malloc(size_t size)
{
    return count_block(fault_hit(FAULT_ALLOC) ? NULL : malloc(size), 1);
}

void *fault_calloc(size_t n, size_t size)
{
    return count_block(fault_hit(FAULT_ALLOC) ? NULL : calloc(n, size), 1);
}

void *fault_realloc(void *old, size_t size)
{
    if ( old == NULL )
        return fault_malloc(size);

    assert(size != 0);          /* some systems would free() the block */
    return fault_hit(FAULT_ALLOC) ? NULL : realloc(old, size);
}

void fault_free(void *block)
{
    free(count_block(block, -1));
}

char *fault_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fault_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

int fault_open(const char *path, int flags, mode_t mode)
{
    return fault_hit(FAULT_OPEN) ? -1 : open(path, flags, mode);
}

/* True if the transfer fails; otherwise *size may be reduced. */
static bool transfer_fails(enum fault_kind fail, enum fault_kind cut,
                           size_t *size)
{
    if ( fault_hit(fail) || fault_hit(FAULT_INTERRUPT) )
        return true;
    if ( fault_hit(cut) && *size > 1 )
        *size = 1;
    return false;
}

ssize_t fault_read(int fd, void *buf, size_t size)
{
    if ( transfer_fails(FAULT_READ, FAULT_SHORT_READ, &size) )
        return -1;

    return read(fd, buf, size);
}

ssize_t fault_pread(int fd, void *buf, size_t size, off_t at)
{
    if ( transfer_fails(FAULT_READ, FAULT_SHORT_READ, &size) )
        return -1;

    return pread(fd, buf, size, at);
}

ssize_t fault_write(int fd, const void *buf, size_t size)
{
    if ( transfer_fails(FAULT_WRITE, FAULT_SHORT_WRITE, &size) )
        return -1;

    return write(fd, buf, size);
}

ssize_t fault_pwrite(int fd, const void *buf, size_t size, off_t at)
{
    if ( transfer_fails(FAULT_WRITE, FAULT_SHORT_WRITE, &size) )
        return -1;

    return pwrite(fd, buf, size, at);
}

/* A short writev writes one byte of the first piece that is not empty. */
ssize_t fault_writev(int fd, const struct iovec *iov, int n)
{
    size_t size = SIZE_MAX;

    if ( transfer_fails(FAULT_WRITE, FAULT_SHORT_WRITE, &size) )
        return -1;
    if ( size == SIZE_MAX )
        return writev(fd, iov, n);

    while ( n > 1 && iov->iov_len == 0 )
    {
        iov++;
        n--;
    }
    return n > 0 ? write(fd, iov->iov_base, iov->iov_len != 0) : 0;
}

void *fault_mmap(void *at, size_t size, int prot, int flags, int fd,
                 off_t offset)
{
    if ( fault_hit(FAULT_MMAP) )
        return MAP_FAILED;

    return mmap(at, size, prot, flags, fd, offset);
}
