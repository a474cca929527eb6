/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectored writes, until all is written or it is clear that it never will.
 */
#include "xentrace/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "libxentrace/window.h"

/* Names of standard output; the last because 4.17's users had to. */
static bool is_stdout(const char *path)
{
    return !path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

static int open_file(const char *path, struct err *e)
{
    int fd = fault_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW |
                        O_NOCTTY | O_CLOEXEC, 0640);

    if ( fd >= 0 )
        return fd;
    if ( errno == ELOOP )
        return err_set(e, -ELOOP, "%s is a symbolic link: name the file that "
                       "you mean", path);
    return err_sys(e, -errno, "cannot create %s", path);
}

int writer_open(struct writer *w, const char *path, bool (*insisted)(void),
                struct err *e)
{
    int fd = is_stdout(path) ? STDOUT_FILENO : open_file(path, e);

    if ( fd < 0 )
        return fd;
    *w = (struct writer){
        .fd = fd, .name = is_stdout(path) ? "standard output" : path,
        .insisted = insisted,
    };
    if ( !isatty(fd) )
        return 0;
    err_set(e, -EINVAL, "%s is a terminal, and a trace is not text: give a "
            "file", w->name);
    writer_close(w, NULL);
    return -EINVAL;
}

/* A write gave `error`.  0: try again. */
static int can_retry(struct writer *w, int error)
{
    struct pollfd pfd = { .fd = w->fd, .events = POLLOUT };

    if ( (error == EINTR || error == EAGAIN) && w->insisted() )
        return -EINTR;
    /* Interrupted by a signal: the next round asks again who wants what. */
    if ( error == EAGAIN && poll(&pfd, 1, -1) < 0 && errno != EINTR )
        return -errno;
    return error == EINTR || error == EAGAIN ? 0 : -error;
}

/* Take `done` bytes off the front. */
static void advance(struct iovec **iov, int *nr, size_t done)
{
    while ( *nr && done >= (*iov)->iov_len )
    {
        done -= (*iov)->iov_len;
        (*iov)++;
        (*nr)--;
    }
    if ( done )
    {
        assert(*nr);
        (*iov)->iov_base = (char *)(*iov)->iov_base + done;
        (*iov)->iov_len -= done;
    }
}

static int write_all(struct writer *w, struct iovec *iov, int nr)
{
    ssize_t done;
    int rc = 0;

    while ( !rc && nr )
    {
        done = fault_writev(w->fd, iov, nr);
        if ( done < 0 )
            rc = can_retry(w, errno);
        else
        {
            w->bytes += done;
            advance(&iov, &nr, done);
        }
    }
    return rc;
}

int writer_window(struct writer *w, unsigned int cpu,
                  const struct iovec *spans, int nr_spans, struct err *e)
{
    struct xt_frame f;

    assert(w->fd >= 0);
    if ( !w->failed )
    {
        xt_frame_init(&f, cpu, spans, nr_spans);
        w->failed = write_all(w, f.iov, f.nr_iov);
    }
    if ( w->failed )
        return err_sys(e, w->failed, "cannot write to %s", w->name);
    w->windows++;
    return 0;
}

int writer_close(struct writer *w, struct err *e)
{
    int rc = w->failed;

    assert(w->fd >= 0);
    /* Linux has closed it even if it says EINTR. */
    if ( close(w->fd) && errno != EINTR && !rc )
        rc = -errno;
    w->fd = -1;
    return rc ? err_sys(e, rc, "cannot write to %s", w->name) : 0;
}
