/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations shared by dump.c, which reads, and dump-format.c.
 */
#ifndef XENALYZE_LINES_DUMP_PRIVATE_H
#define XENALYZE_LINES_DUMP_PRIVATE_H

#include "xenalyze/lines/dump.h"
#include "xenalyze/lines/rules.h"
#include "xenalyze/lines/who-runs.h"

struct dump
{
    const struct xt_trace *trace;
    const struct xt_catalogue *catalogue;
    struct dump_options options;
    struct line_programs programs;
    /* Used by the reading thread only: */
    struct who_runs runs;
    unsigned int segment;
    bool begun;
    bool has_numbers;           /* the column is a number; since `begun` */
    uint64_t start;             /* first time stamp of the segment, or 0 */
};

#define PCPU_NUMBER_WIDTH 5u    /* "p1023" */

/* Format the records of a chunk, as a callback of struct line_style. */
void dump_format(const void *state, struct chunk *c);

#endif /* XENALYZE_LINES_DUMP_PRIVATE_H */
