/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The socket has mode 0600 from its creation: on Linux bind() takes the mode
 * of the socket itself.  In addition the credentials of each peer are checked,
 * in case the file was made accessible later.
 *
 * A stale socket is recognized by a refused connection.  A program between
 * bind() and listen() would look stale, too, and two programs that replace a
 * socket could race: so all of this happens under flock() of the folder, which
 * leaves nothing behind and ends with the process.  In a folder like /tmp,
 * every user can take that lock: the wait is short, and without the lock
 * nothing is replaced.
 */
#define _GNU_SOURCE             /* accept4, struct ucred */
#include "common/unix-socket.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/fault.h"

#define WAITING 128             /* backlog of listen() */
#define LOCK_TRIES 100          /* with pauses of 10 ms */

static int make_address(const char *path, struct sockaddr_un *address,
                        struct err *e)
{
    size_t length = strlen(path);

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if ( !length || length >= sizeof(address->sun_path) )
        return err_set(e, -ENAMETOOLONG, "%.100s: the path of a socket must "
                       "have 1 to %zu bytes", path,
                       sizeof(address->sun_path) - 1);
    memcpy(address->sun_path, path, length);
    return 0;
}

static int create_socket(int type)
{
    assert(type == SOCK_STREAM || type == SOCK_SEQPACKET);
    return fault_hit(FAULT_OPEN) ? -1 :
        socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* ---- existing files ----------------------------------------------------- */

/* A descriptor that holds the lock until it is closed; -1: no lock. */
static int lock_folder(const struct sockaddr_un *address)
{
    char folder[sizeof(address->sun_path)];
    const char *slash = strrchr(address->sun_path, '/');
    size_t length = slash ? slash - address->sun_path + 1 : 0;
    int fd, tries = LOCK_TRIES;

    assert(length < sizeof(folder));
    memcpy(folder, address->sun_path, length);
    folder[length] = '\0';
    fd = open(length ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while ( fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) )
        if ( errno != EWOULDBLOCK || !--tries )
        {
            close(fd);
            fd = -1;
        }
        else
            poll(NULL, 0, 10);
    return fd;
}

/* Under the lock: a socket of this user without a listener? */
static bool is_left_behind(const struct sockaddr_un *address)
{
    struct stat st;
    bool dead;
    int fd;

    if ( lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode) ||
         st.st_uid != geteuid() )
        return false;
    fd = create_socket(SOCK_STREAM);
    if ( fd < 0 )
        return false;
    /* A listener of another type refuses with EPROTOTYPE. */
    dead = connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
           errno == ECONNREFUSED;
    close(fd);
    return dead;
}

/* ---- open and close ----------------------------------------------------- */

static int bind_socket(int fd, const struct sockaddr_un *address)
{
    return bind(fd, (const struct sockaddr *)address, sizeof(*address)) ?
           -errno : 0;
}

static int bind_address(struct unix_socket *s,
                        const struct sockaddr_un *address, bool may_take,
                        struct err *e)
{
    int rc;

    assert(s->fd >= 0);
    rc = bind_socket(s->fd, address);
    if ( rc == -EADDRINUSE && may_take && is_left_behind(address) &&
         !unlink(address->sun_path) )
        rc = bind_socket(s->fd, address);
    if ( rc == -EADDRINUSE )
        return err_set(e, rc, "%s: already exists, and is not the stale socket "
                       "of a dead program: choose another path",
                       address->sun_path);
    return rc ? err_sys(e, rc, "%s", address->sun_path) : 0;
}

static int bind_and_listen(struct unix_socket *s, int type,
                           const struct sockaddr_un *address, bool may_take,
                           struct err *e)
{
    struct stat st;
    int rc;

    assert(s->fd < 0 && s->path);
    s->fd = create_socket(type);
    if ( s->fd < 0 || fchmod(s->fd, 0600) )
        return err_sys(e, -errno, "%s", address->sun_path);
    rc = bind_address(s, address, may_take, e);
    if ( rc )
        return rc;
    if ( listen(s->fd, WAITING) || lstat(address->sun_path, &st) )
    {
        rc = err_sys(e, -errno, "%s", address->sun_path);
        unlink(address->sun_path);
        return rc;
    }
    s->dev = st.st_dev;
    s->inode = st.st_ino;
    return 0;
}

static void release_socket(struct unix_socket *s)
{
    if ( s->fd >= 0 )
        close(s->fd);
    s->fd = -1;
    fault_free(s->path);
    s->path = NULL;
}

int unix_socket_open(struct unix_socket *s, int type, const char *path,
                     struct err *e)
{
    struct err own = ERR_INIT;
    struct sockaddr_un address;
    int lock, rc;

    *s = (struct unix_socket)UNIX_SOCKET_INIT;
    rc = make_address(path, &address, e);
    if ( rc )
        return rc;
    s->path = fault_strdup(path);
    if ( !s->path )
        return err_sys(e, -ENOMEM, "%s", path);
    lock = lock_folder(&address);
    rc = bind_and_listen(s, type, &address, lock >= 0, &own);
    if ( lock >= 0 )
        close(lock);
    if ( !rc )
        return 0;
    release_socket(s);
    return err_set(e, rc, "%s", own.text);
}

void unix_socket_unlink(const struct unix_socket *s)
{
    struct stat st;

    if ( s->fd >= 0 && !lstat(s->path, &st) && st.st_dev == s->dev &&
         st.st_ino == s->inode )
        unlink(s->path);
}

void unix_socket_close(struct unix_socket *s)
{
    unix_socket_unlink(s);
    release_socket(s);
}

/* -1, which is no user: not known. */
static uid_t peer_uid(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) ?
           (uid_t)-1 : peer.uid;
}

bool unix_socket_peer_is_own(int fd)
{
    return peer_uid(fd) == geteuid();
}

static bool peer_is_allowed(int fd)
{
    return unix_socket_peer_is_own(fd) || !peer_uid(fd);
}

int unix_socket_accept(const struct unix_socket *s)
{
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    assert(s->fd >= 0);
    if ( fd < 0 )
        return -errno;
    if ( peer_is_allowed(fd) )
        return fd;
    close(fd);
    return -EPERM;
}

/* ---- clients ------------------------------------------------------------ */

int unix_socket_connect(int type, const char *path)
{
    struct err ignored = ERR_INIT;
    struct sockaddr_un address;
    int rc = make_address(path, &address, &ignored), fd;

    if ( rc )
        return rc;
    fd = create_socket(type);
    if ( fd < 0 )
        return -errno;
    if ( !connect(fd, (const struct sockaddr *)&address, sizeof(address)) )
        return fd;
    rc = -errno;
    close(fd);
    return rc;
}

bool unix_socket_remove_stale(const char *path)
{
    struct err ignored = ERR_INIT;
    struct sockaddr_un address;
    bool is_removed;
    int lock;

    if ( make_address(path, &address, &ignored) )
        return false;
    lock = lock_folder(&address);
    is_removed = lock >= 0 && is_left_behind(&address) && !unlink(path);
    if ( lock >= 0 )
        close(lock);
    return is_removed;
}
