/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a client may ask for.
 */
#ifndef XENSIM_OPS_H
#define XENSIM_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "xensim/control/client.h"
#include "xensim/wire.h"

/* One message in, one out.  An op changes the payload in place. */
struct exchange
{
    struct client *client;
    int read_only_fd;           /* of the arena */
    uint32_t arg;
    uint8_t *payload;           /* XENSIM_MAX_PAYLOAD bytes */
    uint32_t length;            /* of it: of the request, then of the answer */
    int fd;                     /* to send along; borrowed; -1: none */
};

/*
 * Do it: 0 or -errno, and on failure the answer has neither payload nor
 * descriptor.  -ENOSYS: no such op; -EINVAL: not its length.
 */
int op_run(uint32_t op, struct exchange *x);

#endif /* XENSIM_OPS_H */
