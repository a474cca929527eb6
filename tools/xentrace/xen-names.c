/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and answers have the same layout:
 *
 *   0      4       8       12     16
 *   +------+-------+-------+------+-- ... --+
 *   | type | id    | trans | len  | text    |
 *   +------+-------+-------+------+-- ... --+
 */
#include "xentrace/xen-names.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <xen/io/xs_wire.h>

#include "common/fault.h"

static bool connect_to(int fd, const char *path)
{
    struct timeval limit = { .tv_sec = XEN_NAMES_SECONDS };
    struct sockaddr_un a = { .sun_family = AF_UNIX };

    if ( strlen(path) >= sizeof(a.sun_path) )
        return false;
    strcpy(a.sun_path, path);
    return !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) &&
           !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) &&
           !connect(fd, (struct sockaddr *)&a, sizeof(a));
}

int xen_names_open(const char *path)
{
    int fd = fault_hit(FAULT_OPEN)
             ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if ( fd >= 0 && !connect_to(fd, path) )
    {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool send_question(int fd, const char *path)
{
    char message[sizeof(struct xsd_sockmsg) + 64];
    struct xsd_sockmsg head = { .type = XS_READ, .len = strlen(path) + 1 };
    ssize_t size = sizeof(head) + head.len;

    assert(size <= (ssize_t)sizeof(message));
    memcpy(message, &head, sizeof(head));
    memcpy(message + sizeof(head), path, head.len);
    return send(fd, message, size, MSG_NOSIGNAL) == size;
}

static bool receive_bytes(int fd, void *to, size_t size)
{
    return !size || recv(fd, to, size, MSG_WAITALL) == (ssize_t)size;
}

/* Receive at most XEN_NAMES_MAX bytes of text; false: an invalid answer. */
static bool receive_answer(int fd, struct xsd_sockmsg *head, char *text)
{
    if ( !receive_bytes(fd, head, sizeof(*head)) ||
         head->len >= XEN_NAMES_MAX ||
         !receive_bytes(fd, text, head->len) )
        return false;
    text[head->len] = 0;
    return true;
}

bool xen_names_get(int *fd, uint16_t domain, char *name)
{
    struct xsd_sockmsg head;
    char path[64];

    assert(name);
    if ( *fd < 0 )
        return false;
    snprintf(path, sizeof(path), "/local/domain/%u/name", domain);
    if ( !send_question(*fd, path) || !receive_answer(*fd, &head, name) )
    {
        close(*fd);
        *fd = -1;
        return false;
    }
    return head.type == XS_READ;
}

void xen_names_close(int fd)
{
    if ( fd >= 0 )
        close(fd);
}
