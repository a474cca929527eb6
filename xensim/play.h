/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The play between power on and power off: in real time, in virtual time with
 * a reader, in virtual time without one.
 */
#ifndef XENSIM_PLAY_H
#define XENSIM_PLAY_H

#include "xensim/options.h"

struct control;
struct supervisor;

struct play
{
    const struct options *options;
    struct workload *workload;
    struct supervisor *supervisor;
    struct control *control;    /* NULL: nobody can connect */
    const char *path;           /* of its socket */
    FILE *output;               /* what --output names; NULL: nothing */
};

/* *status: the exit code. */
int play(struct play *p, int *status, struct err *e);

#endif /* XENSIM_PLAY_H */
