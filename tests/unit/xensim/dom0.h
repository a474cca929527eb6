/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dom0's end of the control socket, for tests: it can also say what no sane
 * client would.  Failures of the test's own making are check's.
 */
#ifndef TESTS_UNIT_XENSIM_DOM0_H
#define TESTS_UNIT_XENSIM_DOM0_H

#include <stddef.h>
#include <stdint.h>

#include "xensim/wire.h"

struct dom0_answer
{
    int rc;
    uint32_t length;    /* of payload */
    int fd;             /* or -1; the caller's to close */
    uint8_t payload[XENSIM_MAX_PAYLOAD];
};

/* A connection; its end is close(). */
int dom0_connect(const char *path);

/* Any bytes as one message. */
void dom0_send(int s, const void *bytes, size_t length);
/* The answer to it: static, until the next one.  rc is also returned. */
int dom0_receive(int s, struct dom0_answer **answer);

/* A request as it should be. */
int dom0_ask(int s, uint32_t op, uint32_t arg, const void *payload,
             uint32_t length, struct dom0_answer **answer);

/* XENSIM_TBUF without a buffer; *t is changed as the hypervisor would. */
int dom0_tbuf(int s, struct xensim_tbuf *t);

#endif /* TESTS_UNIT_XENSIM_DOM0_H */
