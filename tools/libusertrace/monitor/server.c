/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A monitor server: connections through a Unix socket, or one connection on
 * standard input and output, in a thread of its own, so that no thread of the
 * program ever waits for a peer.  The server thread waits only in poll().
 *
 * All resources of peers are bounded: the number of peers, the length of a
 * message, and unsent data.  If all slots are taken and another peer waits, the
 * peer with the oldest last command is disconnected, after IDLE_MS at the
 * earliest: peers without commands cannot lock out others.  Peers of root get
 * all slots but one, so that busy peers of root cannot lock out the program's
 * user.  While a peer has not read its reply, nothing more is read from that
 * peer, so at most one reply is buffered.
 *
 * A list of all servers is kept for exit(), which removes the sockets, and for
 * the child of a fork, which has no server thread and closes the descriptors:
 * otherwise the child would keep the socket alive.
 */
#define _GNU_SOURCE             /* pipe2 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/monitor/dialogue.h"
#include "common/unix-socket.h"
#include "libusertrace/trace/monitor.h"

#define CLIENTS_MAX 16u
#define IDLE_MS 5000

struct client
{
    int in, out;                /* a socket uses one descriptor for both */
    bool is_foreign;            /* root, in a program of another user */
    int64_t active;             /* time of the last command or part of a reply,
                                 * monotonic ms */
    char *reply;                /* unsent reply; NULL: none */
    size_t reply_at, reply_nr;
    size_t in_at, in_nr;        /* of bytes: not processed yet */
    char bytes[4096];
    struct mon_dialogue dialogue;
};

struct usertrace_server
{
    struct usertrace_server *next;
    enum usertrace_protocol protocol;
    pthread_t thread;
    struct unix_socket socket;  /* not open: standard input and output */
    int stop[2];                /* a pipe; closing its end stops the thread */
    struct client *clients[CLIENTS_MAX];    /* NULL: a free slot */
};

/*
 * Protects the list of servers and every change of descriptors, so a fork sees
 * each change completely or not at all.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct usertrace_server *servers;

/* ---- one client --------------------------------------------------------- */

static int64_t read_clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void client_free(struct client *c)
{
    if ( c->in != STDIN_FILENO )
        close(c->in);
    free(c->reply);
    fault_free(c);
}

static void client_close(struct client **slot)
{
    assert(*slot);
    pthread_mutex_lock(&lock);
    client_free(*slot);
    *slot = NULL;
    pthread_mutex_unlock(&lock);
}

/* False, here and below: close the client. */
static bool set_reply(struct client *c, char *line)
{
    assert(!c->reply);
    c->reply = line;
    c->reply_at = 0;
    c->reply_nr = line ? strlen(line) : 0;
    return line != NULL;
}

/* poll() guarantees PIPE_BUF bytes without blocking. */
static bool send_reply(struct client *c)
{
    size_t left = c->reply_nr - c->reply_at;
    ssize_t rc;

    assert(c->reply && c->reply_at <= c->reply_nr);
    rc = write(c->out, c->reply + c->reply_at,
               left < PIPE_BUF ? left : PIPE_BUF);
    if ( rc < 0 )
        return errno == EAGAIN || errno == EINTR;
    c->reply_at += rc;
    if ( c->reply_at == c->reply_nr )
    {
        free(c->reply);
        c->reply = NULL;
    }
    return true;
}

/* Stop after one message: its reply is sent first. */
static bool process_bytes(struct client *c)
{
    bool keep_open = true;
    char *reply;

    while ( keep_open && !c->reply && c->in_at < c->in_nr )
    {
        keep_open = mon_dialogue_put_byte(&c->dialogue, c->bytes[c->in_at++],
                                          &reply);
        if ( reply )
            set_reply(c, reply);
    }
    return keep_open;
}

static bool receive_bytes(struct client *c)
{
    ssize_t rc;

    assert(!c->reply && c->in_at == c->in_nr);
    rc = read(c->in, c->bytes, sizeof(c->bytes));
    if ( rc < 0 )
        return errno == EAGAIN || errno == EINTR;
    c->in_at = 0;
    c->in_nr = rc;
    return rc > 0;
}

/*
 * The client is writable if it has a reply, otherwise readable.  Bytes without
 * a complete command are no activity.
 */
static bool serve_client(struct client *c)
{
    bool had_reply = c->reply;
    bool keep_open = had_reply ? send_reply(c) : receive_bytes(c);

    if ( keep_open && !c->reply )
        keep_open = process_bytes(c);
    if ( had_reply || c->reply )
        c->active = read_clock_ms();
    return keep_open;
}

/* ---- all of them -------------------------------------------------------- */

static bool is_socket(const struct usertrace_server *s)
{
    return s->socket.fd >= 0;
}

/* `slot` is in s->clients; under the lock, once the thread runs. */
static int add_client(struct usertrace_server *s, struct client **slot, int in,
                      int out)
{
    struct client *c = fault_calloc(1, sizeof(*c));

    assert(slot && !*slot);
    if ( !c )
        return -ENOMEM;
    c->in = in;
    c->out = out;
    c->active = read_clock_ms();
    c->dialogue.protocol = s->protocol;
    if ( !set_reply(c, mon_dialogue_greeting(&c->dialogue)) )
    {
        fault_free(c);
        return -ENOMEM;
    }
    *slot = c;
    return 0;
}

static struct client **find_free_slot(struct usertrace_server *s)
{
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        if ( !s->clients[i] )
            return &s->clients[i];
    return NULL;
}

/* The client that has been idle longest; all slots are taken. */
static struct client **find_idlest(struct usertrace_server *s)
{
    struct client **idlest = &s->clients[0];

    for ( size_t i = 1; i < CLIENTS_MAX; i++ )
        if ( s->clients[i]->active < (*idlest)->active )
            idlest = &s->clients[i];
    return idlest;
}

/* Time in ms until a slot can be had for another peer; 0: now. */
static int slot_wait_ms(struct usertrace_server *s)
{
    int64_t idle;

    if ( find_free_slot(s) )
        return 0;
    idle = read_clock_ms() - (*find_idlest(s))->active;
    return idle < IDLE_MS ? (int)(IDLE_MS - idle) : 0;
}

/* Under the lock. */
static int add_peer(struct usertrace_server *s, int fd)
{
    struct client **slot = find_free_slot(s);
    bool is_foreign = !unix_socket_peer_is_own(fd);
    unsigned int nr = 0;
    int rc;

    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        nr += s->clients[i] && s->clients[i]->is_foreign;
    if ( is_foreign && nr == CLIENTS_MAX - 1 )
        return -EUSERS;
    rc = add_client(s, slot, fd, fd);
    if ( !rc )
        (*slot)->is_foreign = is_foreign;
    return rc;
}

/*
 * Without free descriptors the peer stays in the queue; the delay avoids a
 * busy loop.
 */
static void accept_client(struct usertrace_server *s)
{
    int fd;

    if ( !find_free_slot(s) )
        client_close(find_idlest(s));
    pthread_mutex_lock(&lock);
    fd = unix_socket_accept(&s->socket);
    if ( fd >= 0 && add_peer(s, fd) )
        close(fd);
    pthread_mutex_unlock(&lock);
    if ( fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM )
        poll(NULL, 0, 100);
}

enum { STOP, LISTEN, FIRST_CLIENT };

/* Returns the timeout for poll(). */
static int fill_pollfds(struct usertrace_server *s, struct pollfd *fds)
{
    int wait = s->socket.fd < 0 ? 0 : slot_wait_ms(s);
    const struct client *c;

    fds[STOP] = (struct pollfd){ .fd = s->stop[0], .events = POLLIN };
    fds[LISTEN] = (struct pollfd){
        .fd = wait ? -1 : s->socket.fd, .events = POLLIN,
    };
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
    {
        c = s->clients[i];
        fds[FIRST_CLIENT + i] = (struct pollfd){
            .fd = !c ? -1 : c->reply ? c->out : c->in,
            .events = c && c->reply ? POLLOUT : POLLIN,
        };
    }
    return wait ? wait : -1;
}

static void *run_server(void *arg)
{
    struct pollfd fds[FIRST_CLIENT + CLIENTS_MAX];
    struct usertrace_server *s = arg;
    int timeout;
    size_t i;

    for ( ; ; )
    {
        timeout = fill_pollfds(s, fds);
        if ( poll(fds, FIRST_CLIENT + CLIENTS_MAX, timeout) <= 0 )
            continue;
        if ( fds[STOP].revents )
            break;
        for ( i = 0; i < CLIENTS_MAX; i++ )
            if ( fds[FIRST_CLIENT + i].revents && !serve_client(s->clients[i]) )
                client_close(&s->clients[i]);
        if ( fds[LISTEN].revents )
            accept_client(s);
    }
    for ( i = 0; i < CLIENTS_MAX; i++ )
        if ( s->clients[i] )
            client_close(&s->clients[i]);
    return NULL;
}

/* ---- its life ----------------------------------------------------------- */

/*
 * Block all signals, which are for the program's threads; in particular
 * SIGPIPE of write().
 */
static int start_server_thread(struct usertrace_server *s, struct err *e)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, NULL, run_server, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc ? err_sys(e, -rc, "cannot start the thread of the monitor") : 0;
}

static void server_free(struct usertrace_server *s)
{
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        if ( s->clients[i] )
            client_free(s->clients[i]);
    for ( int i = 0; i < 2; i++ )
        if ( s->stop[i] >= 0 )
            close(s->stop[i]);
    fault_free(s);
}

static int open_endpoint(struct usertrace_server *s, const char *path,
                         struct err *e)
{
    int rc;

    if ( fault_hit(FAULT_OPEN) || pipe2(s->stop, O_CLOEXEC) )
        return err_sys(e, -errno, "%.150s", path);
    if ( strcmp(path, "-") )
        return unix_socket_open(&s->socket, SOCK_STREAM, path, e);
    rc = add_client(s, &s->clients[0], STDIN_FILENO, STDOUT_FILENO);
    return rc ? err_sys(e, rc, "cannot open a monitor") : 0;
}

/* ---- the list of them --------------------------------------------------- */

/*
 * Other threads may still run or have been stopped anywhere: do not wait, and
 * free nothing.
 */
static void unlink_at_exit(void)
{
    if ( pthread_mutex_trylock(&lock) )
        return;
    for ( struct usertrace_server *s = servers; s; s = s->next )
        unix_socket_unlink(&s->socket);
    pthread_mutex_unlock(&lock);
}

static void lock_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/*
 * The server thread may have been stopped at any point, so its memory cannot
 * be freed.
 */
static void close_in_child(void)
{
    static struct usertrace_server *leaked;
    struct usertrace_server *s;
    size_t i;

    pthread_mutex_init(&lock, NULL);
    for ( s = servers; s; s = s->next )
    {
        if ( is_socket(s) )
            close(s->socket.fd);
        close(s->stop[0]);
        close(s->stop[1]);
        for ( i = 0; i < CLIENTS_MAX; i++ )
            if ( s->clients[i] && s->clients[i]->in != STDIN_FILENO )
                close(s->clients[i]->in);
    }
    if ( servers )
        leaked = servers;
    servers = NULL;
    (void)leaked;
}

static void register_handlers(void)
{
    pthread_atfork(lock_before_fork, unlock_after_fork, close_in_child);
    atexit(unlink_at_exit);
}

static void list_add_server(struct usertrace_server *s)
{
    assert(!s->next);
    pthread_mutex_lock(&lock);
    s->next = servers;
    servers = s;
    pthread_mutex_unlock(&lock);
}

/* False: not on the list, or no longer. */
static bool list_remove_server(struct usertrace_server *s)
{
    struct usertrace_server **at = &servers;
    bool found;

    pthread_mutex_lock(&lock);
    while ( *at && *at != s )
        at = &(*at)->next;
    found = *at != NULL;
    if ( found )
        *at = s->next;
    pthread_mutex_unlock(&lock);
    return found;
}

int usertrace_server_open(struct usertrace_server **server,
                          enum usertrace_protocol protocol, const char *path,
                          struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct usertrace_server *s;
    int rc = mon_dialogue_load(protocol, e);

    *server = NULL;
    if ( rc )
        return rc;
    s = fault_calloc(1, sizeof(*s));
    if ( !s )
        return err_sys(e, -ENOMEM, "%.150s", path);
    s->protocol = protocol;
    s->socket = (struct unix_socket)UNIX_SOCKET_INIT;
    s->stop[0] = s->stop[1] = -1;
    rc = open_endpoint(s, path, e);
    if ( !rc )
        rc = start_server_thread(s, e);
    if ( rc )
    {
        unix_socket_close(&s->socket);
        server_free(s);
        return rc;
    }
    pthread_once(&once, register_handlers);
    list_add_server(s);
    *server = s;
    return 0;
}

void usertrace_server_close(struct usertrace_server *s)
{
    if ( !list_remove_server(s) )
        return;
    close(s->stop[1]);
    s->stop[1] = -1;
    pthread_join(s->thread, NULL);
    unix_socket_close(&s->socket);
    server_free(s);
}
