/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines for events of programs, between the lines of records, at their times.
 * Of equal times, the record comes first.  Events outside of the records' span
 * of time have no line.
 */
#ifndef XENALYZE_LINES_PROGRAM_LINES_H
#define XENALYZE_LINES_PROGRAM_LINES_H

#include <stdio.h>

#include "xenalyze/filter/filter.h"
#include "xenalyze/lines/chunk.h"
#include "xenalyze/programs/programs.h"

/* Lines in one chunk, in bytes; chunks with more are split. */
#define PROGRAM_LINES_MAX (16u << 20)

struct program_lines
{
    /* Set by the caller, and borrowed. */
    struct programs *programs;
    const struct filter *filter;
    const struct xt_clock *clock;
    bool in_cycles;             /* as --records, else as the dump */
    uint64_t start;             /* the time stamp that is second 0 */
    uint64_t from, until;       /* the selected span, as time stamps */

    const struct program_event *next;   /* not yet added; NULL: the end */
    bool begun;
    unsigned int column_width;  /* of pcpus, in the last chunk of the dump */
    uint64_t shown;
    struct err err;
};

/*
 * Add the lines of events before the first record of a chunk, which is still
 * empty.  1: too many for this chunk; 0; or -errno, with l->err.
 */
int program_lines_add_before(struct program_lines *l, struct chunk *c,
                             uint64_t time);

/*
 * At the end: write the lines of events up to the time of the last record,
 * which a filter may have left out.  0; or -errno, with l->err.
 */
int program_lines_end(struct program_lines *l, uint64_t last, FILE *out);

/* Add those between the records of the chunk.  0; or -errno, with l->err. */
int program_lines_add(struct program_lines *l, struct chunk *c);

#endif /* XENALYZE_LINES_PROGRAM_LINES_H */
