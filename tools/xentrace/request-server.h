/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server side of the control socket.  The collector serves it between two
 * passes, and never waits for a client: all operations are non-blocking.
 *
 * Clients are limited, whatever they send or omit: to REQUEST_CLIENTS
 * connections, to one message of each, to REQUEST_PATIENCE_MS until that
 * message, and to one round of service in REQUEST_PAUSE_MS.  Further
 * connections wait in the backlog of the socket.
 */
#ifndef XENTRACE_REQUEST_SERVER_H
#define XENTRACE_REQUEST_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/unix-socket.h"
#include "xentrace/control-socket.h"

#define REQUEST_CLIENTS 8u
#define REQUEST_PATIENCE_MS 2000u
#define REQUEST_PAUSE_MS 5u

/* A connection. */
struct request
{
    int fd;                     /* -1: unused */
    enum request_kind kind;     /* REQUEST_NONE: not received yet */
    uint64_t accepted_ms;
    char text[CONTROL_TEXT_MAX + 1];
};

struct request_server
{
    struct unix_socket socket;
    int epoll;                  /* of the socket and all connections */
    bool is_listening;          /* the epoll waits for connections: there is a
                                   free slot */
    uint64_t pause_end_ms;      /* nothing is served before */
    char output[PATH_MAX];      /* absolute path; "": standard output */
    struct request requests[REQUEST_CLIENTS];
};

#define REQUEST_SERVER_INIT { .socket = UNIX_SOCKET_INIT, .epoll = -1 }

/* On failure nothing has to be closed. */
int request_server_open(struct request_server *s, const char *output,
                        struct err *e);

/* Reject all requests that have no answer yet, and remove the socket. */
void request_server_close(struct request_server *s);

/* A descriptor to poll for input, or -1 during a pause. */
int request_server_fd(const struct request_server *s, uint64_t now_ms);

/* Milliseconds until the server has work without input; UINT64_MAX: none. */
uint64_t request_server_timeout(const struct request_server *s,
                                uint64_t now_ms);

/* Accept connections, receive requests, and drop clients that are too slow. */
void request_server_serve(struct request_server *s, uint64_t now_ms);

/* A request of this kind without an answer; NULL: none. */
struct request *request_server_find(struct request_server *s,
                                    enum request_kind kind);

/*
 * Send the answer, and end the connection: `text` after a request that
 * succeeded, or the reason of its failure in *e (NULL: none).
 */
void request_server_answer(struct request_server *s, struct request *r,
                           const char *text, const struct err *e);

#endif /* XENTRACE_REQUEST_SERVER_H */
