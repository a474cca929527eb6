/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client of xensim's socket: one request, one answer ("xensim/wire.h").
 * The peer is not trusted: lengths are checked before data is used, unexpected
 * descriptors are closed, and a missing answer is an error after a timeout.
 */
#ifndef XENTRACE_XENSIM_CLIENT_H
#define XENTRACE_XENSIM_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "common/err.h"

struct xensim_client
{
    int socket;         /* -1: closed */
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
};

/* One request and its answer. */
struct xensim_call
{
    uint32_t op, arg;
    struct iovec ask[2];        /* payload; unused ones are empty */
    struct iovec answer[2];     /* filled one after the other */
    size_t min_bytes;           /* minimum bytes of the answer */
    int *fd;                    /* NULL: the answer has no descriptor */
};

/*
 * The path of the socket: `given`, or the default if it is NULL.  A default in
 * a directory of all users is refused unless the file is this user's socket.
 */
int xensim_client_find(char *path, size_t room, const char *given,
                       struct err *e);

/* Returns 0, or -errno with *e filled and *client closed. */
int xensim_client_open(struct xensim_client *client, const char *given,
                       struct err *e);
void xensim_client_close(struct xensim_client *client);

/*
 * Returns 0, the error code in the answer, or -errno with *e filled: the
 * connection is unusable.  The caller closes *c->fd, which is set only with 0.
 */
int xensim_client_call(const struct xensim_client *client,
                       const struct xensim_call *c, struct err *e);

/* Report an answer with invalid content; returns -EPROTO. */
int xensim_client_absurd(const struct xensim_client *client, const char *what,
                         struct err *e);

#endif /* XENTRACE_XENSIM_CLIENT_H */
