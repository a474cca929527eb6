/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records to lines, in their order, with as many threads as wanted: the machine
 * that all outputs of records share.  A STYLE is one of these outputs
 * (dump.c, records.c, ...).  The text is the same for any number of threads.
 */
#ifndef XENALYZE_LINES_PIPELINE_H
#define XENALYZE_LINES_PIPELINE_H

#include <stdio.h>

#include "common/err.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/chunk.h"

struct print_style
{
    /*
     * Take records from batch->items[at] on into the chunk, which has just
     * begun, as many as it has room for and *end is false.  How many were
     * looked at, or -errno.  One thread at a time, in the order of the lines.
     */
    ssize_t (*take)(void *state, struct chunk *c, const struct xt_batch *b,
                    size_t at, bool *end);

    /* Make the text.  Many threads at once: of the state it reads only. */
    void (*write)(const void *state, struct chunk *c);
};

struct sieve;

struct print_job
{
    struct xt_trace *trace;
    struct sieve *sieve;        /* that the records come through */
    const struct print_style *style;
    void *state;                /* of the style */
    FILE *out;
    unsigned int threads;       /* 1 or more */
    /* Called once a chunk, by who takes: who waits wants to know. */
    void (*progress)(void *arg, uint64_t time);
    void *progress_arg;
    bool follow;                /* wait for more at the end */
};

/* 0, or -errno and *e says why. */
int print_run(const struct print_job *job, struct err *e);

#endif /* XENALYZE_LINES_PIPELINE_H */
