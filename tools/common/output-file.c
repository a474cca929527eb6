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
#include <stdbool.h>
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

/*
 * A new file beside `real`.  Another process may write the same output, and a
 * process that was killed may have left a file of this number.
 */
static int open_temporary(struct output_file *f)
{
    int fd = -1;

    assert(f->real && !f->temporary);
    for ( unsigned int n = 0; fd < 0 && n < 100; n++ )
    {
        free(f->temporary);
        if ( asprintf(&f->temporary, "%s.%ld-%u.part", f->real,
                      (long)getpid(), n) < 0 )
        {
            f->temporary = NULL;
            errno = ENOMEM;
            return -1;
        }
        fd = fault_open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        0666);
        if ( fd < 0 && errno != EEXIST )
            break;
    }
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
    *f = (struct output_file){ .fd = -1 };
}

int output_file_open_fd(struct output_file *f, const char *path, struct err *e)
{
    struct stat st;
    bool exists = !stat(path, &st);
    int rc;

    *f = (struct output_file){ .fd = -1, .path = path };
    if ( exists && !S_ISREG(st.st_mode) )
        f->fd = fault_open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    else
    {
        f->real = find_real(path);
        f->fd = f->real ? open_temporary(f) : -1;
    }
    if ( f->fd >= 0 && (!exists || !f->real ||
                        !fchmod(f->fd, st.st_mode & 0777)) )
        return 0;
    rc = err_sys(e, -errno, "cannot write %s", path);
    if ( f->fd >= 0 )
        close(f->fd);
    release_temporary(f);
    return rc;
}

int output_file_open(struct output_file *f, const char *path, struct err *e)
{
    int rc = output_file_open_fd(f, path, e);

    if ( rc )
        return rc;
    f->out = fdopen(f->fd, "w");
    if ( f->out )
        return 0;
    rc = err_sys(e, -errno, "cannot write %s", path);
    output_file_discard(f);
    return rc;
}

bool output_file_replaces(const char *path, const struct stat *input)
{
    struct stat st;

    return S_ISREG(input->st_mode) && !stat(path, &st) &&
           st.st_dev == input->st_dev && st.st_ino == input->st_ino;
}

static int close_output(struct output_file *f)
{
    int rc = 0;

    if ( !f->out )
        return close(f->fd) ? -errno : 0;
    if ( fflush(f->out) || ferror(f->out) )
        rc = errno ? -errno : -EIO;
    if ( fclose(f->out) && !rc )
        rc = -errno;
    return rc;
}

int output_file_commit(struct output_file *f, struct err *e)
{
    int rc;

    assert(f->fd >= 0 && !f->real == !f->temporary);
    rc = close_output(f);
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
    if ( f->fd < 0 )
        return;
    close_output(f);
    release_temporary(f);
}
