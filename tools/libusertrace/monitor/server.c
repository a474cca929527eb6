/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QMP on a Unix socket, in one thread of its own, so that no thread of the
 * program ever waits for a peer.  The thread itself waits only in poll().
 *
 * Peers are bounded: how many, how long a message is, and how much is kept for
 * one of them.  While a peer has not taken its reply, nothing more is read from
 * it, so what it can make us keep is one reply.
 *
 * Only the program's user and root may connect.  The socket has mode 0600 from
 * its first moment: on Linux bind() takes the mode of the socket itself.  And
 * each peer is asked who it is, in case the file was made readable for others.
 */
#define _GNU_SOURCE             /* accept4, struct ucred */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/monitor/frame.h"
#include "libusertrace/monitor/qmp.h"
#include "libusertrace/trace/monitor.h"

#define CLIENTS_MAX 16u

struct client
{
    int fd;
    struct mon_qmp qmp;
    char *out;                  /* what it has not taken; NULL: nothing */
    size_t out_at, out_nr;
    size_t in_at, in_nr;        /* of in: not yet looked at */
    char in[4096];
    struct mon_frame frame;
};

struct usertrace_server
{
    pthread_t thread;
    int fd;                     /* listens */
    int stop[2];                /* a pipe: its end is the thread's end */
    char *path;
    struct client *clients[CLIENTS_MAX];        /* NULL: a free place */
};

/* ---- one client --------------------------------------------------------------- */

static void client_close(struct client **place)
{
    struct client *c = *place;

    close(c->fd);
    free(c->out);
    fault_free(c);
    *place = NULL;
}

/* False, here and below: the client is to be closed. */
static bool owe(struct client *c, char *line)
{
    c->out = line;
    c->out_at = 0;
    c->out_nr = line ? strlen(line) : 0;
    return line != NULL;
}

static bool push(struct client *c)
{
    ssize_t rc = send(c->fd, c->out + c->out_at, c->out_nr - c->out_at,
                      MSG_NOSIGNAL | MSG_DONTWAIT);

    if ( rc < 0 )
        return errno == EAGAIN || errno == EINTR;
    c->out_at += rc;
    if ( c->out_at == c->out_nr )
    {
        free(c->out);
        c->out = NULL;
    }
    return true;
}

static bool take_byte(struct client *c, char byte)
{
    enum mon_step step = mon_frame_put(&c->frame, byte);
    bool is_well = true;

    if ( step == MON_TOO_LONG )
        return false;
    if ( step == MON_WHOLE )
    {
        is_well = owe(c, mon_qmp_answer(&c->qmp, c->frame.text, c->frame.nr));
        mon_frame_clear(&c->frame);
    }
    return is_well;
}

/* One message at most: then there is something to send first. */
static bool take_bytes(struct client *c)
{
    bool is_well = true;

    while ( is_well && !c->out && c->in_at < c->in_nr )
        is_well = take_byte(c, c->in[c->in_at++]);
    return is_well;
}

static bool pull(struct client *c)
{
    ssize_t rc = recv(c->fd, c->in, sizeof(c->in), MSG_DONTWAIT);

    if ( rc < 0 )
        return errno == EAGAIN || errno == EINTR;
    c->in_at = 0;
    c->in_nr = rc;
    return rc > 0;
}

/* It can be written to, or read from. */
static bool serve(struct client *c)
{
    bool is_well = c->out ? push(c) : pull(c);

    if ( is_well && !c->out )
        is_well = take_bytes(c);
    return is_well;
}

/* ---- all of them -------------------------------------------------------------- */

static bool is_ours(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) &&
           (peer.uid == geteuid() || !peer.uid);
}

static void greet(struct client **place, int fd)
{
    struct client *c = NULL;

    if ( is_ours(fd) )
        c = fault_calloc(1, sizeof(*c));
    if ( !c )
    {
        close(fd);
        return;
    }
    c->fd = fd;
    *place = c;
    if ( !owe(c, mon_qmp_greeting()) )
        client_close(place);
}

static struct client **free_place(struct usertrace_server *s)
{
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        if ( !s->clients[i] )
            return &s->clients[i];
    return NULL;
}

/* With no descriptors left the peer stays in the queue: no busy loop. */
static void admit(struct usertrace_server *s)
{
    struct client **place = free_place(s);
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);

    if ( fd >= 0 )
        greet(place, fd);
    else if ( errno == EMFILE || errno == ENFILE || errno == ENOMEM )
        poll(NULL, 0, 100);
}

enum { STOP, LISTEN, FIRST_CLIENT };

static void fill(struct usertrace_server *s, struct pollfd *fds)
{
    const struct client *c;

    fds[STOP] = (struct pollfd){ .fd = s->stop[0], .events = POLLIN };
    fds[LISTEN] = (struct pollfd){
        .fd = free_place(s) ? s->fd : -1, .events = POLLIN,
    };
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
    {
        c = s->clients[i];
        fds[FIRST_CLIENT + i] = (struct pollfd){
            .fd = c ? c->fd : -1, .events = c && c->out ? POLLOUT : POLLIN,
        };
    }
}

static void *work(void *arg)
{
    struct pollfd fds[FIRST_CLIENT + CLIENTS_MAX];
    struct usertrace_server *s = arg;
    size_t i;

    for ( ; ; )
    {
        fill(s, fds);
        if ( poll(fds, FIRST_CLIENT + CLIENTS_MAX, -1) < 0 )
            continue;
        if ( fds[STOP].revents )
            break;
        for ( i = 0; i < CLIENTS_MAX; i++ )
            if ( fds[FIRST_CLIENT + i].revents && !serve(s->clients[i]) )
                client_close(&s->clients[i]);
        if ( fds[LISTEN].revents )
            admit(s);
    }
    for ( i = 0; i < CLIENTS_MAX; i++ )
        if ( s->clients[i] )
            client_close(&s->clients[i]);
    return NULL;
}

/* ---- its life ----------------------------------------------------------------- */

static int listen_at(struct usertrace_server *s, struct err *e)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = strlen(s->path);

    if ( !length || length >= sizeof(address.sun_path) )
        return err_set(e, -ENAMETOOLONG, "%.100s: the path of a socket has 1 "
                       "to %zu bytes", s->path, sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, s->path, length);
    s->fd = fault_hit(FAULT_OPEN) ? -1 :
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if ( s->fd < 0 )
        return err_sys(e, -errno, "%s", s->path);
    if ( fchmod(s->fd, 0600) ||
         bind(s->fd, (const struct sockaddr *)&address, sizeof(address)) )
        return err_sys(e, -errno, errno == EADDRINUSE ?
                       "%s: if no program has it, remove it" : "%s", s->path);
    if ( listen(s->fd, CLIENTS_MAX) )
    {
        err_sys(e, -errno, "%s", s->path);
        unlink(s->path);
        return e ? e->code : -EIO;
    }
    return 0;
}

/* Signals are for the program's threads. */
static int start(struct usertrace_server *s)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, NULL, work, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -rc;
}

static void server_free(struct usertrace_server *s)
{
    for ( int i = 0; i < 2; i++ )
        if ( s->stop[i] >= 0 )
            close(s->stop[i]);
    if ( s->fd >= 0 )
        close(s->fd);
    fault_free(s->path);
    fault_free(s);
}

int usertrace_server_open(struct usertrace_server **server, const char *path,
                          struct err *e)
{
    struct usertrace_server *s;
    int rc = mon_qmp_load(e);

    *server = NULL;
    if ( rc )
        return rc;
    s = fault_calloc(1, sizeof(*s));
    if ( !s )
        return err_sys(e, -ENOMEM, "%s", path);
    s->fd = s->stop[0] = s->stop[1] = -1;
    s->path = fault_strdup(path);
    rc = s->path ? 0 : err_sys(e, -ENOMEM, "%s", path);
    if ( !rc && (fault_hit(FAULT_OPEN) || pipe2(s->stop, O_CLOEXEC)) )
        rc = err_sys(e, -errno, "%s", path);
    if ( !rc )
        rc = listen_at(s, e);
    if ( !rc && (rc = start(s)) != 0 )
    {
        err_sys(e, rc, "%s", path);
        unlink(path);
    }
    if ( rc )
        server_free(s);
    else
        *server = s;
    return rc;
}

void usertrace_server_close(struct usertrace_server *s)
{
    if ( !s )
        return;
    close(s->stop[1]);
    s->stop[1] = -1;
    pthread_join(s->thread, NULL);
    unlink(s->path);
    server_free(s);
}
