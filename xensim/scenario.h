/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario: options, one a line, as on the command line without the dashes;
 * and domains.
 *
 *     # an overcommitted host
 *     cpus = 4
 *     virtual = yes
 *
 *     [domain web]
 *     copies = 3
 *     kind = pv
 *     load = io
 */
#ifndef XENSIM_SCENARIO_H
#define XENSIM_SCENARIO_H

#include "common/err.h"
#include "common/opts.h"
#include "xensim/workload/workload.h"

#define DOM0_NAME "Domain-0"

struct scenario
{
    char **args;                /* "--name=value" */
    int nr_args;
    struct domain_order *orders; /* dom0's, if it is here, is the first */
    unsigned int nr_orders;
};

/*
 * Each line is tried with the program's options, whose config has so many
 * bytes, so that what is wrong is said with its line.  On failure there is
 * nothing to free.
 */
int scenario_read(struct scenario *s, const char *name,
                  const struct program *program, size_t config_size,
                  struct err *e);
void scenario_free(struct scenario *s);

#endif /* XENSIM_SCENARIO_H */
