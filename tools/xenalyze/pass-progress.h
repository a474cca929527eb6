/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For who waits for a pass to come to its end: how far it is.
 */
#ifndef XENALYZE_PASS_PROGRESS_H
#define XENALYZE_PASS_PROGRESS_H

#include "xenalyze/outputs.h"

struct waiting
{
    struct xt_trace *trace;
    struct progress bar;
    uint64_t first, last;       /* of the trace; last 0: not known */
};

/*
 * Before the pass reads; nothing is shown if run->progress is NULL, or no
 * terminal.  True: it wants to be told.
 */
bool waiting_begin(struct waiting *w, const struct run *run, bool by_time);

/* All up to `time` has been read; `arg` is the struct. */
void waiting_tell(void *arg, uint64_t time);

/* All zero is fine, too. */
void waiting_end(struct waiting *w);

#endif /* XENALYZE_PASS_PROGRESS_H */
