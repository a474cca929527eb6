/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main loop between power on and power off: real time, virtual time with
 * an external reader, or virtual time without.
 */
#ifndef XENSIM_SIMULATION_H
#define XENSIM_SIMULATION_H

#include "xensim/options.h"

struct control;
struct supervisor;

struct simulation
{
    const struct options *options;
    struct workload *workload;
    struct supervisor *supervisor;
    struct control *control;    /* NULL: no control socket */
    const char *path;           /* path of the control socket */
    FILE *output;               /* file of --output; NULL: none */
    FILE *programs;             /* file of --programs; NULL: none */
};

/* Run until the end. *status is the exit code. */
int simulation_run(struct simulation *p, int *status, struct err *e);

#endif /* XENSIM_SIMULATION_H */
