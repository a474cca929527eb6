/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A monitor of this process at "socket", in a folder of its own, and its
 * clients.
 */
#ifndef TESTS_UNIT_LIBUSERTRACE_MONITOR_MONITOR_CLIENT_H
#define TESTS_UNIT_LIBUSERTRACE_MONITOR_MONITOR_CLIENT_H

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "session.h"

#include "common/err.h"

static char folder[32];

static inline struct usertrace_server *
monitor_open(enum usertrace_protocol protocol)
{
    struct usertrace_server *server;
    struct err e = ERR_INIT;

    session_folder(folder);
    signal(SIGPIPE, SIG_IGN);
    ck_assert_msg(!usertrace_server_open(&server, protocol, "socket", &e),
                  "%s", e.text);
    return server;
}

static inline void monitor_close(struct usertrace_server *server)
{
    usertrace_server_close(server);
    ck_assert(access("socket", F_OK) && !chdir("/") && !rmdir(folder));
}

static inline int client_connect(void)
{
    struct sockaddr_un address = { AF_UNIX, "socket" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    ck_assert(!connect(fd, (struct sockaddr *)&address, sizeof(address)));
    return fd;
}

/* Read up to `end`, which is removed; false: the server has closed. */
static inline bool client_get(int fd, const char *end, char *text, size_t size)
{
    size_t nr = 0, length = strlen(end);

    for ( ; nr < length || memcmp(text + nr - length, end, length); nr++ )
    {
        ck_assert_uint_lt(nr + 1, size);
        if ( read(fd, text + nr, 1) <= 0 )
            return false;
    }
    text[nr - length] = '\0';
    return true;
}

static inline void client_put(int fd, const char *text)
{
    size_t length = strlen(text);

    ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
}

#endif /* TESTS_UNIT_LIBUSERTRACE_MONITOR_MONITOR_CLIENT_H */
