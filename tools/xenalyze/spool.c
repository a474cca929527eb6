/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE             /* mkostemp */
#include "xenalyze/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"

#define PIECE (256u * 1024)

/* A file without a name, in $TMPDIR. */
static int open_nameless(void)
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

static int write_all(int fd, const char *bytes, size_t size)
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

static int copy(int from, int to)
{
    char *piece = fault_malloc(PIECE);
    int rc = piece ? 0 : -ENOMEM;
    ssize_t n = 1;

    while ( !rc && n > 0 )
    {
        n = fault_read(from, piece, PIECE);
        if ( n < 0 && errno == EINTR )
            n = 1;
        else if ( n < 0 )
            rc = -errno;
        else
            rc = write_all(to, piece, n);
    }
    free(piece);
    return rc;
}

static bool can_be_read_again(int fd)
{
    struct stat st;

    return fstat(fd, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

int spool_open(struct spool *s, const char *path, const char **use,
               struct err *e)
{
    bool standard = !strcmp(path, "-");
    int from = standard ? STDIN_FILENO
                        : fault_open(path, O_RDONLY | O_CLOEXEC, 0), rc = 0;

    *s = (struct spool){ .fd = -1 };
    *use = path;
    if ( from < 0 )
        return 0;               /* who opens it then knows what to say */
    if ( !can_be_read_again(from) )
    {
        s->fd = open_nameless();
        rc = s->fd < 0 ? -errno : copy(from, s->fd);
        if ( rc )
            err_sys(e, rc, "cannot keep %s in a file, to read it again",
                    standard ? "standard input" : path);
        snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
        *use = s->path;
    }
    if ( !standard )
        close(from);
    return rc;
}

void spool_close(struct spool *s)
{
    if ( s->fd >= 0 )
        close(s->fd);
}
