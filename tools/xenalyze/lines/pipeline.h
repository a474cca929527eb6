/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline that turns records into lines of text, with any number of
 * threads, in the order of the records.  A STYLE is the output that it serves:
 * dump.c, catalogue-lines.c, formats.c, raw.c or count.c.  The text is the same
 * for any number of threads.
 */
#ifndef XENALYZE_LINES_PIPELINE_H
#define XENALYZE_LINES_PIPELINE_H

#include <stdio.h>

#include "common/err.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/chunk.h"

/* Do lines of programs' events have a place between the lines? */
enum takes_programs
{
    TAKES_NO_PROGRAMS,
    TAKES_PROGRAMS_IN_SECONDS,
    TAKES_PROGRAMS_IN_CYCLES,
};

struct line_style
{
    /*
     * Read records from batch->items[at] on into an empty chunk, until the
     * chunk is full or the batch ends.  Returns the number of records read,
     * including those without a line, or -errno.  Called by one thread at a
     * time, in the order of the records.
     */
    ssize_t (*read)(void *state, struct chunk *c, const struct xt_batch *b,
                    size_t at);

    /* Format the chunk's text.  Called by several threads at once. */
    void (*format)(const void *state, struct chunk *c);

    enum takes_programs takes_programs;
};

struct record_filter;

struct pipeline_job
{
    struct xt_trace *trace;
    struct record_filter *source;       /* of the records */
    const struct line_style *style;
    void *state;                /* of the style */
    FILE *out;
    const char *output;         /* name of out in messages; NULL: no file */
    unsigned int threads;       /* 1 or more */
    /* Callback for each chunk, by the thread that has read the chunk. */
    void (*progress)(void *arg, uint64_t time);
    void *progress_arg;
    bool follow;                /* wait for more at the end of the trace */
};

/* 0, or -errno and *e says why. */
int pipeline_run(const struct pipeline_job *job, struct err *e);

#endif /* XENALYZE_LINES_PIPELINE_H */
