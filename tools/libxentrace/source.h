/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sources of bytes.  A source can be read from its beginning to its end; some
 * sources have further capabilities:
 *
 *              map     seek    points
 *     file     yes     yes     -       a regular file, mapped (source-file.c)
 *     pipe     -       -       -       any other file, and a growing file
 *     zstd     -       table   table   on top of either of them (zstd-read.c)
 *     swap     -       inner   inner   of the other byte order (swap.c)
 *
 * A source has no notion of windows.  A reader has a view (view.h): the part of
 * the source that is in memory.
 *
 * To add one: fill in a const struct xt_source_ops, embed struct xt_source as
 * the first member of your own struct, and add a row to the table of
 * source-open.c, which recognizes it by its first bytes.
 */
#ifndef LIBXENTRACE_SOURCE_H
#define LIBXENTRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

#define XT_SIZE_UNKNOWN UINT64_MAX

/* First bytes of a source, which identify its kind. */
#define XT_SOURCE_HEAD 16u

struct xt_source;

struct xt_source_ops
{
    /*
     * Read the next bytes, at most `room`.  Returns how many; 0 at the end; or
     * -errno with the reason in *e.  -EAGAIN if more bytes will come (only from
     * a source that follows a growing file).
     */
    ssize_t (*read)(struct xt_source *s, void *to, size_t room,
                    struct err *e);

    /* Continue reading at byte `at`.  NULL: not supported. */
    int (*seek)(struct xt_source *s, uint64_t at, struct err *e);

    /*
     * Offsets at which a window begins and seek is cheap, ascending, *nr of
     * them; borrowed until close.  NULL: none.
     */
    const uint64_t *(*points)(struct xt_source *s, size_t *nr);

    /* Free s, and close the inner source that it owns. */
    void (*close)(struct xt_source *s);
};

struct xt_source
{
    const struct xt_source_ops *ops;
    uint64_t size;      /* bytes of trace, or XT_SIZE_UNKNOWN */

    /*
     * The whole source in memory, or NULL.  Readable until close: bytes that
     * are truncated while mapped read as zeroes (sigbus-guard.h).
     */
    const unsigned char *map;

    char name[64];      /* for messages: "standard input", the path's end */
};

enum
{
    XT_SOURCE_STREAM = 1,   /* do not map, even if that is possible */
    XT_SOURCE_FOLLOW = 2,   /* at the end of a file wait for more (-EAGAIN) */
};

/*
 * Open a source.  The path "-" is standard input.  A compressed or byte-swapped
 * input is recognized by its first bytes, and converted.  0, or -errno with the
 * reason in *e.
 */
int xt_source_open(struct xt_source **s, const char *path, unsigned int flags,
                   struct err *e);
void xt_source_close(struct xt_source *s);      /* NULL is fine */

/*
 * The same for a descriptor, which the caller keeps; it is read from here on.
 */
int xt_source_open_fd(struct xt_source **s, int fd, const char *name,
                      unsigned int flags, struct err *e);

/* Offset at which a file was truncated while mapped, or UINT64_MAX. */
uint64_t xt_source_truncated_at(const struct xt_source *s);

/*
 * Advise the system about a mapping: sparse, few pages here and there will be
 * read; prefetch, these bytes will be read soon.
 */
void xt_source_set_sparse(struct xt_source *s, bool sparse);
void xt_source_prefetch(struct xt_source *s, uint64_t at, uint64_t size);

/*
 * Copy `size` bytes from offset `at` of a mapped file without touching the
 * mapping: for one read here and there, a tenth of the cost of a page fault.
 * False: not a mapped file, or the bytes cannot be read.
 */
bool xt_source_peek(const struct xt_source *s, uint64_t at, void *to,
                    size_t size);

/*
 * Count bytes of a mapping that were read.  From time to time all pages are
 * released: those still in use fault in again, so that a file of any size is
 * read in little memory.  A reader at a new offset counts
 * XT_SOURCE_FAULT_AROUND: the kernel maps that much around a fault.
 */
#define XT_SOURCE_FAULT_AROUND (64u << 10)

void xt_source_count_used(struct xt_source *s, uint64_t bytes);

/* Count the first read in a window of this size. */
static inline void xt_source_count_header(struct xt_source *s, uint64_t size)
{
    xt_source_count_used(s, size < XT_SOURCE_FAULT_AROUND
                            ? size : XT_SOURCE_FAULT_AROUND);
}

#endif /* LIBXENTRACE_SOURCE_H */
