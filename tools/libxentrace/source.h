/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the bytes of a trace come from.  A source is a run of bytes that can
 * be read from its beginning to its end; some can do more, and say so:
 *
 *              map     seek    points
 *     file     yes     yes     -       a regular file, mapped (source.c)
 *     pipe     -       -       -       all else, and a file that grows
 *     zstd     -       table   table   on top of one of these (zstd.c)
 *     swap     -       as is   as is   of another byte order (swap.c)
 *
 * A source knows nothing about windows.  Whoever reads has a view (view.h):
 * the part of it that is in memory.
 *
 * To add one: fill in a const struct xt_source_ops, embed struct xt_source as
 * the first member of your own struct, and let source-open.c find out from
 * the first bytes when it is wanted.
 */
#ifndef LIBXENTRACE_SOURCE_H
#define LIBXENTRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

#define XT_SIZE_UNKNOWN UINT64_MAX

/* First bytes of a source, by which it is known what it is. */
#define XT_SOURCE_HEAD 16u

struct xt_source;

struct xt_source_ops
{
    /*
     * The next bytes, `room` of them at most: how many, which may be fewer,
     * 0 at the end; or -errno and *e says why.  -EAGAIN: none yet, more will
     * come (only from a source that follows a growing file).
     */
    ssize_t (*read)(struct xt_source *s, void *to, size_t room,
                    struct err *e);

    /* Go on reading at byte `at`.  NULL: cannot. */
    int (*seek)(struct xt_source *s, uint64_t at, struct err *e);

    /*
     * Places where a window begins and seek is cheap, ascending, *nr of them;
     * borrowed until close.  NULL: none are known beforehand.
     */
    const uint64_t *(*points)(struct xt_source *s, size_t *nr);

    /* Free s, and close what it reads from if that is its own. */
    void (*close)(struct xt_source *s);
};

struct xt_source
{
    const struct xt_source_ops *ops;
    uint64_t size;      /* bytes of trace, or XT_SIZE_UNKNOWN */

    /*
     * All of it in memory, or NULL.  Readable until close whatever happens
     * to the file: what is cut off under the mapping turns into zeroes
     * (guard.h).
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
 * `path` may be "-": standard input.  What is compressed or of another byte
 * order is recognised by its first bytes and comes out as it should be.  0,
 * or -errno and *e says why.
 */
int xt_source_open(struct xt_source **s, const char *path, unsigned int flags,
                   struct err *e);
void xt_source_close(struct xt_source *s);      /* NULL is fine */

/* The same for a descriptor that stays the caller's, and is read from here. */
int xt_source_open_fd(struct xt_source **s, int fd, const char *name,
                      unsigned int flags, struct err *e);

/* Where a file was cut while it was mapped, or UINT64_MAX: it was not. */
uint64_t xt_source_truncated_at(const struct xt_source *s);

/*
 * Of a mapping: from now on only little will be looked at, here and there; or
 * all again.  And what will be looked at soon: it is read meanwhile.
 */
void xt_source_set_sparse(struct xt_source *s, bool sparse);
void xt_source_prefetch(struct xt_source *s, uint64_t at, uint64_t size);

/*
 * So many bytes of a mapping were looked at.  Once in a while its pages are
 * given back: those still in use come back by themselves, so that a file of
 * any size is read in little memory.  Who begins to look somewhere uses
 * XT_SOURCE_FAULT_AROUND: so much the system maps around one byte.
 */
#define XT_SOURCE_FAULT_AROUND (64u << 10)

void xt_source_count_used(struct xt_source *s, uint64_t bytes);

#endif /* LIBXENTRACE_SOURCE_H */
