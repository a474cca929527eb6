/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of the control socket. */
#ifndef XENSIM_OPS_H
#define XENSIM_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "xensim/control/control-client.h"
#include "xensim/wire.h"

/* One request and its answer. An operation changes the payload in place. */
struct exchange
{
    struct client *client;
    const struct client *clients;   /* all of them, a list */
    int read_only_fd;           /* read-only descriptor of the arena */
    uint32_t arg;
    uint8_t *payload;           /* XENSIM_MAX_PAYLOAD bytes */
    uint32_t length;            /* bytes of the request, then of the answer */
    int fd;                     /* descriptor to send, borrowed; -1: none */
};

/*
 * Run an operation. Return 0 or -errno; an error has neither payload nor
 * descriptor. -ENOSYS: unknown op; -EINVAL: wrong length.
 */
int op_run(uint32_t op, struct exchange *x);

#endif /* XENSIM_OPS_H */
