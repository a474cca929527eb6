/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario file: options, one per line, written as on the command line
 * without the dashes; and domains.
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
    struct dom_config *dom_configs; /* dom0 first, if present */
    unsigned int nr_dom_configs;
};

/*
 * Read a scenario. Each option line is parsed with the program's option table
 * into a scratch config of config_size bytes, so an error message can name its
 * line. On failure there is nothing to free.
 */
int scenario_read(struct scenario *s, const char *name,
                  const struct program *program, size_t config_size,
                  struct err *e);
void scenario_free(struct scenario *s);

#endif /* XENSIM_SCENARIO_H */
