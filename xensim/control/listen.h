/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The socket's place in the file system.
 */
#ifndef XENSIM_LISTEN_H
#define XENSIM_LISTEN_H

#include <sys/stat.h>
#include <sys/un.h>

#include "common/err.h"

struct listener
{
    int fd;
    struct sockaddr_un address;
    dev_t dev;              /* of the file that we made */
    ino_t ino;
};

int listener_open(struct listener *l, const char *path, struct err *e);
void listener_close(struct listener *l);

/* A connection of someone who may talk to us, or -errno. */
int listener_accept(const struct listener *l);

#endif /* XENSIM_LISTEN_H */
