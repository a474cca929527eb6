/* SPDX-License-Identifier: GPL-2.0-only */
/* The listening socket and its file. */
#ifndef XENSIM_LISTEN_H
#define XENSIM_LISTEN_H

#include <sys/stat.h>
#include <sys/un.h>

#include "common/err.h"

struct listener
{
    int fd;
    struct sockaddr_un address;
    dev_t dev;              /* inode of the socket file */
    ino_t ino;
};

int listener_open(struct listener *l, const char *path, struct err *e);
void listener_close(struct listener *l);

/* Accept a connection of a permitted user. Return a descriptor or -errno. */
int listener_accept(const struct listener *l);

#endif /* XENSIM_LISTEN_H */
