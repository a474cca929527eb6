/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/xensim/dom0.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/common/unit.h"

int dom0_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    ck_assert_int_ge(s, 0);
    strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
    ck_assert_int_eq(connect(s, (void *)&address, sizeof(address)), 0);
    return s;
}

void dom0_send(int s, const void *bytes, size_t length)
{
    ck_assert_int_eq(send(s, bytes, length, MSG_NOSIGNAL), length);
}

int dom0_receive(int s, struct dom0_answer **answer)
{
    static struct dom0_answer a;
    struct xensim_answer head;
    struct iovec parts[] = {
        { &head, sizeof(head) }, { a.payload, sizeof(a.payload) },
    };
    union
    {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } side;
    struct msghdr m = {
        .msg_iov = parts, .msg_iovlen = 2,
        .msg_control = &side, .msg_controllen = sizeof(side),
    };
    ssize_t got = recvmsg(s, &m, MSG_CMSG_CLOEXEC);

    ck_assert_int_ge(got, sizeof(head));
    ck_assert_int_eq(head.length, got - sizeof(head));
    a.rc = head.rc;
    a.length = head.length;
    a.fd = -1;
    if ( CMSG_FIRSTHDR(&m) )
        memcpy(&a.fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(a.fd));
    if ( answer )
        *answer = &a;
    return a.rc;
}

int dom0_ask(int s, uint32_t op, uint32_t arg, const void *payload,
             uint32_t length, struct dom0_answer **answer)
{
    static uint8_t message[sizeof(struct xensim_request) +
                           XENSIM_MAX_PAYLOAD];
    struct xensim_request r = { .op = op, .arg = arg, .length = length };

    memcpy(message, &r, sizeof(r));
    if ( length )
        memcpy(message + sizeof(r), payload, length);
    dom0_send(s, message, sizeof(r) + length);
    return dom0_receive(s, answer);
}

int dom0_tbuf(int s, struct xensim_tbuf *t)
{
    struct dom0_answer *a;
    int rc = dom0_ask(s, XENSIM_TBUF, 0, t, sizeof(*t), &a);

    if ( !rc )
    {
        ck_assert_uint_ge(a->length, sizeof(*t));
        memcpy(t, a->payload, sizeof(*t));
    }
    return rc;
}
