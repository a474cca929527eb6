/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the socket goes when nobody says.
 */
#ifndef XENSIM_PLACE_H
#define XENSIM_PLACE_H

#include <stdbool.h>

#include "common/err.h"

struct place
{
    char path[256];         /* of the socket */
    char directory[240];    /* made for it alone; "": none */
};

/*
 * In this order: `wanted` (--socket); for a command a new directory of its
 * own, so that several can run side by side; $XENSIM_SOCKET;
 * $XDG_RUNTIME_DIR; /run.
 */
int place_init(struct place *p, const char *wanted, bool for_command,
               struct err *e);
void place_fini(struct place *p);

#endif /* XENSIM_PLACE_H */
