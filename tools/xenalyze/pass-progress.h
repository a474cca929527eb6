/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The progress bar of a pass.
 */
#ifndef XENALYZE_PASS_PROGRESS_H
#define XENALYZE_PASS_PROGRESS_H

#include "xenalyze/outputs.h"

struct pass_progress
{
    struct xt_trace *trace;
    struct progress bar;
    uint64_t first, last;       /* time stamps of the trace; last 0: unknown */
};

/*
 * Begin before the pass reads.  False: run->progress is NULL or not a terminal,
 * so no updates are needed.
 */
bool pass_progress_begin(struct pass_progress *w, const struct run *run,
                         bool by_time);

/* All records up to `time` have been read; `arg` is a struct pass_progress. */
void pass_progress_update(void *arg, uint64_t time);

/* A struct of zeros is fine, too. */
void pass_progress_end(struct pass_progress *w);

#endif /* XENALYZE_PASS_PROGRESS_H */
