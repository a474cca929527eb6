/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One level-triggered epoll holds the socket and all connections, so that the
 * collector polls a single descriptor.  A connection whose request has arrived
 * only reports its end.  While all slots are in use, the socket is not
 * watched.
 */
#include "xentrace/request-server.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fault.h"

#define LISTENER REQUEST_CLIENTS    /* in the data of its events */

static int watch_fd(const struct request_server *s, int op, int fd,
                    uint32_t events, uint32_t data)
{
    struct epoll_event event = { .events = events, .data.u32 = data };

    return epoll_ctl(s->epoll, op, fd, &event) ? -errno : 0;
}

/* --- one connection ------------------------------------------------------- */

static void set_listening(struct request_server *s, bool wanted)
{
    if ( wanted != s->is_listening &&
         !watch_fd(s, EPOLL_CTL_MOD, s->socket.fd, wanted ? EPOLLIN : 0,
                   LISTENER) )
        s->is_listening = wanted;
}

/* close() also removes the descriptor from the epoll. */
static void end_connection(struct request_server *s, struct request *r)
{
    assert(r->fd >= 0);
    close(r->fd);
    *r = (struct request){ .fd = -1 };
    set_listening(s, true);
}

void request_server_answer(struct request_server *s, struct request *r,
                           const char *text, const struct err *e)
{
    const char *head = e ? CONTROL_ERROR : CONTROL_OK;
    char message[CONTROL_MESSAGE_MAX];
    size_t used = strlen(head), length;

    assert(r->fd >= 0);
    if ( e )
        text = e->text;
    length = strnlen(text, sizeof(message) - used);
    memcpy(message, head, used);
    memcpy(message + used, text, length);
    /* A client that does not take the answer at once does without. */
    send(r->fd, message, used + length, MSG_DONTWAIT | MSG_NOSIGNAL);
    end_connection(s, r);
}

static void reject_request(struct request_server *s, struct request *r,
                           const char *why)
{
    struct err e = ERR_INIT;

    err_set(&e, -EINVAL, "%s", why);
    request_server_answer(s, r, NULL, &e);
}

static enum request_kind parse_kind(const char *word, size_t length)
{
    enum request_kind kind = REQUEST_KINDS - 1;

    while ( kind != REQUEST_NONE &&
            (strlen(control_request_word(kind)) != length ||
             memcmp(control_request_word(kind), word, length)) )
        kind--;
    return kind;
}

/* The defect of a request; NULL: *r is filled in. */
static const char *parse_request(struct request *r, const char *message)
{
    size_t length = strcspn(message, " ");
    const char *text = message + length + (message[length] == ' ');
    enum request_kind kind = parse_kind(message, length);

    if ( kind == REQUEST_NONE )
        return "unknown request: is its xentrace of another version?";
    if ( strlen(text) > CONTROL_TEXT_MAX )
        return "the text is too long";
    if ( !control_is_one_line(text) )
        return "the text must be one line";
    r->kind = kind;
    memcpy(r->text, text, strlen(text) + 1);
    return NULL;
}

static void receive_request(struct request_server *s, struct request *r)
{
    char message[CONTROL_MESSAGE_MAX + 1];
    ssize_t got = recv(r->fd, message, sizeof(message) - 1,
                       MSG_DONTWAIT | MSG_TRUNC);
    const char *defect;

    assert(r->kind == REQUEST_NONE);
    if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
        return;
    if ( got <= 0 )
    {
        end_connection(s, r);
        return;
    }
    if ( (size_t)got >= sizeof(message) )
        defect = "the request is too long";
    else
    {
        message[got] = '\0';
        defect = parse_request(r, message);
    }
    if ( defect )
        reject_request(s, r, defect);
    else if ( watch_fd(s, EPOLL_CTL_MOD, r->fd, 0, r - s->requests) )
        end_connection(s, r);
}

/* --- connections ---------------------------------------------------------- */

static struct request *find_free(struct request_server *s)
{
    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
        if ( s->requests[i].fd < 0 )
            return &s->requests[i];
    return NULL;
}

/* Fill the free slots.  A peer of another user is refused. */
static void accept_clients(struct request_server *s, uint64_t now_ms)
{
    struct request *r;
    int fd;

    while ( (r = find_free(s)) != NULL )
    {
        fd = unix_socket_accept(&s->socket);
        if ( fd < 0 )
            return;
        *r = (struct request){ .fd = fd, .accepted_ms = now_ms };
        if ( watch_fd(s, EPOLL_CTL_ADD, fd, EPOLLIN, r - s->requests) )
            end_connection(s, r);
    }
}

static void drop_slow_clients(struct request_server *s, uint64_t now_ms)
{
    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
    {
        struct request *r = &s->requests[i];

        if ( r->fd >= 0 && r->kind == REQUEST_NONE &&
             now_ms - r->accepted_ms >= REQUEST_PATIENCE_MS )
            end_connection(s, r);
    }
}

static void handle_event(struct request_server *s,
                         const struct epoll_event *event)
{
    struct request *r;

    assert(event->data.u32 <= LISTENER);
    if ( event->data.u32 == LISTENER )
        return;
    r = &s->requests[event->data.u32];
    assert(r->fd >= 0);
    if ( r->kind == REQUEST_NONE )
        receive_request(s, r);
    else
        end_connection(s, r); /* the client has gone */
}

void request_server_serve(struct request_server *s, uint64_t now_ms)
{
    struct epoll_event events[REQUEST_CLIENTS + 1];
    int nr = epoll_wait(s->epoll, events, REQUEST_CLIENTS + 1, 0);

    assert(s->epoll >= 0);
    for ( int i = 0; i < nr; i++ )
        handle_event(s, &events[i]);
    drop_slow_clients(s, now_ms);
    accept_clients(s, now_ms);
    set_listening(s, find_free(s) != NULL);
    s->pause_end_ms = now_ms + REQUEST_PAUSE_MS;
}

/* --- for the collector ---------------------------------------------------- */

int request_server_fd(const struct request_server *s, uint64_t now_ms)
{
    return now_ms < s->pause_end_ms ? -1 : s->epoll;
}

uint64_t request_server_timeout(const struct request_server *s, uint64_t now_ms)
{
    uint64_t least = now_ms < s->pause_end_ms ? s->pause_end_ms : UINT64_MAX;

    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
    {
        const struct request *r = &s->requests[i];
        uint64_t end = r->accepted_ms + REQUEST_PATIENCE_MS;

        if ( r->fd >= 0 && r->kind == REQUEST_NONE && end < least )
            least = end;
    }
    if ( least == UINT64_MAX )
        return least;
    return least > now_ms ? least - now_ms : 0;
}

struct request *request_server_find(struct request_server *s,
                                    enum request_kind kind)
{
    assert(kind != REQUEST_NONE);
    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
        if ( s->requests[i].fd >= 0 && s->requests[i].kind == kind )
            return &s->requests[i];
    return NULL;
}

/* --- open and close ------------------------------------------------------- */

static int open_socket(struct request_server *s, struct err *e)
{
    char dir[CONTROL_PATH_MAX], path[CONTROL_PATH_MAX];
    int rc = control_socket_dir(dir, e);

    if ( !rc )
        rc = control_socket_check_dir(dir, true, e);
    if ( !rc )
        rc = control_socket_path(path, dir, getpid(), e);
    return rc ? rc : unix_socket_open(&s->socket, SOCK_SEQPACKET, path, e);
}

static int open_epoll(struct request_server *s, struct err *e)
{
    s->epoll = fault_hit(FAULT_OPEN) ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if ( s->epoll < 0 ||
         watch_fd(s, EPOLL_CTL_ADD, s->socket.fd, EPOLLIN, LISTENER) )
        return err_sys(e, -errno, "cannot wait for requests");
    s->is_listening = true;
    return 0;
}

int request_server_open(struct request_server *s, const char *output,
                        struct err *e)
{
    int rc;

    *s = (struct request_server)REQUEST_SERVER_INIT;
    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
        s->requests[i].fd = -1;
    control_output_path(s->output, output);
    rc = open_socket(s, e);
    if ( !rc )
        rc = open_epoll(s, e);
    if ( rc )
        request_server_close(s);
    return rc;
}

void request_server_close(struct request_server *s)
{
    for ( unsigned int i = 0; i < REQUEST_CLIENTS; i++ )
        if ( s->requests[i].fd >= 0 )
            reject_request(s, &s->requests[i], "the capture has ended");
    unix_socket_close(&s->socket);
    if ( s->epoll >= 0 )
        close(s->epoll);
    s->epoll = -1;
}
