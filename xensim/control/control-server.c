/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server: one epoll, one event per call, since handling an event may free
 * the client of the next event.
 *
 * SOCK_SEQPACKET delivers a message whole, into a buffer of the largest legal
 * size; a longer message is refused and consumed. Descriptors sent by a client
 * are not received: the kernel closes them. A client with a full receive queue
 * is dropped, so no client can block the others.
 */
#include "xensim/control/control-server.h"
#include "xensim/control/listen.h"
#include "xensim/control/ops.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MAX 64

struct control
{
    struct listener listener;
    int epoll;
    int read_only_fd;           /* read-only descriptor of the arena */
    struct client *clients;
    unsigned int nr_clients;
    struct xensim_request request;
    uint8_t payload[XENSIM_MAX_PAYLOAD];
};

/* Add a descriptor to the epoll; ptr NULL marks the listener. */
static int watch_fd(struct control *s, int fd, struct client *c)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };

    return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Open a read-only descriptor of the same memory. */
static int open_read_only(int fd)
{
    char path[32];
    int weaker;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    weaker = open(path, O_RDONLY | O_CLOEXEC);
    return weaker < 0 ? -errno : weaker;
}

int control_open(struct control **control, const char *path, struct err *e)
{
    struct control *s = calloc(1, sizeof(*s));
    int rc;

    if ( !s )
        return err_set(e, -ENOMEM, "no memory");
    s->listener.fd = s->read_only_fd = s->epoll = -1;

    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if ( s->epoll < 0 )
    {
        rc = err_sys(e, -errno, "cannot make an epoll");
        goto out_close;
    }
    s->read_only_fd = rc = open_read_only(xensim_arena_fd());
    if ( rc < 0 )
    {
        err_sys(e, rc, "cannot open the arena through /proc/self/fd");
        goto out_close;
    }
    rc = listener_open(&s->listener, path, e);
    if ( rc )
        goto out_close;
    rc = watch_fd(s, s->listener.fd, NULL);
    if ( rc )
    {
        err_sys(e, rc, "cannot wait for clients");
        goto out_close;
    }
    *control = s;
    return 0;

out_close:
    control_close(s);
    return rc;
}

static void drop_client(struct control *s, struct client *c)
{
    struct client **at = &s->clients;

    ASSERT(s->nr_clients);
    for ( ; *at != c; at = &(*at)->next )
        ASSERT(*at);
    *at = c->next;
    s->nr_clients--;
    client_free(c); /* close() removes the socket from the epoll */
}

void control_close(struct control *s)
{
    while ( s->clients )
        drop_client(s, s->clients);
    listener_close(&s->listener);
    if ( s->read_only_fd >= 0 )
        close(s->read_only_fd);
    if ( s->epoll >= 0 )
        close(s->epoll);
    free(s);
}

int control_fd(const struct control *s)
{
    return s->epoll;
}

static void accept_client(struct control *s)
{
    int fd = listener_accept(&s->listener);
    struct client *c;

    if ( fd < 0 )
        return;
    ASSERT(s->nr_clients <= CLIENTS_MAX);
    if ( s->nr_clients == CLIENTS_MAX )
    {
        close(fd);
        return;
    }
    c = client_new(fd);
    if ( !c )
        return;
    c->next = s->clients;
    s->clients = c;
    s->nr_clients++;
    if ( watch_fd(s, fd, c) )
        drop_client(s, c);
}

/*
 * Read one message. Return > 0: its bytes; 0: the client has disconnected;
 * -EINVAL, -E2BIG: a malformed message; -EAGAIN: no message.
 */
static int receive_request(struct control *s, struct client *c)
{
    struct iovec parts[] = {
        { &s->request, sizeof(s->request) },
        { s->payload, sizeof(s->payload) },
    };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
    ssize_t got = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    if ( got <= 0 )
        return got == 0 ? 0 : -errno;
    if ( m.msg_flags & MSG_TRUNC )
        return -E2BIG;
    if ( (size_t)got < sizeof(s->request) || s->request.zero ||
         s->request.length != got - sizeof(s->request) )
        return -EINVAL;
    return got;
}

static int send_answer(const struct client *c, int rc, const struct exchange *x)
{
    struct xensim_answer answer = { .rc = rc, .length = x->length };
    struct iovec parts[] = {
        { &answer, sizeof(answer) }, { x->payload, x->length },
    };
    union
    {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } side = {
        .header = {
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
            .cmsg_len = CMSG_LEN(sizeof(int)),
        },
    };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };

    ASSERT(x->length <= XENSIM_MAX_PAYLOAD);
    if ( x->fd >= 0 )
    {
        memcpy(CMSG_DATA(&side.header), &x->fd, sizeof(int));
        m.msg_control = &side;
        m.msg_controllen = sizeof(side);
    }
    return sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Serve one request. Return false if the connection is over. */
static bool serve_client(struct control *s, struct client *c)
{
    struct exchange x = {
        .client = c, .clients = s->clients, .fd = -1,
        .read_only_fd = s->read_only_fd,
        .payload = s->payload,
    };
    int rc = receive_request(s, c);

    if ( rc == -EAGAIN || rc == -EINTR )
        return true;
    if ( rc == 0 || (rc < 0 && rc != -EINVAL && rc != -E2BIG) )
        return false;
    if ( rc > 0 )
    {
        x.arg = s->request.arg;
        x.length = s->request.length;
        rc = op_run(s->request.op, &x);
    }
    if ( rc )
        x.length = 0;
    return send_answer(c, rc, &x) == 0;
}

void control_serve(struct control *s)
{
    struct epoll_event event;

    if ( epoll_wait(s->epoll, &event, 1, 0) != 1 )
        return;
    if ( !event.data.ptr )
        accept_client(s);
    else if ( !serve_client(s, event.data.ptr) )
        drop_client(s, event.data.ptr);
}
