/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy is a temporary file that is unlinked at once, so it vanishes with
 * the process, however that ends.  The trace is opened by the file's name in
 * /proc/self/fd.  Compressed input is expanded, so that it can be mapped.
 */
#define _GNU_SOURCE             /* mkostemp, strverscmp */
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

/* Append the source to the copy, which is created for the first source. */
static int spool_copy(struct spool *s, struct xt_source *from, struct err *e)
{
    int rc;

    if ( s->fd < 0 )
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

/* --- several files -------------------------------------------------------- */

struct piece
{
    const char *path;
    struct xt_info info;
};

/* A file without a window, such as the rest of a split file, has no info. */
static int read_info(struct piece *p, struct err *e)
{
    struct err no_windows = ERR_INIT;
    struct xt_trace *t;
    int rc = access(p->path, R_OK) ? -errno : 0;

    if ( rc )
        return err_sys(e, rc, "cannot open %s", p->path);
    if ( xt_trace_open(&t, p->path, 0, &no_windows) )
        return 0;
    rc = xt_trace_info(t, &p->info, e);
    xt_trace_close(t);
    return rc;
}

static bool has_same_run(const struct xt_info *a, const struct xt_info *b)
{
    return (!a->has_run || !b->has_run || a->run == b->run) &&
           (!a->has_boot || !b->has_boot ||
            !memcmp(a->boot, b->boot, sizeof(a->boot)));
}

/* By name, where the number 2 precedes 10. */
static int compare_pieces(const void *a, const void *b)
{
    return strverscmp(((const struct piece *)a)->path,
                      ((const struct piece *)b)->path);
}

/*
 * Time stamps cannot sort files: with several pcpus, the first record of a file
 * may be older than the first record of the file before.
 */
static int order_pieces(struct piece *pieces, size_t nr, struct err *e)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        rc = read_info(&pieces[i], e);
        if ( !rc && !has_same_run(&pieces[0].info, &pieces[i].info) )
            rc = err_set(e, -EINVAL, "%s is not of the same capture as %s; "
                         "analyze these traces one by one", pieces[i].path,
                         pieces[0].path);
    }
    if ( !rc )
        qsort(pieces, nr, sizeof(*pieces), compare_pieces);
    return rc;
}

static int append_piece(struct spool *s, const struct piece *p, struct err *e)
{
    struct xt_source *source;
    int rc = xt_source_open(&source, p->path, 0, e);

    if ( rc )
        return rc;
    rc = spool_copy(s, source, e);
    xt_source_close(source);
    return rc;
}

int spool_join(struct spool *s, const char **paths, size_t nr,
               const char **use, struct err *e)
{
    struct piece *pieces = fault_calloc(nr, sizeof(*pieces));
    int rc = pieces ? 0 : err_sys(e, -ENOMEM, "cannot join %zu files", nr);

    assert(nr > 1);
    *s = (struct spool){ .fd = -1 };
    for ( size_t i = 0; pieces && i < nr; i++ )
        pieces[i].path = paths[i];
    if ( !rc )
        rc = order_pieces(pieces, nr, e);
    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        paths[i] = pieces[i].path;
        rc = append_piece(s, &pieces[i], e);
    }
    free(pieces);
    *use = s->path;
    return rc;
}

void spool_close(struct spool *s)
{
    if ( s->fd >= 0 )
        close(s->fd);
}
