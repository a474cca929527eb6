/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket: dom0's interface of the hypervisor, by the protocol of
 * xensim/wire.h. One thread serves all clients and waits for one descriptor.
 *
 * The mode of the socket and the peer credentials admit the user of xensim,
 * and root. A client is trusted with the arena, as dom0 is with the machine's
 * memory, but its messages are checked.
 */
#ifndef XENSIM_CONTROL_SERVER_H
#define XENSIM_CONTROL_SERVER_H

#include "common/err.h"

struct control;

/*
 * Listen at a path. A stale socket there is replaced. Call while the machine
 * is on. Return 0 or -errno.
 */
int control_open(struct control **control, const char *path, struct err *e);

/* Close all connections and remove the socket file. */
void control_close(struct control *control);

/* The descriptor to poll: readable if control_serve() has work. */
int control_fd(const struct control *control);
void control_serve(struct control *control);

#endif /* XENSIM_CONTROL_SERVER_H */
