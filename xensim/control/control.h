/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket: dom0's way to the hypervisor, as xensim/wire.h draws
 * it.  One thread serves all clients; it has one descriptor to wait for.
 *
 * A client is one that the socket's mode and its credentials let in: the
 * user that xensim runs as, or root.  It is trusted with the arena, as dom0
 * is with the machine, but not to send sane messages.
 */
#ifndef XENSIM_CONTROL_H
#define XENSIM_CONTROL_H

#include "common/err.h"

struct control;

/*
 * Listen at a path, where nothing or a dead xensim's socket may stand.  The
 * machine is on before and until after.  0 or -errno.
 */
int control_open(struct control **control, const char *path, struct err *e);

/* Ends all connections and takes the socket's file away. */
void control_close(struct control *control);

/* Readable: control_serve() has something to do. */
int control_fd(const struct control *control);
void control_serve(struct control *control);

#endif /* XENSIM_CONTROL_H */
