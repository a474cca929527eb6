/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The copy is a temporary file that is unlinked at once, so it vanishes with
 * the process, however that ends.  The trace is opened by the file's name in
 * /proc/self/fd.  Compressed input is expanded, so that it can be mapped.
 */
#define _GNU_SOURCE             /* mkostemp */
#include "xenalyze/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/libxentrace.h"

#define PIECE (256u * 1024)

/* An unlinked file in $TMPDIR.  -1 and errno. */
static int open_unlinked(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    if ( fault_hit(FAULT_OPEN) )
        return -1;
    if ( !folder || !*folder )
        folder = "/tmp";
    if ( snprintf(path, sizeof(path), "%s/xenalyze.XXXXXX", folder) >=
         (int)sizeof(path) )
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if ( fd >= 0 )
        unlink(path);
    return fd;
}

static int write_fully(int fd, const char *bytes, size_t size)
{
    while ( size )
    {
        ssize_t n = fault_write(fd, bytes, size);

        if ( n < 0 && errno != EINTR )
            return -errno;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? n : 0;
    }
    return 0;
}

static int copy_source(struct xt_source *from, int to, struct err *e)
{
    char *piece = fault_malloc(PIECE);
    ssize_t n = 1;
    int rc = piece ? 0 : -ENOMEM;

    while ( !rc && n > 0 )
    {
        n = from->ops->read(from, piece, PIECE, e);
        rc = n < 0 ? n : write_fully(to, piece, n);
    }
    free(piece);
    return rc;
}

static int spool_copy(struct spool *s, struct xt_source *from, struct err *e)
{
    int rc;

    assert(s->fd == -1);
    s->fd = open_unlinked();
    rc = s->fd < 0 ? -errno : copy_source(from, s->fd, e);
    snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
    return rc ? err_sys(e, rc, "cannot copy %s to a file in TMPDIR, to read it "
                        "again", from->name) : 0;
}

int spool_open(struct spool *s, const char *path, const char **use,
               struct err *e)
{
    struct xt_source *source;
    int rc = xt_source_open(&source, path, 0, e);

    *s = (struct spool){ .fd = -1 };
    *use = path;
    if ( rc )
        return rc;
    if ( !source->map )
    {
        rc = spool_copy(s, source, e);
        *use = s->path;
    }
    xt_source_close(source);
    return rc;
}

void spool_close(struct spool *s)
{
    if ( s->fd >= 0 )
        close(s->fd);
}
