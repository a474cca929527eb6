/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A Unix socket that listens, for the program's user and root only.
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
    dev_t dev;                  /* of what is ours at path */
    ino_t inode;
};

#define MON_SOCKET_INIT { .fd = -1 }

/*
 * A socket that a dead program left behind gives way to it; one of a living
 * program, and any other file, does not: -EADDRINUSE.
 */
int mon_socket_open(struct mon_socket *s, const char *path, struct err *e);

/* The file goes, too, unless somebody else's is there by now. */
void mon_socket_close(struct mon_socket *s);
void mon_socket_unlink(const struct mon_socket *s);

/* A peer that may speak: its descriptor, which does not block; or -errno. */
int mon_socket_accept(const struct mon_socket *s);

#endif /* LIBUSERTRACE_MONITOR_SOCKET_H */
