/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A listening Unix socket, for the program's user and root only.
 */
#ifndef LIBUSERTRACE_MONITOR_SOCKET_H
#define LIBUSERTRACE_MONITOR_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

struct mon_socket
{
    int fd;                     /* -1: not open */
    char *path;
    dev_t dev;                  /* identify our file at path */
    ino_t inode;
};

#define MON_SOCKET_INIT { .fd = -1 }

/*
 * Replaces the stale socket of a dead program.  A socket of a living program,
 * or any other file: -EADDRINUSE.
 */
int mon_socket_open(struct mon_socket *s, const char *path, struct err *e);

/* Also removes the file, unless another file has replaced it. */
void mon_socket_close(struct mon_socket *s);
void mon_socket_unlink(const struct mon_socket *s);

/* The descriptor of an authorized peer, non-blocking; or -errno. */
int mon_socket_accept(const struct mon_socket *s);

#endif /* LIBUSERTRACE_MONITOR_SOCKET_H */
