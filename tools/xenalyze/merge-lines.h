/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of several dumps in the order of time, each behind a label:
 *
 *     host1   0.000107549 x- d1v0 vcpu_wake d0v0
 *     host2   0.000107618 -x d1v0 runstate_change d0v0 blocked->runnable
 *
 * Each dump is written by a child process into a pipe, so they run at once, and
 * the memory for lines is one line per dump.
 */
#ifndef XENALYZE_MERGE_LINES_H
#define XENALYZE_MERGE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

struct merge_source
{
    const char *label;
    uint64_t later;             /* nanoseconds, added to its times */
    int rc;                     /* after merge_lines(): result of write() ... */
    struct err err;             /* ... and its reason */
};

/* Write dump i; runs in a child process. */
typedef int merge_write_fn(void *arg, size_t i, FILE *out, struct err *e);

/* `output`: name of `out`.  0 if all children ended; -errno with *e. */
int merge_lines(struct merge_source *sources, size_t nr, merge_write_fn *write,
                void *arg, FILE *out, const char *output, struct err *e);

#endif /* XENALYZE_MERGE_LINES_H */
