/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to and from xensim.  A SOCK_SEQPACKET socket preserves message
 * boundaries, so a bad message would not affect the next one; the first bad
 * answer still ends the connection, because the peer is not xensim.
 */
#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */

#include "xentrace/xensim-client.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/fault.h"
#include "xensim/wire.h"

#define ANSWER_SECONDS 30
#define MAX_ERRNO 4095
/* descriptors of one message that are received in order to close them */
#define MAX_FDS 8

/* Another user may have put a socket or a symbolic link there. */
static int check_owner(const char *path, struct err *e)
{
    struct stat st;

    if ( lstat(path, &st) )
        return err_sys(e, -errno, "no xensim at %s", path);
    if ( !S_ISSOCK(st.st_mode) || st.st_uid != geteuid() )
        return err_set(e, -EACCES, "%s is not a socket that belongs to you; "
                       "name the socket of xensim with --socket", path);
    return 0;
}

int xensim_client_find(char *path, size_t room, const char *given,
                       struct err *e)
{
    int length, is_shared = 0;

    if ( !given )
        given = getenv(XENSIM_SOCKET_ENV);
    if ( given && *given )
        length = snprintf(path, room, "%s", given);
    else
        length = xensim_default_socket(path, room, &is_shared);
    assert(length >= 0);
    if ( (size_t)length >= room )
        return err_set(e, -ENAMETOOLONG, "the path of xensim's socket is too "
                       "long: at most %zu bytes fit", room - 1);
    return is_shared ? check_owner(path, e) : 0;
}

static int connect_socket(struct xensim_client *client, struct err *e)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct timeval patience = { .tv_sec = ANSWER_SECONDS };

    assert(client->socket < 0);
    memcpy(to.sun_path, client->path, sizeof(to.sun_path));
    client->socket = fault_hit(FAULT_OPEN)
                     ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if ( client->socket < 0 )
          return err_sys(e, -errno, "cannot make a socket");
    if ( setsockopt(client->socket, SOL_SOCKET, SO_RCVTIMEO, &patience,
                    sizeof(patience)) ||
         connect(client->socket, (struct sockaddr *)&to, sizeof(to)) )
          return err_sys(e, -errno, "cannot reach xensim at %s", client->path);
    return 0;
}

int xensim_client_open(struct xensim_client *client, const char *given,
                       struct err *e)
{
    int rc;

    *client = (struct xensim_client){ .socket = -1 };
    rc = xensim_client_find(client->path, sizeof(client->path), given, e);
    if ( !rc )
        rc = connect_socket(client, e);
    if ( rc )
        xensim_client_close(client);
    return rc;
}

void xensim_client_close(struct xensim_client *client)
{
    if ( client->socket >= 0 )
        close(client->socket);
    client->socket = -1;
}

static int send_request(const struct xensim_client *client,
                        const struct xensim_call *c, struct err *e)
{
    struct xensim_request rq = {
        .op = c->op, .arg = c->arg,
        .length = c->ask[0].iov_len + c->ask[1].iov_len,
    };
    struct iovec iov[3] = { { &rq, sizeof(rq) }, c->ask[0], c->ask[1] };
    struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
    ssize_t sent;

    assert(rq.length <= XENSIM_MAX_PAYLOAD);
    do
        sent = sendmsg(client->socket, &msg, MSG_NOSIGNAL);
    while ( sent < 0 && errno == EINTR );
    if ( sent < 0 )
        return err_sys(e, -errno, "cannot send to xensim at %s", client->path);
    return 0;
}

/* Keep the first descriptor of a control message and close the others. */
static void collect_fds(const struct cmsghdr *c, int *first)
{
    size_t nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    int fd;

    assert(c->cmsg_type == SCM_RIGHTS);
    for ( size_t i = 0; i < nr; i++ )
    {
        memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
        if ( *first < 0 )
            *first = fd;
        else
            close(fd);
    }
}

/* Receive one message into msg, and its descriptor, or -1, into *fd. */
static ssize_t receive_message(const struct xensim_client *client,
                               struct msghdr *msg, int *fd)
{
    ssize_t got;

    *fd = -1;
    do
        got = recvmsg(client->socket, msg, MSG_CMSG_CLOEXEC);
    while ( got < 0 && errno == EINTR );
    if ( got < 0 )
        return errno == EAGAIN ? -ETIMEDOUT : -errno;
    for ( struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c) )
        if ( c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS )
            collect_fds(c, fd);
    return got;
}

/* The defect of an answer of `got` bytes; NULL: none. */
static const char *answer_fault(const struct xensim_call *c,
                                const struct xensim_answer *a, size_t got,
                                int flags, int fd)
{
    if ( flags & MSG_TRUNC )
        return "an answer that is too long";
    if ( got < sizeof(*a) || got - sizeof(*a) != a->length )
        return "an answer that is cut short";
    if ( a->rc > 0 || a->rc < -MAX_ERRNO )
        return "an answer that makes no sense";
    if ( !a->rc && a->length < c->min_bytes )
        return "an answer to something else";
    if ( !a->rc && c->fd && fd < 0 )
        return "an answer without its descriptor";
    return NULL;
}

static int receive_answer(const struct xensim_client *client,
                          const struct xensim_call *c, struct err *e)
{
    union
    {
        struct cmsghdr align;
        char room[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control;
    struct xensim_answer a = { 0 };
    struct iovec iov[3] = { { &a, sizeof(a) }, c->answer[0], c->answer[1] };
    struct msghdr msg = {
        .msg_iov = iov, .msg_iovlen = 3,
        .msg_control = &control, .msg_controllen = sizeof(control),
    };
    const char *fault;
    int fd;
    ssize_t got = receive_message(client, &msg, &fd);

    if ( got < 0 )
        return err_sys(e, got, "no answer from xensim at %s", client->path);
    if ( got == 0 )
        return err_set(e, -ECONNRESET, "xensim at %s has ended", client->path);
    fault = answer_fault(c, &a, got, msg.msg_flags, fd);
    if ( c->fd && !fault && !a.rc )
        *c->fd = fd;
    else if ( fd >= 0 )
        close(fd);
    return fault ? xensim_client_absurd(client, fault, e) : a.rc;
}

int xensim_client_call(const struct xensim_client *client,
                       const struct xensim_call *c, struct err *e)
{
    int rc;

    assert(client->socket >= 0);
    rc = send_request(client, c, e);
    return rc ? rc : receive_answer(client, c, e);
}

int xensim_client_absurd(const struct xensim_client *client, const char *what,
                         struct err *e)
{
    return err_set(e, -EPROTO,
                   "xensim at %s sent %s: is its version different?",
                   client->path, what);
}
