/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault injection: "fail the Nth allocation", "fail the Nth write".  A test
 * arms a kind for N = 1, 2, 3 ... until the code under test succeeds, and
 * checks for leaks and damage each time.  So every error path runs, without
 * a test case for each path.
 *
 *     for ( n = 1; ; n++ )
 *     {
 *         fault_arm(FAULT_ALLOC, n);
 *         rc = thing_open(&t);
 *         if ( rc == 0 )
 *             thing_close(&t);
 *         ck_assert_int_eq(fault_blocks(), 0);
 *         if ( fault_fired(FAULT_ALLOC) == 0 )
 *             break;                         -- no fault point left
 *         ck_assert_int_eq(rc, -ENOMEM);
 *     }
 *     fault_disarm();
 *
 * The environment arms a whole program, FAULT=alloc:3,write:1+ ("+": that call
 * and all later calls fail, as on a full disk).  Release builds contain the
 * wrappers, too, so that tests and users run the same code; a wrapper that is
 * not armed costs a predictable branch.
 *
 * All functions are thread-safe.
 */
#ifndef COMMON_FAULT_H
#define COMMON_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

#define FAULT_ENV "FAULT"

struct iovec;

enum fault_kind         /* name in FAULT=, and errno of the failing call */
{
    FAULT_ALLOC,        /* alloc: ENOMEM                                  */
    FAULT_OPEN,         /* open: EMFILE; also sockets etc.              */
    FAULT_READ,         /* read: EIO                                      */
    FAULT_WRITE,        /* write: ENOSPC                                  */
    FAULT_MMAP,         /* mmap: ENOMEM                                   */
    FAULT_INTERRUPT,    /* interrupt: EINTR from a read or a write        */
    FAULT_SHORT_READ,   /* short-read: a read returns one byte            */
    FAULT_SHORT_WRITE,  /* short-write: a write accepts one byte          */
    FAULT_TMPFILE,      /* tmpfile: EOPNOTSUPP from a file without a name */
    FAULT_KINDS
};

/*
 * Restart the count of calls of a kind, and fail the Nth call from now (1 is
 * the next call); N == 0 only counts calls.  fault_arm_from() fails the Nth and
 * all later calls.  Other kinds are unchanged.
 */
void fault_arm(enum fault_kind kind, uint64_t n);
void fault_arm_from(enum fault_kind kind, uint64_t n);

/* Disarm all kinds, including those armed by the environment. */
void fault_disarm(void);

/* Arm by text, "alloc:3,write:1+"; -EINVAL: syntax error, no kind is armed. */
int fault_arm_text(const char *text, struct err *e);

/*
 * Arm by $FAULT.  The first fault point does so by itself, but ignores errors.
 * So a program's main() calls this function first: a misspelt FAULT has to stop
 * a test, and a library must not print messages.
 */
int fault_arm_env(struct err *e);

/* Calls of a kind since the kind was armed; and how many of these failed. */
uint64_t fault_count(enum fault_kind kind);
uint64_t fault_fired(enum fault_kind kind);

/*
 * Leak check for all builds: blocks that the wrappers below allocated since
 * FAULT_ALLOC was armed, minus the blocks that fault_free() freed.
 */
int64_t fault_blocks(void);

/*
 * The hook for calls without a wrapper: true, and errno is set, if this call
 * has to fail.
 *     fd = fault_hit(FAULT_OPEN) ? -1 : socket(AF_UNIX, SOCK_SEQPACKET, 0);
 */
bool fault_hit(enum fault_kind kind);

/*
 * Wrappers of the functions of the same name; free(), close() and munmap() work
 * on their results.  fault_free() is free() for blocks that fault_blocks()
 * counts.
 */
void *fault_malloc(size_t size);
void *fault_calloc(size_t n, size_t size);
void *fault_realloc(void *old, size_t size);
char *fault_strdup(const char *text);
void fault_free(void *block);
int fault_open(const char *path, int flags, mode_t mode);
ssize_t fault_read(int fd, void *buf, size_t size);
ssize_t fault_pread(int fd, void *buf, size_t size, off_t at);
ssize_t fault_write(int fd, const void *buf, size_t size);
ssize_t fault_pwrite(int fd, const void *buf, size_t size, off_t at);
ssize_t fault_writev(int fd, const struct iovec *iov, int n);
void *fault_mmap(void *at, size_t size, int prot, int flags, int fd,
                 off_t offset);

#endif /* COMMON_FAULT_H */
