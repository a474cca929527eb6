/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A child process trace-cmd, which reads dom0's ftrace (trace.dat): kernels'
 * pages and formats of events are its trade, and a damaged file that kills it
 * does no harm here.
 */
#ifndef XENALYZE_PROGRAMS_TRACE_CMD_H
#define XENALYZE_PROGRAMS_TRACE_CMD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/err.h"
#include "xenalyze/programs/program-source.h"

struct trace_cmd
{
    pid_t pid;                  /* 0: none */
    FILE *out;                  /* its standard output */
};

/* Does the file begin like a trace.dat? */
bool trace_cmd_recognises(const char *path);

/*
 * Find the clock of the file: SOURCE_MONOTONIC or SOURCE_TSC.  -EINVAL: it is
 * another one, or unknown.
 */
int trace_cmd_find_clock(const char *path, enum source_clock *clock,
                         struct err *e);

/* Begin to report all events, with the numbers of the clock as times. */
int trace_cmd_report(struct trace_cmd *t, const char *path, struct err *e);

/* Close the output and wait for the end; may be called twice. */
void trace_cmd_close(struct trace_cmd *t);

#endif /* XENALYZE_PROGRAMS_TRACE_CMD_H */
