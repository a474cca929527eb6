/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A listening Unix socket, for the program's user and root only.
 */
#ifndef COMMON_UNIX_SOCKET_H
#define COMMON_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "common/err.h"

struct unix_socket
{
    int fd;                     /* -1: not open */
    char *path;
    dev_t dev;                  /* identify our file at path */
    ino_t inode;
};

#define UNIX_SOCKET_INIT { .fd = -1 }

/*
 * `type` is SOCK_STREAM or SOCK_SEQPACKET.  Replaces the stale socket of a dead
 * program.  A socket of a living program, or any other file: -EADDRINUSE.
 */
int unix_socket_open(struct unix_socket *s, int type, const char *path,
                     struct err *e);

/* Also removes the file, unless another file has replaced it. */
void unix_socket_close(struct unix_socket *s);
void unix_socket_unlink(const struct unix_socket *s);

/* The descriptor of an authorized peer, non-blocking; or -errno. */
int unix_socket_accept(const struct unix_socket *s);

/* Is the accepted peer a process of this user, as opposed to root's? */
bool unix_socket_peer_is_own(int fd);

/*
 * Connect to a listening socket: a non-blocking descriptor, or -errno.
 * -ECONNREFUSED: the socket is stale; -EAGAIN: too many connections wait.
 */
int unix_socket_connect(int type, const char *path);

/* Remove the socket of a dead program.  False: the file is something else. */
bool unix_socket_remove_stale(const char *path);

#endif /* COMMON_UNIX_SOCKET_H */
