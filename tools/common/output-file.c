/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes go to a file without a name (O_TMPFILE) on the file system of the
 * target.  The kernel frees the file if the process ends early, even by
 * SIGKILL.  The complete file is linked to a temporary name in the same
 * directory, so that rename(2) is atomic: a reader sees the old file or the
 * complete new file.
 *
 * Some file systems lack O_TMPFILE, and link needs /proc.  There the file has
 * the temporary name from the start, and signal-unlink.c removes the file.
 */
#define _GNU_SOURCE             /* asprintf, O_TMPFILE */
#include "common/output-file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/signal-unlink.h"

/* A temporary name keeps this much of the target's, out of NAME_MAX. */
#define NAME_KEPT 200

#define FD_PATH_SIZE 32

/* The target of a symbolic link, or the path itself.  NULL: no memory. */
static char *find_real(const char *path)
{
    char *real = realpath(path, NULL);

    return real || errno != ENOENT ? real : fault_strdup(path);
}

/* The length of the directory in a path, with the slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (int)(slash - path) + 1 : 0;
}

static const char *fd_path(int fd, char text[FD_PATH_SIZE])
{
    snprintf(text, FD_PATH_SIZE, "/proc/self/fd/%d", fd);
    return text;
}

/*
 * Can the file without a name be linked, and has it the right mode?  Before
 * Linux 6.0 some file systems ignored the umask for such files.
 */
static bool is_linkable(int fd)
{
    char text[FD_PATH_SIZE];
    struct stat st;

    return !fault_hit(FAULT_TMPFILE) && !access(fd_path(fd, text), F_OK) &&
           !fstat(fd, &st) && (st.st_mode & 0777) != 0666;
}

/* A file without a name in the directory of `real`.  -1 and errno. */
static int open_unnamed(const char *real)
{
    char *folder;
    int fd;

    if ( asprintf(&folder, "%.*s.", folder_length(real), real) < 0 )
    {
        errno = ENOMEM;
        return -1;
    }
    fd = fault_hit(FAULT_TMPFILE) ? -1
         : fault_open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    free(folder);
    if ( fd >= 0 && !is_linkable(fd) )
    {
        close(fd);
        fd = -1;
        errno = EOPNOTSUPP;
    }
    return fd;
}

/* Link the file without a name to f->temporary, or create a file there. */
static int make_entry(const struct output_file *f)
{
    char text[FD_PATH_SIZE];

    if ( f->fd < 0 )
        return fault_open(f->temporary,
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return linkat(AT_FDCWD, fd_path(f->fd, text), AT_FDCWD, f->temporary,
                  AT_SYMLINK_FOLLOW) ? -1 : f->fd;
}

/*
 * A new name beside `real`.  Another process may write the same output, and a
 * process that was killed may have left a file of this number.
 */
static int open_temporary(struct output_file *f)
{
    int fd = -1, length = folder_length(f->real);

    assert(f->real && !f->temporary);
    for ( unsigned int n = 0; fd < 0 && n < 100; n++ )
    {
        free(f->temporary);
        if ( asprintf(&f->temporary, "%.*s%.*s.%ld-%u.part", length, f->real,
                      NAME_KEPT, f->real + length, (long)getpid(), n) < 0 )
        {
            f->temporary = NULL;
            errno = ENOMEM;
            return -1;
        }
        fd = make_entry(f);
        if ( fd < 0 && errno != EEXIST )
            break;
    }
    if ( fd < 0 )
    {
        free(f->temporary);
        f->temporary = NULL;
    }
    else
        signal_unlink_add(f->temporary);
    return fd;
}

/* The errors of a kernel or a file system without O_TMPFILE, see open(2). */
static bool lacks_unnamed(int error)
{
    return error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
}

static int open_regular(struct output_file *f)
{
    f->real = find_real(f->path);
    if ( !f->real )
        return -1;
    f->fd = open_unnamed(f->real);
    return f->fd < 0 && lacks_unnamed(errno) ? open_temporary(f) : f->fd;
}

static void free_names(struct output_file *f)
{
    signal_unlink_free(f->temporary);
    free(f->real);
    *f = (struct output_file){ .fd = -1 };
}

static void remove_temporary(struct output_file *f)
{
    if ( f->temporary )
        unlink(f->temporary);
    free_names(f);
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
        f->fd = open_regular(f);
    if ( f->fd >= 0 && (!exists || !f->real ||
                        !fchmod(f->fd, st.st_mode & 0777)) )
        return 0;
    rc = err_sys(e, -errno, "cannot write %s", path);
    if ( f->fd >= 0 )
        close(f->fd);
    remove_temporary(f);
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

/* A stream keeps no reason of an earlier error: another write fails again. */
static int find_reason(FILE *out)
{
    assert(ferror(out));
    clearerr(out);
    errno = 0;
    return (fputc('\n', out) == EOF || fflush(out)) && errno ? -errno : -EIO;
}

static int flush_output(const struct output_file *f)
{
    if ( !f->out )
        return 0;
    if ( ferror(f->out) )
        return find_reason(f->out);
    return fflush(f->out) ? -errno : 0;
}

static int close_output(struct output_file *f)
{
    int rc = flush_output(f);

    if ( (f->out ? fclose(f->out) : close(f->fd)) && !rc )
        rc = -errno;
    return rc;
}

int output_file_commit(struct output_file *f, struct err *e)
{
    int rc, closed;

    assert(f->fd >= 0 && (f->real || !f->temporary));
    rc = flush_output(f);
    if ( !rc && f->real && !f->temporary && open_temporary(f) < 0 )
        rc = -errno;
    closed = close_output(f);
    rc = rc ? rc : closed;
    if ( !rc && f->temporary && rename(f->temporary, f->real) )
        rc = -errno;
    if ( rc )
    {
        err_sys(e, rc, "cannot write %s", f->path);
        remove_temporary(f);
        return rc;
    }
    free_names(f);
    return 0;
}

void output_file_discard(struct output_file *f)
{
    if ( f->fd < 0 )
        return;
    close_output(f);
    remove_temporary(f);
}
