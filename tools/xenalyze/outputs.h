/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What there is to run, and what everything that runs is given.
 *
 * An OUTPUT is what one option asks for.  A PASS goes once through the trace,
 * in the way that suits it, and serves all outputs that name it: by window as
 * the file has them (windows.c), record by record in the order of time
 * (records.c), or what others add.
 */
#ifndef XENALYZE_OUTPUTS_H
#define XENALYZE_OUTPUTS_H

#include <stdio.h>

#include "common/err.h"
#include "common/progress.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/options.h"

/* All of it borrowed, and as good as new at the begin of each pass. */
struct run
{
    const struct config *config;
    const char *name;           /* of the trace, for messages and headings */
    struct xt_trace *trace;     /* rewound; nobody has begun to read it */
    struct xt_info info;        /* what it says of itself */
    const struct log *log;
    FILE *out;
    FILE *progress;             /* for who waits; NULL: nobody does */
    bool colour;
};

/* 0, or -errno and *e says why; or PASS_NOBODY: the trace has nothing of those
   who are wanted, and nothing was printed. */
typedef int pass_fn(const struct run *run, struct err *e);

#define PASS_NOBODY 1

/* Where none is asked for, ask for the summary.  -EINVAL: some of those that
   are do not go together. */
int outputs_choose(struct config *config, struct err *e);

/* Does anything have to go through the trace more often than once? */
bool outputs_read_again(const struct config *config);

/* Run what run->config asks for.  The caller fills in the rest but the info. */
int outputs_run(struct run *run, struct err *e);

/* The passes. */
int windows_pass(const struct run *run, struct err *e);
int dump_pass(const struct run *run, struct err *e);
int records_pass(const struct run *run, struct err *e);
int raw_pass(const struct run *run, struct err *e);
int formats_pass(const struct run *run, struct err *e);
int count_pass(const struct run *run, struct err *e);
int reports_pass(const struct run *run, struct err *e);

#endif /* XENALYZE_OUTPUTS_H */
