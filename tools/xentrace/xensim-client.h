/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line to xensim: its socket, on which one message asks and one answers,
 * in step ("xensim/wire.h").  What answers there is not believed to be
 * xensim: lengths are checked before anything is read, descriptors that were
 * not asked for are closed, and who says nothing for a while is given up.
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

/* One question and its answer. */
struct xensim_call
{
    uint32_t op, arg;
    struct iovec ask[2];        /* behind the request; unused ones are empty */
    struct iovec answer[2];     /* filled one after the other */
    size_t least;               /* bytes that the answer has to have */
    int *fd;                    /* NULL: its answer brings no descriptor */
};

/* Where xensim is: `said`, or where it goes if nothing is said to it. */
int xensim_client_find(char *path, size_t room, const char *given,
                       struct err *e);

/* 0, or -errno with *e filled; *line is then closed. */
int xensim_client_open(struct xensim_client *client, const char *given,
                       struct err *e);
void xensim_client_close(struct xensim_client *client);

/*
 * 0, the refusal that was answered, or -errno with *e filled: the line is
 * broken.  *c->fd is the caller's to close, and only set with 0.
 */
int xensim_client_call(const struct xensim_client *client,
                       const struct xensim_call *c, struct err *e);

/* What one says if the answer's content is absurd; -EPROTO. */
int xensim_client_absurd(const struct xensim_client *client, const char *what,
                         struct err *e);

#endif /* XENTRACE_XENSIM_CLIENT_H */
