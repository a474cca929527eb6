/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The temporary file is in the same directory, so that rename(2) is atomic: a
 * reader sees the old file or the complete new file.
 */
#define _GNU_SOURCE             /* asprintf */
#include "common/output-file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"

/* The target of a symbolic link, or the path itself.  NULL: no memory. */
static char *find_real(const char *path)
{
    char *real = realpath(path, NULL);

    return real || errno != ENOENT ? real : fault_strdup(path);
}

/* A new file beside `real`; another process may write the same output. */
static int open_temporary(struct output_file *f, mode_t mode)
{
    int fd;

    if ( asprintf(&f->temporary, "%s.%ld.part", f->real, (long)getpid()) < 0 )
    {
        f->temporary = NULL;
        errno = ENOMEM;
        return -1;
    }
    fd = fault_open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                    mode);
    if ( fd < 0 )
    {
        free(f->temporary);
        f->temporary = NULL;
    }
    return fd;
}

static void release_temporary(struct output_file *f)
{
    if ( f->temporary )
        unlink(f->temporary);
    free(f->temporary);
    free(f->real);
    *f = (struct output_file){ .out = NULL };
}

int output_file_open(struct output_file *f, const char *path, struct err *e)
{
    struct stat st;
    bool exists = !stat(path, &st);
    int fd, rc;

    *f = (struct output_file){ .path = path };
    if ( exists && !S_ISREG(st.st_mode) )
        fd = fault_open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    else
    {
        f->real = find_real(path);
        fd = f->real ? open_temporary(f, exists ? st.st_mode & 0777 : 0666)
                     : -1;
    }
    f->out = fd < 0 ? NULL : fdopen(fd, "w");
    assert(!f->out || !f->real == !f->temporary);
    if ( f->out )
        return 0;
    rc = err_sys(e, -errno, "cannot write %s", path);
    if ( fd >= 0 )
        close(fd);
    release_temporary(f);
    return rc;
}

int output_file_commit(struct output_file *f, struct err *e)
{
    int rc = 0;

    assert(f->out);
    if ( fflush(f->out) || ferror(f->out) )
        rc = errno ? -errno : -EIO;
    if ( fclose(f->out) && !rc )
        rc = -errno;
    if ( !rc && f->temporary && rename(f->temporary, f->real) )
        rc = -errno;
    if ( rc )
        err_sys(e, rc, "cannot write %s", f->path);
    else
    {
        free(f->temporary);
        f->temporary = NULL;
    }
    release_temporary(f);
    return rc;
}

void output_file_discard(struct output_file *f)
{
    if ( !f->out )
        return;
    fclose(f->out);
    release_temporary(f);
}
