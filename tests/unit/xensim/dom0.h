/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dom0's end of the control socket, for tests.  Can also send malformed
 * messages.  Unexpected errors end the test.
 */
#ifndef TESTS_UNIT_XENSIM_DOM0_H
#define TESTS_UNIT_XENSIM_DOM0_H

#include <stddef.h>
#include <stdint.h>

#include "xensim/wire.h"

struct dom0_answer
{
    int rc;
    uint32_t length;    /* bytes of payload */
    int fd;             /* or -1; the caller closes it */
    uint8_t payload[XENSIM_MAX_PAYLOAD];
};

/* Connect to the socket; close() ends the connection. */
int dom0_connect(const char *path);

/* Send any bytes as one message. */
void dom0_send(int s, const void *bytes, size_t length);
/* Receive the answer, static until the next call.  Returns its rc. */
int dom0_receive(int s, struct dom0_answer **answer);

/* Send a well-formed request, and receive the answer. */
int dom0_ask(int s, uint32_t op, uint32_t arg, const void *payload,
             uint32_t length, struct dom0_answer **answer);

/* XENSIM_TBUF without a buffer; updates *t as the hypervisor does. */
int dom0_tbuf(int s, struct xensim_tbuf *t);

#endif /* TESTS_UNIT_XENSIM_DOM0_H */
