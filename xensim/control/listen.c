/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Creating, replacing and removing the socket file.
 *
 * An existing file is replaced only if it is a socket without a listener, and
 * the file is removed at the end only if its inode is the one created here.
 */
#include "xensim/control/listen.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 16

static int set_address(struct listener *l, const char *path, struct err *e)
{
    l->address.sun_family = AF_UNIX;
    if ( !*path || strlen(path) >= sizeof(l->address.sun_path) )
        return err_set(e, -ENAMETOOLONG,
                       "socket path '%s': must have 1 to %zu characters",
                       path, sizeof(l->address.sun_path) - 1);
    strcpy(l->address.sun_path, path);
    return 0;
}

static int new_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    0);

    return fd < 0 ? -errno : fd;
}

/*
 * Return 0 if no process listens, -EADDRINUSE if a process accepts
 * connections, or -errno of the attempt.
 */
static int probe_socket(const struct sockaddr_un *address)
{
    int fd = new_socket(), rc = -EADDRINUSE;

    if ( fd < 0 )
        return fd;
    if ( connect(fd, (const void *)address, sizeof(*address)) &&
         errno == ECONNREFUSED )
        rc = 0;
    close(fd);
    return rc;
}

/* Remove a stale socket file. */
static int remove_stale_socket(struct listener *l, struct err *e)
{
    const char *path = l->address.sun_path;
    struct stat st;

    if ( lstat(path, &st) )
        return errno == ENOENT ? 0 : err_sys(e, -errno, "%s", path);
    if ( !S_ISSOCK(st.st_mode) )
        return err_set(e, -EEXIST, "%s: exists and is not a socket; "
                       "choose another place with --socket", path);
    if ( probe_socket(&l->address) )
        return err_set(e, -EADDRINUSE, "%s: another xensim listens there; "
                       "end it, or choose another place with --socket", path);
    if ( unlink(path) && errno != ENOENT )
        return err_sys(e, -errno, "%s: cannot remove the stale socket", path);
    return 0;
}

/*
 * The umask gives the file its mode at creation: a chmod() would leave a race.
 */
static int bind_private(int fd, const struct sockaddr_un *address)
{
    mode_t before = umask(0177);
    int rc = bind(fd, (const void *)address, sizeof(*address)) ? -errno : 0;

    umask(before);
    return rc;
}

int listener_open(struct listener *l, const char *path, struct err *e)
{
    struct stat st;
    int rc;

    memset(l, 0, sizeof(*l));
    l->fd = -1;
    rc = set_address(l, path, e);
    if ( !rc )
        rc = remove_stale_socket(l, e);
    if ( rc )
        return rc;

    l->fd = new_socket();
    if ( l->fd < 0 )
        return err_sys(e, l->fd, "cannot make a socket");
    rc = bind_private(l->fd, &l->address);
    if ( rc )
    {
        err_sys(e, rc, "%s: cannot put a socket there",
                l->address.sun_path);
        goto out_close;
    }
    if ( lstat(l->address.sun_path, &st) || listen(l->fd, BACKLOG) )
    {
        rc = err_sys(e, -errno, "%s: cannot listen", l->address.sun_path);
        goto out_unlink;
    }
    l->dev = st.st_dev;
    l->ino = st.st_ino;
    return 0;

out_unlink:
    unlink(l->address.sun_path);
out_close:
    close(l->fd);
    l->fd = -1;
    return rc;
}

void listener_close(struct listener *l)
{
    struct stat st;

    if ( l->fd < 0 )
        return;
    if ( !lstat(l->address.sun_path, &st) && st.st_dev == l->dev &&
         st.st_ino == l->ino )
        unlink(l->address.sun_path);
    close(l->fd);
    l->fd = -1;
}

int listener_accept(const struct listener *l)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if ( fd < 0 )
        return -errno;
    if ( getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
         (peer.uid != 0 && peer.uid != geteuid()) )
    {
        close(fd);
        return -EACCES;
    }
    return fd;
}
