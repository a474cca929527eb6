/* SPDX-License-Identifier: GPL-2.0-only */
/* The default path of the control socket. */
#ifndef XENSIM_SOCKET_DIR_H
#define XENSIM_SOCKET_DIR_H

#include <stdbool.h>

#include "common/err.h"

struct socket_dir
{
    char path[256];         /* path of the socket */
    char directory[240];    /* its temporary directory; "": none */
};

/*
 * Choose the path, in this order: `wanted` (--socket); for a command a new
 * temporary directory, so several simulators can run in parallel;
 * $XENSIM_SOCKET; xensim_default_socket().
 */
int socket_dir_init(struct socket_dir *p, const char *wanted, bool for_command,
                    struct err *e);
void socket_dir_fini(struct socket_dir *p);

#endif /* XENSIM_SOCKET_DIR_H */
