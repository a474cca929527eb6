/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of --programs: events of the simulated device models in the format
 * of the simple back end (tools/libusertrace/simple-format.h).
 */
#ifndef XENSIM_PROGRAM_TRACE_H
#define XENSIM_PROGRAM_TRACE_H

#include <stdio.h>

#include "xensim/options.h"

/*
 * Write the header, the declarations of events and the identity of the
 * simulated host. 0 or -EIO. The workload writes the events.
 */
int program_trace_begin(const struct options *o, FILE *out);

#endif /* XENSIM_PROGRAM_TRACE_H */
