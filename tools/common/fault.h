/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault points: "fail the Nth allocation", "fail the Nth write".  A test
 * arms a kind for N = 1, 2, 3 ... until the code under test succeeds, and
 * looks for leaks and damage each time; so every unwinding path runs, in
 * order, without being aimed at.
 *
 *     for ( n = 1; ; n++ )
 *     {
 *         fault_arm(FAULT_ALLOC, n);
 *         rc = thing_open(&t);
 *         if ( rc == 0 )
 *             thing_close(&t);
 *         ck_assert_int_eq(fault_blocks(), 0);
 *         if ( fault_fired(FAULT_ALLOC) == 0 )
 *             break;                         -- nothing left to fail
 *         ck_assert_int_eq(rc, -ENOMEM);
 *     }
 *     fault_disarm();
 *
 * A whole program is armed from outside, FAULT=alloc:3,write:1+ ("+": that
 * one and all later ones, as a full disk does).  The wrappers are compiled
 * in always, so that what is tested is what is shipped; unarmed, each costs
 * one predictable branch.
 *
 * All functions may be called from any thread.
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

enum fault_kind         /* name in FAULT=, and what the failing call sees */
{
    FAULT_ALLOC,        /* alloc: ENOMEM                                  */
    FAULT_OPEN,         /* open: EMFILE; also sockets and the like        */
    FAULT_READ,         /* read: EIO                                      */
    FAULT_WRITE,        /* write: ENOSPC                                  */
    FAULT_MMAP,         /* mmap: ENOMEM                                   */
    FAULT_INTERRUPT,    /* interrupt: EINTR from a read or a write        */
    FAULT_SHORT_READ,   /* short-read: a read brings one byte             */
    FAULT_SHORT_WRITE,  /* short-write: a write takes one byte            */
    FAULT_KINDS
};

/*
 * Start to count calls of one kind afresh, and fail the Nth from now (1 is
 * the next).  N == 0 fails none, only counts.  fault_arm_from() fails the
 * Nth and all after it.  Other kinds stay as they are.
 */
void fault_arm(enum fault_kind kind, uint64_t n);
void fault_arm_from(enum fault_kind kind, uint64_t n);

/* Forget all kinds, and what the environment said. */
void fault_disarm(void);

/* "alloc:3,write:1+", or -EINVAL and nothing armed. */
int fault_arm_text(const char *text, struct err *e);

/*
 * What $FAULT says is taken up at the first fault point without being asked
 * for.  A program's main still calls this first: a misspelt FAULT must stop
 * a test, and a library has no voice to say so.
 */
int fault_arm_env(struct err *e);

/* Calls of this kind since it was armed, and how many of them were failed. */
uint64_t fault_count(enum fault_kind kind);
uint64_t fault_fired(enum fault_kind kind);

/*
 * Leaks, in any build: blocks that the wrappers below handed out since
 * FAULT_ALLOC was armed, less those that went through fault_free().
 */
int64_t fault_blocks(void);

/*
 * The hook for calls that have no wrapper here: true, with errno set, if
 * this call is to fail.
 *     fd = fault_hit(FAULT_OPEN) ? -1 : socket(AF_UNIX, SOCK_SEQPACKET, 0);
 */
bool fault_hit(enum fault_kind kind);

/*
 * As their namesakes; what they return may be given back by free(), close(),
 * munmap().  fault_free() is free() for blocks that fault_blocks() counts.
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
